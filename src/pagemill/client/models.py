"""What the server tells: jobs, events and pages as plain typed values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

T = TypeVar("T")
Facts = Mapping[str, Any]
TERMINAL = frozenset({"completed", "failed", "cancelled"})


@dataclass(frozen=True, slots=True)
class Options:
    """What may be asked of a job, beside handing in the document; None leaves it to the server."""

    pages: str | None = None
    formats: tuple[str, ...] | None = None
    providers: tuple[str, ...] | None = None
    keep_running_headers: bool | None = None
    ocr: str | None = None
    mode: str | None = None
    languages: tuple[str, ...] | None = None
    tracked_changes: str | None = None
    typography: str | None = None
    password: str | None = field(default=None, repr=False)
    metadata: Mapping[str, str] | None = None
    priority: int | None = None
    expires_in_seconds: float | None = None
    reuse: bool | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """The document of a job."""

    id: str
    filename: str
    size_bytes: int
    sha256: str
    media_type: str
    source_url: str | None = None


@dataclass(frozen=True, slots=True)
class JobError:
    """Why a job failed."""

    code: str
    message: str
    stage: str
    retryable: bool
    page: int | None = None


@dataclass(frozen=True, slots=True)
class FailedPage:
    """A page that could not be read, and why."""

    page: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Counters:
    """How often something went wrong on the way."""

    crashes: int = 0
    errors: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True)
class Job:
    """One request to process a document, and where it stands."""

    id: str
    status: str
    stage: str
    lane: str
    tenant: str
    priority: int
    document: Document
    options: Facts
    metadata: Mapping[str, str]
    document_pages: int | None
    total_pages: int | None
    processed_pages: int
    failed_pages: tuple[FailedPage, ...]
    warnings: tuple[str, ...]
    error: JobError | None
    counters: Counters
    run: int
    revision: int
    reused: bool
    queue_position: int | None
    eta_seconds: float | None
    seconds: Mapping[str, float]
    created_at: str
    started_at: str | None
    finished_at: str | None
    expires_at: str
    version: int
    links: Mapping[str, str]
    to_check: tuple[int, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether the job has ended, in whatever way."""
        return self.status in TERMINAL

    @classmethod
    def from_json(cls, told: Facts) -> Self:
        """A job from the server's words; fields that this version does not know are left out."""
        error = told["error"]
        nested = {
            "document": from_fields(Document, told["document"]),
            "failed_pages": tuple(from_fields(FailedPage, page) for page in told["failed_pages"]),
            "warnings": tuple(told["warnings"]),
            "to_check": tuple(told.get("to_check", ())),
            "error": from_fields(JobError, error) if error else None,
            "counters": from_fields(Counters, told["counters"]),
        }
        return from_fields(cls, {**told, **nested})


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the log; `seq` counts the lines of one job, `id` all lines."""

    id: int
    type: str
    job_id: str | None
    seq: int | None
    at: str
    facts: Facts


@dataclass(frozen=True, slots=True)
class PageState:
    """A page and how far it is: `waiting`, `draft`, `final` or `failed`."""

    number: int
    state: str


@dataclass(frozen=True, slots=True)
class Artifact:
    """Something that can be had of a job; one that is made on demand has no size before."""

    name: str
    media_type: str
    size_bytes: int | None
    link: str


@dataclass(frozen=True, slots=True)
class UploadLink:
    """A signed link that takes one document, until it expires."""

    upload_id: str
    url: str = field(repr=False)
    method: str
    headers: Mapping[str, str]
    expires_at: str


@dataclass(frozen=True, slots=True)
class ArtifactLink:
    """A signed link by which anybody can fetch an artifact, until it expires."""

    url: str = field(repr=False)
    expires_at: str
    filename: str
    media_type: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the document."""

    name: str
    page: int
    caption: str
    rows: int
    columns: int
    size_bytes: int
    link: str


@dataclass(frozen=True, slots=True)
class Image:
    """A figure of the document and its place on the page."""

    name: str
    page: int
    caption: str
    box: tuple[float, float, float, float]
    link: str


@dataclass(frozen=True, slots=True)
class Health:
    """What a server says about itself; `reasons` says why it is not ready."""

    alive: bool
    ready: bool
    version: str
    reasons: tuple[str, ...]
    facts: Facts


def from_fields(kind: type[T], told: Facts) -> T:
    """A value of the kind from those fields that it knows."""
    return kind(**{name: told[name] for name in kind.__dataclass_fields__ if name in told})  # type: ignore[attr-defined]
