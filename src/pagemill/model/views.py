"""How a job is shown to people: the one source of its shape.

The API documents these classes as they are; the types of the Python client and of the web pages are generated from
that (`make docs`).
"""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import ConfigDict, WithJsonSchema, with_config
from typing_extensions import TypedDict

from pagemill.model.costs import CostView, cost_view
from pagemill.model.document_facts import FactsView
from pagemill.model.events import EventRow
from pagemill.model.jobs import DocumentRow, JobRow, StoredError, StoredFailedPage
from pagemill.model.labelled_classes import StoredClass
from pagemill.model.options import StoredOptions
from pagemill.model.pages import lacks_text
from pagemill.model.states import Status

# The last second of the year 9999, where calendars end.
LAST_SECOND = 253_402_300_799.0
DESCRIBED = ConfigDict(use_attribute_docstrings=True)
StatusName = Annotated[str, WithJsonSchema({"type": "string", "enum": [status.value for status in Status]})]


@with_config(DESCRIBED)
class DocumentView(TypedDict):
    """The document of a job."""

    id: str
    filename: str
    """The name that was sent, reduced to a harmless base name."""
    size_bytes: int
    """0 until a document by URL was fetched."""
    sha256: str
    """Empty until a document by URL was fetched."""
    media_type: str
    """What the bytes are, whatever was declared; empty until a document by URL was fetched."""
    source_url: str | None
    """Where the document was fetched from, without its query; null for an upload."""
    facts: FactsView | None
    """What the document says of itself; null until it was read, and for images. Nothing of it is checked."""


@with_config(DESCRIBED)
class CountersView(TypedDict):
    """How often something went wrong on the way."""

    crashes: int
    """The reading process died over a part of the document."""
    errors: int
    """A retryable error."""
    lost: int
    """A worker vanished with a part of the document."""


@with_config(DESCRIBED)
class JobView(TypedDict):
    """One request to process a document, and its state."""

    id: str
    status: StatusName
    stage: str
    """The step that the job is in: fetch, plan, extract, recognise, join or publish."""
    lane: str
    """The queue that the job waits in: fetch, fast or bulk."""
    tenant: str
    """Whom the job belongs to."""
    priority: int
    document: DocumentView
    options: StoredOptions
    metadata: dict[str, str]
    classification: StoredClass | None
    """The class of the document and why; null unless it was enriched with `class`."""
    document_pages: int | None
    """How many pages the document has; null until it was opened."""
    total_pages: int | None
    """How many pages are to be read; null until the document was opened."""
    processed_pages: int
    failed_pages: list[StoredFailedPage]
    warnings: list[str]
    to_check: list[int]
    """Pages that a person should look at: failed, read by a second provider, or of low confidence; at most 1,000."""
    lacks_text: bool
    """Pages should have been recognised and were not, for want of an engine or because it failed; the result is never
    used again for another job."""
    error: StoredError | None
    counters: CountersView
    run: int
    """Raised by each retry."""
    revision: int
    """Raised when a new result is published."""
    reused: bool
    """The result of the same document with the same options was there already."""
    queue_position: int | None
    """How many parts of older jobs wait in front of a pending one."""
    eta_seconds: float | None
    """How long the job may still take; null while it can't be estimated."""
    seconds: dict[str, float]
    """Time spent per step."""
    cost: CostView
    """What the job has cost so far, over all runs."""
    created_at: str
    started_at: str | None
    finished_at: str | None
    expires_at: str
    version: int
    """Raised by every change; also the ETag."""
    links: dict[str, str]


def job_view(
    job: JobRow, document: DocumentRow, *, position: int | None = None, eta_seconds: float | None = None
) -> JobView:
    """A job and its document in the shape that people see."""
    return {
        "id": job.id,
        "status": job.status,
        "stage": job.stage,
        "lane": job.lane,
        "tenant": job.tenant,
        "priority": job.priority,
        "document": {
            "id": document.id,
            "filename": document.filename,
            "size_bytes": document.size_bytes,
            "sha256": document.sha256,
            "media_type": document.media_type,
            "source_url": document.source_url,
            "facts": job.document_facts,
        },
        "options": job.options,
        "metadata": job.metadata,
        "classification": job.classification,
        "document_pages": job.document_pages,
        "total_pages": job.total_pages,
        "processed_pages": job.processed_pages,
        "failed_pages": job.failed_pages,
        "warnings": job.warnings,
        "to_check": job.to_check or [],
        "lacks_text": lacks_text(job.warnings, job.options.get("ocr", "auto")),
        "error": job.error,
        "counters": {"crashes": job.crashes, "errors": job.errors, "lost": job.lost},
        "run": job.run,
        "revision": job.revision,
        "reused": job.reused,
        "queue_position": position,
        "eta_seconds": eta_seconds,
        "seconds": job.seconds,
        "cost": cost_view(job.cost),
        "created_at": iso(job.created_at),
        "started_at": iso(job.started_at) if job.started_at else None,
        "finished_at": iso(job.finished_at) if job.finished_at else None,
        "expires_at": iso(job.expires_at),
        "version": job.version,
        "links": links(job.id),
    }


def event_view(event: EventRow) -> dict[str, object]:
    """An event as people see it."""
    return {
        "id": event.id,
        "type": event.type,
        "job_id": event.job_id,
        "seq": event.seq,
        "at": iso(event.at),
        "facts": event.facts,
    }


def iso(seconds: float) -> str:
    """A time in the form of RFC 3339, in UTC, to the millisecond."""
    return utc_time(seconds).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def utc_time(seconds: float) -> datetime:
    """A time in UTC; one behind the end of the calendar is its last second."""
    return datetime.fromtimestamp(min(seconds, LAST_SECOND), UTC)


def links(job_id: str) -> dict[str, str]:
    """The addresses of everything that belongs to a job."""
    base = f"/v1/jobs/{job_id}"
    parts = (
        "events",
        "pages",
        "result",
        "markdown",
        "text",
        "html",
        "artifacts",
        "children",
        "cancel",
        "retry",
    )
    return {"self": base} | {part: f"{base}/{part}" for part in parts}
