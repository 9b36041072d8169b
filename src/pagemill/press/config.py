"""The configuration of the press, and the state of its slots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pagemill.press.sandbox import SandboxMode

Phase = Literal["starting", "idle", "busy", "backing_off", "stopped"]


@dataclass(frozen=True, slots=True)
class PressConfig:
    """How many children there are and what each of them may take."""

    slots: int
    kept_slots: int = 1
    memory_bytes: int = 1_500_000_000
    most_memory_bytes: int = 6_000_000_000
    recycle_after: int = 200
    recycle_rss_bytes: int = 600_000_000
    answer_bytes: int = 16_000_000
    start_seconds: float = 60.0
    disk_bytes: int = 8_000_000_000
    sandbox: SandboxMode = "auto"
    preload: tuple[str, ...] = ()
    extra_path: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    # Where the folders of the children are made; a temporary folder if there is none.
    workspace: Path | None = None
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.slots < 1 or self.kept_slots < 0:
            raise ValueError("a press needs at least one slot, and no fewer than zero kept slots")
        if self.recycle_after < 1:
            raise ValueError("recycle_after must be at least 1")


@dataclass(frozen=True, slots=True)
class Orders:
    """The orders of a child, on its command line."""

    parent_pid: int
    path: list[str]
    wire_fd: int
    grants_fd: int
    memory_bytes: int
    most_memory_bytes: int
    recycle_after: int
    recycle_rss_bytes: int
    answer_bytes: int
    disk_bytes: int
    preload: list[str]
    sandbox: Mapping[str, bool]
    access: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class SlotReport:
    """What a slot is doing now; `visits` and `rss_bytes` are those of its present child."""

    slot: int
    kept: bool
    phase: Phase
    pid: int | None
    key: str | None
    visits: int
    rss_bytes: int
    failed_starts: int
    starts: int
