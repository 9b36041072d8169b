"""The press: native code runs here, in warm child processes with hard limits, and nowhere else."""

from pagemill.press.config import Phase, PressConfig, SlotReport
from pagemill.press.sandbox import SandboxMissing
from pagemill.press.supervisor import Press
from pagemill.press.visit import (
    Cancelled,
    Crashed,
    Done,
    Failed,
    Outcome,
    Returned,
    TimedOut,
    Visit,
    cpu_seconds_of,
)

__all__ = [
    "Cancelled",
    "Crashed",
    "Done",
    "Failed",
    "Outcome",
    "Phase",
    "Press",
    "PressConfig",
    "Returned",
    "SandboxMissing",
    "SlotReport",
    "TimedOut",
    "Visit",
    "cpu_seconds_of",
]
