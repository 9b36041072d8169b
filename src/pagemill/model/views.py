"""How a job is shown to people: the same words in the API, the command line and the web pages."""

from datetime import UTC, datetime
from typing import TypedDict

from pagemill.model.events import EventRow
from pagemill.model.jobs import DocumentRow, JobRow, StoredError, StoredFailedPage
from pagemill.model.options import StoredOptions


class DocumentView(TypedDict):
    """The document of a job."""

    id: str
    filename: str
    size_bytes: int
    sha256: str
    media_type: str
    source_url: str | None


class CountersView(TypedDict):
    """How often something went wrong on the way."""

    crashes: int
    errors: int
    lost: int


class JobView(TypedDict):
    """A job, as people see it."""

    id: str
    status: str
    stage: str
    lane: str
    tenant: str
    priority: int
    document: DocumentView
    options: StoredOptions
    metadata: dict[str, str]
    document_pages: int | None
    total_pages: int | None
    processed_pages: int
    failed_pages: list[StoredFailedPage]
    warnings: list[str]
    to_check: list[int]
    error: StoredError | None
    counters: CountersView
    run: int
    revision: int
    reused: bool
    queue_position: int | None
    eta_seconds: float | None
    seconds: dict[str, float]
    created_at: str
    started_at: str | None
    finished_at: str | None
    expires_at: str
    version: int
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
        },
        "options": job.options,
        "metadata": job.metadata,
        "document_pages": job.document_pages,
        "total_pages": job.total_pages,
        "processed_pages": job.processed_pages,
        "failed_pages": job.failed_pages,
        "warnings": job.warnings,
        "to_check": job.to_check or [],
        "error": job.error,
        "counters": {"crashes": job.crashes, "errors": job.errors, "lost": job.lost},
        "run": job.run,
        "revision": job.revision,
        "reused": job.reused,
        "queue_position": position,
        "eta_seconds": eta_seconds,
        "seconds": job.seconds,
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
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def links(job_id: str) -> dict[str, str]:
    """The addresses of everything that belongs to a job."""
    base = f"/v1/jobs/{job_id}"
    parts = ("events", "pages", "result", "markdown", "text", "html", "artifacts", "cancel", "retry")
    return {"self": base} | {part: f"{base}/{part}" for part in parts}
