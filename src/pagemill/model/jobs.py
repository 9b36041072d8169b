"""Jobs, their documents and their results, as the rows hold them."""

from dataclasses import dataclass, field

from typing_extensions import TypedDict

from pagemill.model.costs import Cost
from pagemill.model.document_facts import FactsView
from pagemill.model.labelled_classes import StoredClass
from pagemill.model.options import StoredOptions
from pagemill.model.states import TERMINAL, Status


class StoredError(TypedDict):
    """Why a job failed."""

    code: str
    message: str
    stage: str
    retryable: bool
    page: int | None


class StoredFailedPage(TypedDict):
    """A page that could not be read, and why."""

    page: int
    code: str
    message: str


class StoredArtifact(TypedDict):
    """A file that we made."""

    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class JobRow:
    """One request to process a document."""

    id: str
    tenant: str
    document_id: str
    run: int
    status: str
    stage: str
    lane: str
    priority: int
    options: StoredOptions
    metadata: dict[str, str]
    fingerprint: str
    password: bytes | None = field(repr=False)
    document_pages: int | None
    total_pages: int | None
    processed_pages: int
    failed_pages: list[StoredFailedPage]
    warnings: list[str]
    error: StoredError | None
    crashes: int
    errors: int
    lost: int
    chunks_left: int
    result_id: str | None
    revision: int
    reused: bool
    seconds: dict[str, float]
    version: int
    last_seq: int
    created_at: float
    started_at: float | None
    finished_at: float | None
    expires_at: float
    removed_at: float | None
    to_check: list[int] | None = None
    document_facts: FactsView | None = None
    cpu_seconds: float = 0.0
    remote_calls: int = 0
    price: float = 0.0
    classification: StoredClass | None = None

    @property
    def cost(self) -> Cost:
        """What the job has cost so far, over all runs."""
        return Cost(self.cpu_seconds, self.remote_calls, self.price)

    @property
    def is_over(self) -> bool:
        """Whether the job has ended, in whatever way."""
        return Status(self.status) in TERMINAL

    @property
    def had_password(self) -> bool:
        """Whether the job was given a password, which is erased when a run ends: an empty one is left in its place."""
        return self.password is not None


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """The bytes that somebody gave us."""

    id: str
    tenant: str
    sha256: str
    size_bytes: int
    media_type: str
    filename: str
    blob_key: str
    created_at: float
    source_url: str | None = None

    @property
    def is_here(self) -> bool:
        """Whether the bytes have arrived; those of a document by URL come later than its job."""
        return bool(self.sha256)


@dataclass(frozen=True, slots=True)
class Result:
    """What was made of a document."""

    id: str
    tenant: str
    fingerprint: str
    prefix: str
    artifacts: dict[str, StoredArtifact]
    document_pages: int
    pages: int
    failed_pages: list[StoredFailedPage]
    warnings: list[str]
    complete: bool
    created_at: float
    to_check: list[int] | None = None
    document_facts: FactsView | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of pages of a job and its state."""

    id: str
    job_id: str
    tenant: str
    run: int
    step: str
    lane: str
    first_page: int | None
    last_page: int | None
    single: bool
    state: str
    fence: int
    worker_id: str | None
    crashes: int
    errors: int
    lost: int
    output: str | None
    failed_pages: list[StoredFailedPage]
    handed_pages: list[int]
    providers: list[str] | None
    needs: str | None = None


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that does work, and when it was last heard of."""

    id: str
    tenant: str
    host: str
    pid: int
    slots: int
    lanes: list[str]
    started_at: float
    seen_at: float
    pages_per_second: float
    draining: bool = False
    version: str = ""
    engines: list[str] = field(default_factory=list)
    trouble: str | None = None
