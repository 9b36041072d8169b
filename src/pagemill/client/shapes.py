"""The shapes of the API, generated from its OpenAPI document by `make docs`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pagemill.client.shape import ApiShape, JobShape


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineView(ApiShape):
    """A bookmark: its title, its depth from 1, and the page that it leads to."""

    title: str
    level: int
    page: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentView(ApiShape):
    """A file inside the document."""

    name: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsView(ApiShape):
    """What a document says of itself; nothing of it is checked."""

    title: str | None = None
    authors: tuple[str, ...]
    subject: str | None = None
    keywords: str | None = None
    creator: str | None = None
    producer: str | None = None
    created_at: str | None = None
    modified_at: str | None = None
    language: str | None = None
    outline: tuple[OutlineView, ...]
    page_labels: tuple[str, ...] | None = None
    attachments: tuple[AttachmentView, ...]
    tagged: bool
    signed: bool
    pdf_a: str | None = None
    shortened: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Document(ApiShape):
    """The document of a job."""

    id: str
    filename: str
    size_bytes: int
    sha256: str
    media_type: str
    source_url: str | None = None
    facts: FactsView | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification(ApiShape):
    """The class of a document and why."""

    name: str
    by: str
    score: float
    type: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedPage(ApiShape):
    """A page that could not be read, and why."""

    page: int
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobError(ApiShape):
    """Why a job failed."""

    code: str
    message: str
    stage: str
    retryable: bool
    page: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters(ApiShape):
    """How often something went wrong on the way."""

    crashes: int
    errors: int
    lost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CostView(ApiShape):
    """What reading took: CPU seconds here, calls to providers on other machines, and their price by the settings."""

    cpu_seconds: float
    remote_calls: int
    price: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(JobShape):
    """One request to process a document, and its state."""

    id: str
    status: str
    stage: str
    lane: str
    tenant: str
    priority: int
    document: Document
    options: Mapping[str, Any]
    metadata: Mapping[str, str]
    classification: Classification | None = None
    document_pages: int | None = None
    total_pages: int | None = None
    processed_pages: int
    failed_pages: tuple[FailedPage, ...]
    warnings: tuple[str, ...]
    to_check: tuple[int, ...]
    lacks_text: bool
    error: JobError | None = None
    counters: Counters
    run: int
    revision: int
    reused: bool
    queue_position: int | None = None
    eta_seconds: float | None = None
    seconds: Mapping[str, float]
    cost: CostView
    created_at: str
    started_at: str | None = None
    finished_at: str | None = None
    expires_at: str
    version: int
    links: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(ApiShape):
    """One line of the event log."""

    id: int
    type: str
    job_id: str | None = None
    seq: int | None = None
    at: str
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts(ApiShape):
    """Who read a page, how, how surely, and how large it is."""

    width: float
    height: float
    provider: str
    route: str
    confidence: float
    fell_back: bool
    to_check: bool
    has_image: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PageState(ApiShape):
    """A page and how far it is."""

    number: int
    state: str
    facts: PageFacts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact(ApiShape):
    """Something that can be had of a job."""

    name: str
    media_type: str
    size_bytes: int | None = None
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactLink(ApiShape):
    """A link to a file in the blob store."""

    url: str = field(repr=False)
    expires_at: str
    filename: str
    media_type: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadLink(ApiShape):
    """Where a document may be sent, past the service."""

    upload_id: str
    url: str = field(repr=False)
    method: str
    headers: Mapping[str, str]
    expires_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(ApiShape):
    """A table of the document."""

    name: str
    page: int
    caption: str
    rows: int
    columns: int
    size_bytes: int
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Image(ApiShape):
    """A figure of the document."""

    name: str
    page: int
    caption: str
    box: tuple[float, float, float, float]
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundBox(ApiShape):
    """Where something that was found is printed."""

    page: int
    block: str | None = None
    box: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundChunk(ApiShape):
    """A chunk of a document that was found."""

    job_id: str
    filename: str
    media_type: str
    created_at: str
    metadata: Mapping[str, str]
    chunk: str
    headings: tuple[str, ...]
    page: int
    boxes: tuple[FoundBox, ...]
    snippet: str
    highlights: tuple[tuple[int, ...], ...]
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResults(ApiShape):
    """What was found, best first."""

    total: int
    total_is_exact: bool
    matched: str
    hits: tuple[FoundChunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedLabel(ApiShape):
    """A collection or a tag, and how many jobs have it."""

    name: str
    jobs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedLabels(ApiShape):
    """The labels that jobs have, most used first; up to 1,000 of each."""

    collections: tuple[UsedLabel, ...]
    tags: tuple[UsedLabel, ...]
