"""Batches: many documents handed in together, one job for each, and one status for all."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from pagemill.model.costs import NO_COST, Cost, CostView, cost_view
from pagemill.model.jobs import StoredError
from pagemill.model.states import ACTIVE, Status
from pagemill.model.views import iso


class EntryError(TypedDict):
    """Why an item has no job."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class BatchRow:
    """A batch as its row says."""

    id: str
    tenant: str
    name: str
    metadata: dict[str, str]
    total: int
    refused: int
    run: int
    created_at: float
    started_at: float
    cancelled_at: float | None
    finished_at: float | None
    expires_at: float
    removed_at: float | None
    # Of files inside of a document: its job, how deep they are, and how many files each of them may have.
    parent_job_id: str | None = None
    depth: int = 0
    budget: int = 0


@dataclass(frozen=True, slots=True)
class BatchEntryRow:
    """An item: its job and where that is, or why it has none."""

    number: int
    name: str
    job_id: str | None
    error: EntryError | None
    status: str | None
    job_error: StoredError | None
    total_pages: int | None
    processed_pages: int | None


@dataclass(frozen=True, slots=True)
class BatchCounts:
    """How many items there are by status, and their pages; jobs that were deleted since are not among them."""

    by_status: Mapping[str, int] = field(default_factory=dict)
    total_pages: int = 0
    processed_pages: int = 0
    cost: Cost = NO_COST

    def of(self, status: Status) -> int:
        """How many jobs have a status."""
        return self.by_status.get(status.value, 0)

    @property
    def active_jobs(self) -> int:
        """How many jobs wait or run."""
        return sum(self.of(status) for status in ACTIVE)

    @property
    def ended_jobs(self) -> int:
        """How many jobs have ended."""
        return sum(self.by_status.values()) - self.active_jobs


class BatchView(TypedDict):
    """A batch, as people see it."""

    id: str
    status: str
    name: str
    metadata: dict[str, str]
    total: int
    counts: dict[str, int]
    total_pages: int
    processed_pages: int
    eta_seconds: float | None
    cost: CostView
    run: int
    created_at: str
    finished_at: str | None
    expires_at: str
    parent_job_id: str | None
    links: dict[str, str]


def batch_status(batch: BatchRow, counts: BatchCounts) -> str:
    """The status of a batch: `completed` if all items have ended and one of them well."""
    if counts.active_jobs:
        begun = counts.ended_jobs or counts.of(Status.PROCESSING)
        return Status.PROCESSING.value if begun else Status.PENDING.value
    if batch.cancelled_at is not None and not counts.of(Status.COMPLETED):
        return Status.CANCELLED.value
    return Status.COMPLETED.value if counts.of(Status.COMPLETED) else Status.FAILED.value


def batch_view(batch: BatchRow, counts: BatchCounts, now: float) -> BatchView:
    """A batch in the shape that people see."""
    return {
        "id": batch.id,
        "status": batch_status(batch, counts),
        "name": batch.name,
        "metadata": batch.metadata,
        "total": batch.total,
        "counts": counts_of_items(batch, counts),
        "total_pages": counts.total_pages,
        "processed_pages": counts.processed_pages,
        "eta_seconds": batch_eta(batch, counts, now),
        "cost": cost_view(counts.cost),
        "run": batch.run,
        "created_at": iso(batch.created_at),
        "finished_at": iso(batch.finished_at) if batch.finished_at else None,
        "expires_at": iso(batch.expires_at),
        "parent_job_id": batch.parent_job_id,
        "links": batch_links(batch.id),
    }


def counts_of_items(batch: BatchRow, counts: BatchCounts) -> dict[str, int]:
    """How many items there are by status; those whose job was deleted, or refused, are among them."""
    by_status = {status.value: counts.of(status) for status in Status} | {"refused": batch.refused}
    return by_status | {"removed": batch.total - sum(by_status.values())}


def batch_eta(batch: BatchRow, counts: BatchCounts, now: float) -> float | None:
    """How long a batch may still take at the speed that it had so far; None while that is unknown."""
    if not counts.active_jobs or not counts.ended_jobs:
        return None
    return round(max(now - batch.started_at, 0.0) * counts.active_jobs / counts.ended_jobs, 1)


def batch_links(batch_id: str) -> dict[str, str]:
    """The addresses of everything that belongs to a batch."""
    base = f"/v1/batches/{batch_id}"
    parts = {"items": "items", "events": "events", "archive": "archive.zip", "results": "results.ndjson"}
    return (
        {"self": base}
        | {name: f"{base}/{part}" for name, part in parts.items()}
        | {name: f"{base}/{name}" for name in ("cancel", "retry")}
    )


def entry_view(entry: BatchEntryRow) -> dict[str, object]:
    """An item in the shape that people see; one that was refused has the status `refused` and no job."""
    error = entry.error or entry.job_error
    without_job = "removed" if entry.job_id else "refused"
    return {
        "number": entry.number,
        "name": entry.name,
        "job_id": entry.job_id,
        "status": entry.status or without_job,
        "error": error,
        "total_pages": entry.total_pages,
        "processed_pages": entry.processed_pages or 0,
        "link": f"/v1/jobs/{entry.job_id}" if entry.job_id else None,
    }
