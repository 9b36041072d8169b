"""The status of a worker: whether it is heard of, whether it drains, and how fast it reads."""

from dataclasses import dataclass

from pagemill.model.jobs import Worker


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """A worker as its row says: `silent` has not been heard of for longer than its lease."""

    id: str
    host: str
    pid: int
    slots: int
    lanes: list[str]
    state: str
    silent_seconds: float
    uptime_seconds: float
    pages_per_second: float
    version: str
    engines: list[str]
    trouble: str | None


def worker_status(worker: Worker, now: float, lease_seconds: float) -> WorkerStatus:
    """The status of a worker at a time by the database's clock."""
    return WorkerStatus(
        id=worker.id,
        host=worker.host,
        pid=worker.pid,
        slots=worker.slots,
        lanes=worker.lanes,
        state=state_of(worker.draining, now - worker.seen_at, lease_seconds),
        silent_seconds=round(max(now - worker.seen_at, 0.0), 1),
        uptime_seconds=round(max(now - worker.started_at, 0.0), 1),
        pages_per_second=round(worker.pages_per_second, 4),
        version=worker.version,
        engines=worker.engines,
        trouble=worker.trouble,
    )


def state_of(draining: bool, silent_seconds: float, lease_seconds: float) -> str:
    """What a worker does in one word."""
    if silent_seconds > lease_seconds:
        return "silent"
    return "draining" if draining else "alive"
