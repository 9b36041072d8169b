"""Work: what a worker has claimed, and what it found."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pagemill.model.costs import NO_COST, Cost
from pagemill.model.document_facts import FactsView
from pagemill.model.index_feed import IndexFeed
from pagemill.model.labelled_classes import StoredClass
from pagemill.model.options import ReadingOptions, select_pages, within
from pagemill.model.states import Lane, Step


@dataclass(frozen=True, slots=True)
class Claim:
    """A chunk that is ours until its fence is raised."""

    chunk_id: str
    fence: int
    job_id: str
    tenant: str
    run: int
    step: Step
    lane: Lane
    options: ReadingOptions
    small: bool
    first_page: int | None
    last_page: int | None
    single: bool
    crashes: int
    errors: int
    lost: int
    claimed_at: float
    blob_key: str
    sha256: str
    fingerprint: str
    document_pages: int | None
    password: bytes | None = field(repr=False)
    named: tuple[str, ...] | None = None
    # When it could have been claimed for the first time, and the trace that its document belongs to.
    due_at: float = 0.0
    traceparent: str | None = None
    created_at: float = 0.0
    # What a worker must have to take it, as `model.abilities` has it.
    needs: str | None = None

    @property
    def age_seconds(self) -> float:
        """How long after it was made the chunk was claimed."""
        return self.claimed_at - self.created_at

    @property
    def chain(self) -> tuple[str, ...]:
        """The providers to try: those that the chunk was made for, or the job's."""
        return self.named or self.options.providers

    @property
    def key(self) -> str:
        """The claim's name in the press and in paths; no other claim ever has it."""
        return f"{self.chunk_id}.{self.fence}"

    @property
    def is_one_page(self) -> bool:
        """Whether the chunk has a single page."""
        return self.first_page is not None and self.first_page == self.last_page

    @property
    def pages(self) -> list[int]:
        """The pages that the chunk is to read; known after the plan."""
        selected = select_pages(self.options.pages, self.document_pages or 0)
        runs = within(selected, self.first_page or 1, self.last_page or 0)
        return [page for start, end in runs for page in range(start, end + 1)]

    @property
    def count(self) -> int:
        """How many pages the chunk is to read."""
        return self.count_between(self.first_page or 1, self.last_page or 0)

    def count_between(self, first: int, last: int) -> int:
        """How many pages between two pages the job is to read."""
        runs = within(select_pages(self.options.pages, self.document_pages or 0), first, last)
        return sum(end - start + 1 for start, end in runs)


@dataclass(frozen=True, slots=True)
class ClaimHolder:
    """The worker that holds a claim, and those that have vanished with its chunk before, separated by spaces."""

    worker_id: str | None = None
    lost_by: str | None = None

    @property
    def has_lost_it_before(self) -> bool:
        """Whether it is one of those."""
        return self.worker_id is not None and self.worker_id in (self.lost_by or "").split()

    @property
    def lost_by_now(self) -> str | None:
        """Those that have vanished with the chunk, now that this one has, too."""
        return " ".join(one for one in (self.lost_by, self.worker_id) if one) or None


@dataclass(frozen=True, slots=True)
class PageFailure:
    """A page that could not be read, and why."""

    page: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class WrittenArtifact:
    """A file that we made."""

    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Planned:
    """The document is open, counted and cut into chunks."""

    claim: Claim
    document_pages: int
    pages: tuple[tuple[int, int], ...]
    cuts: tuple[tuple[int, int], ...]
    warnings: tuple[str, ...]
    seconds: float
    cost: Cost = NO_COST
    # What the chunks of the document need.
    needs: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentFetched:
    """The bytes of a document that came by URL are stored; `reusable_id` is the result that can be used again."""

    claim: Claim
    blob_key: str
    sha256: str
    size_bytes: int
    media_type: str
    filename: str | None
    lane: Lane
    is_small: bool
    fingerprint: str
    seconds: float
    reusable_id: str | None = None
    # What is done with the document, which may depend on what it turned out to be.
    options: ReadingOptions | None = None
    cost: Cost = NO_COST
    # What a worker must have to open it.
    needs: str | None = None


@dataclass(frozen=True, slots=True)
class PagesRead:
    """The pages of a chunk have been read into `output`, but for those that are handed on to be recognised, in `lane`."""

    claim: Claim
    output: str
    pages: int
    failed: tuple[PageFailure, ...]
    seconds: float
    handed: tuple[tuple[int, int], ...] = ()
    lane: Lane = Lane.OCR
    cost: Cost = NO_COST


@dataclass(frozen=True, slots=True)
class ResultSigns:
    """What of a result its class and its rules are decided by; None where it was not asked for."""

    classification: StoredClass | None = None
    entities: tuple[tuple[str, str], ...] | None = None


NO_SIGNS = ResultSigns()


@dataclass(frozen=True, slots=True)
class DocumentJoined:
    """The artifacts of a whole document are under `prefix`; `feed` is what the search index gets of it."""

    claim: Claim
    prefix: str
    artifacts: Mapping[str, WrittenArtifact]
    document_pages: int
    pages: int
    failed: tuple[PageFailure, ...]
    warnings: tuple[str, ...]
    seconds: Mapping[str, float]
    fingerprint: str
    to_check: tuple[int, ...] = ()
    facts: FactsView | None = None
    cost: Cost = NO_COST
    feed: IndexFeed | None = None
    # The engines of the worker that joined it.
    engines: str | None = None
    signs: ResultSigns = NO_SIGNS
    # The names of the enrichments that are in it, and the codes of those that could not be made, by name.
    enriched: tuple[str, ...] = ()
    not_enriched: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Retry:
    """Try the chunk again after a while; `counter` names what went up, None if nothing did.

    `single` has what is planned next read page by page, `alone` keeps the chunk out of batches from now on, and
    `lost_by` are the workers that have vanished with it so far.
    """

    counter: str | None
    wait_seconds: float
    single: bool = False
    alone: bool = False
    lost_by: str | None = None


@dataclass(frozen=True, slots=True)
class Split:
    """Read the chunk page by page from now on."""

    counter: str


@dataclass(frozen=True, slots=True)
class PagesLost:
    """The pages of the chunk can't be read; the rest of the document can."""

    counter: str | None
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class JobLost:
    """The job can't be done; `page` is the one that was the reason."""

    counter: str | None
    code: str
    message: str
    retryable: bool
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Dropped:
    """The claim is no longer ours; there is nothing to write."""


Verdict = Retry | Split | PagesLost | JobLost | Dropped


@dataclass(frozen=True, slots=True)
class SetBack:
    """The visit to the press did not work out, and what follows from it."""

    claim: Claim
    verdict: Verdict
    code: str
    message: str
    seconds: float = 0.0
    signal: int | None = field(default=None)
    cost: Cost = NO_COST


Finding = DocumentFetched | Planned | PagesRead | DocumentJoined | SetBack
