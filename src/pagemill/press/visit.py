"""A visit to the press, and what may become of it."""

import re
from dataclasses import dataclass

from pagemill.press.workplace import Errand

FUNCTION = re.compile(r"[A-Za-z_][\w.]{0,500}:[A-Za-z_]\w{0,200}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Visit:
    """One unit of native work: a function, called once with one argument in a child process.

    A visit to files has an errand as its argument: the child gets these files to read, and one folder to write to.
    `memory_bytes` is how much address space it may take beside what the child has; None is what the press allows all.
    """

    key: str
    function: str
    argument: bytes | Errand
    seconds: float
    memory_bytes: int | None = None

    def __post_init__(self) -> None:
        if not FUNCTION.fullmatch(self.function):
            raise ValueError(f"not the name of a function in a module: {self.function[:100]!r}")
        if not self.seconds > 0:
            raise ValueError("a visit needs some time")


@dataclass(frozen=True, slots=True)
class Done:
    """The function returned these bytes."""

    answer: bytes
    seconds: float
    cpu_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Failed:
    """The function raised; `code` and `retryable` are the exception's own if it has them."""

    code: str
    message: str
    retryable: bool
    seconds: float
    cpu_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Crashed:
    """The child died over it; `memory` says that it had asked for more than it may have."""

    signal: int | None
    exit_code: int | None
    memory: bool
    detail: str
    seconds: float


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The child was killed because the visit took longer than its limit."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Cancelled:
    """`Press.cancel` dropped it, or killed the child that was at it."""


@dataclass(frozen=True, slots=True)
class Returned:
    """Given back: it never began, or `Press.stop` interrupted it; it counts nowhere."""


Outcome = Done | Failed | Crashed | TimedOut | Cancelled | Returned


def cpu_seconds_of(outcome: Outcome) -> float:
    """The CPU seconds of a visit; a child that was killed can't say, so its time counts, of which it used one core."""
    match outcome:
        case Done(cpu_seconds=seconds) | Failed(cpu_seconds=seconds):
            return seconds
        case Crashed(seconds=seconds) | TimedOut(seconds=seconds):
            return seconds
        case _:
            return 0.0
