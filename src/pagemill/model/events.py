"""The lines of the event log."""

from dataclasses import dataclass
from enum import StrEnum

Facts = dict[str, "str | int | float | bool | list[int] | None"]


class EventType(StrEnum):
    """What may happen to a job, and that a request may be refused."""

    ACCEPTED = "job.accepted"
    STARTED = "job.started"
    FETCHED = "job.fetched"
    SCANNED = "job.scanned"
    PLANNED = "job.planned"
    READ = "chunk.read"
    SET_BACK = "chunk.set_back"
    SPLIT = "chunk.split"
    JOINING = "job.joining"
    ENRICHING = "job.enriching"
    ENRICHED = "job.enriched"
    PUBLISHED = "job.published"
    COMPLETED = "job.completed"
    FAILED = "job.failed"
    CANCELLED = "job.cancelled"
    RETRIED = "job.retried"
    RESTORED = "job.restored"
    LABELLED = "job.labelled"
    CORRECTED = "job.corrected"
    CLASSIFIED = "job.classified"
    ROUTED = "job.routed"
    REMOVED = "job.removed"
    BATCH_ACCEPTED = "batch.accepted"
    BATCH_COMPLETED = "batch.completed"
    BATCH_FAILED = "batch.failed"
    BATCH_CANCELLED = "batch.cancelled"
    REFUSED = "request.refused"
    WEBHOOK_DISABLED = "webhook.disabled"


FINAL_EVENTS = frozenset({EventType.COMPLETED, EventType.FAILED, EventType.CANCELLED, EventType.REMOVED})


@dataclass(frozen=True, slots=True)
class EventRow:
    """One line of the log; `seq` counts the lines of one job, `id` all lines."""

    id: int
    tenant: str
    job_id: str | None
    seq: int | None
    type: EventType
    at: float
    facts: Facts
    # The transaction that wrote the line, where several can be under way.
    xid: int = 0
