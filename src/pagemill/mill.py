"""The mill: everything that a step, a command or a query needs, in one place, handed in by argument."""

import hashlib
import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from threading import BoundedSemaphore, Event

import orjson

from pagemill import failures
from pagemill.adapters.blobs.base import Blobs
from pagemill.adapters.outbound.client import Outbound
from pagemill.adapters.queues.base import Queue
from pagemill.adapters.scanners.base import Scanner
from pagemill.db.database import Database
from pagemill.db.fairness import Turns
from pagemill.embeddings import Embeddings
from pagemill.engines import Engines
from pagemill.errors import OutageError
from pagemill.failures import Caps
from pagemill.metrics import Metrics
from pagemill.model import tenants
from pagemill.model.abilities import ENRICHER, LIBREOFFICE, WorkerAbilities, chain_needs, run_needs
from pagemill.model.artifacts import CopyRequest
from pagemill.model.costs import Cost, CostLedger
from pagemill.model.document_budgets import DocumentBudgets
from pagemill.model.enriching import NAMES
from pagemill.model.extraction import EXTRACTOR_VERSION
from pagemill.model.jobs import DocumentRow
from pagemill.model.liveness import ClaimBackoff, ClaimSize, ClaimsUnderWay, Pulse
from pagemill.model.options import ReadingOptions
from pagemill.model.paths import readable_key, rendered_key
from pagemill.model.quota_cache import QuotaCache
from pagemill.model.routing_rules import RulesOfTenants
from pagemill.model.tenant_limits import LimitsOfTenants
from pagemill.model.visits import FileRequest
from pagemill.model.work import Claim, SetBack
from pagemill.notifier import Notifier
from pagemill.password_encryption import PasswordCipher
from pagemill.press import Done, Outcome, Press, SandboxMissing, Visit, cpu_seconds_of
from pagemill.press.libreoffice import LibreOffice, NotRendered, can_be_rendered
from pagemill.reading.enricher import enricher_entries, enrichers_version, packaged_enrichers
from pagemill.reading.extraction.names import VERSION as NAMES_VERSION
from pagemill.reading.tokenizer import TokenizerFile
from pagemill.settings import Settings

log = logging.getLogger("pagemill.mill")

DEFAULT_TENANT = tenants.DEFAULT_TENANT
# How often one that waits for a place looks whether it is stopped.
LOOK_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Mill:
    """The tools of one process."""

    settings: Settings
    db: Database
    blobs: Blobs
    queue: Queue
    press: Press
    passwords: PasswordCipher
    notifier: Notifier
    metrics: Metrics
    caps: Caps
    worker_id: str
    engines: Engines
    budgets: DocumentBudgets
    outbound: Outbound
    limits: LimitsOfTenants
    render_places: BoundedSemaphore
    embeddings: Embeddings
    scanner: Scanner | None = None
    renderer: LibreOffice | None = None
    tokenizer: TokenizerFile | None = None
    quotas: QuotaCache = field(default_factory=QuotaCache)
    turns: Turns = field(default_factory=Turns)
    pulse: Pulse = field(default_factory=Pulse)
    under_way: ClaimsUnderWay = field(default_factory=ClaimsUnderWay)
    backoff: ClaimBackoff = field(default_factory=ClaimBackoff)
    claim_size: ClaimSize = field(default_factory=ClaimSize)
    abilities: WorkerAbilities = field(default_factory=WorkerAbilities)
    costs: CostLedger = field(default_factory=CostLedger)
    rules: RulesOfTenants = field(default_factory=RulesOfTenants)

    def close(self) -> None:
        """Close the tools that hold files, connections or threads, also those that were never started."""
        with ExitStack() as stack:
            for close in (
                self.press.stop,
                self.db.close,
                self.blobs.close,
                self.outbound.close,
                self.embeddings.close,
            ):
                stack.callback(close)

    def visit(
        self, key: str, function: str, request: FileRequest, seconds: float, memory_bytes: int | None = None
    ) -> Visit:
        """A visit to the press, to one of the functions in `reading.visits`."""
        return Visit(key, f"pagemill.reading.visits:{function}", request, seconds, memory_bytes)

    def run_visits(self, visits: Sequence[Visit], *, small: bool = False) -> list[Outcome]:
        """Have the press make visits, and count what they cost for the claims that they are made for."""
        outcomes = self.press.run(visits, small=small)
        for visit, outcome in zip(visits, outcomes, strict=True):
            self.costs.add(visit.key, Cost(cpu_seconds=cpu_seconds_of(outcome)))
        return outcomes

    def result_fingerprint(self, sha256: str, options: ReadingOptions) -> str:
        """What makes two results the same: the document's bytes, how they are read, and by which engine."""
        version, sure = self.engines.version(options.providers), self.settings.sure_confidence
        read_by = [sha256, options.as_dict(), version, sure, *enrichers_version(options.enrich)]
        if self.wants_rendering(options):
            read_by.append(self.renderer.version if self.renderer else None)
        if options.extract or NAMES in options.enrich:
            read_by.append(self._extracted_by())
        return hashlib.sha256(orjson.dumps(read_by, option=orjson.OPT_SORT_KEYS)).hexdigest()

    def _extracted_by(self) -> list[str | int | None]:
        """What values and names are extracted with: the language model, or rules if there is none."""
        settings = self.settings
        model = (settings.llm_url, settings.llm_model, settings.llm_entity_types)
        return [*model, EXTRACTOR_VERSION, NAMES_VERSION]

    def opening_needs(self, blob_key: str, options: ReadingOptions) -> str:
        """What a worker must have that opens a stored document: providers, LibreOffice, enrichers from packages."""
        renderer = (LIBREOFFICE,) if self.will_render(blob_key, options) else ()
        enrichers = (f"{ENRICHER}{name}" for name in packaged_enrichers(options.enrich))
        return chain_needs((*options.providers, *renderer, *enrichers))

    def entries_for(self, claim: Claim) -> tuple[str, ...]:
        """What this worker has of what a claim may need, each with its version."""
        renderer = self.renderer_entries() if self.will_render(claim.blob_key, claim.options) else ()
        entries = self.engines.entries(claim.options.providers)
        return (*entries, *renderer, *enricher_entries(claim.options.enrich))

    def renderer_entries(self) -> tuple[str, ...]:
        """LibreOffice with its version, if it is here."""
        return (f"{LIBREOFFICE} {self.renderer.version}",) if self.renderer else ()

    def engines_of(self, claim: Claim) -> str:
        """The engines that this worker reads the pages of a claim's job with, as the chunks of its run name them."""
        return run_needs(self.entries_for(claim))

    def copy_image(self, document: Claim | DocumentRow, visit_key: str, *, small: bool) -> Outcome | None:
        """Make the PDF that an image is read from, beside it, unless it is there; the outcome if that brought none."""
        key = readable_key(document.blob_key)
        if key == document.blob_key or self.blobs.size(key) is not None:
            return None
        folder, _, name = key.rpartition("/")
        pages = min(self.settings.max_pages, self.settings.max_image_pages)
        pixels = self.settings.max_image_pixels
        with (
            self.blobs.local(document.blob_key, document.sha256) as path,
            self.blobs.folders([folder]) as [scratch],
        ):
            request = CopyRequest(str(path), str(scratch), name, pages, pixels)
            visit = self.visit(visit_key, "copy_image", request, self.settings.join_timeout_seconds)
            [outcome] = self.run_visits([visit], small=small)
        return None if isinstance(outcome, Done) else outcome

    def set_back_without_copy(self, claim: Claim) -> SetBack | None:
        """What follows if the image of a claim has no working copy and none can be made.

        A job that took a result over has not been planned, so there may be none before its first page is read.
        """
        outcome = self.copy_image(claim, claim.key, small=claim.small)
        return None if outcome is None else failures.set_back(claim, self.caps, self.budgets, outcome)

    def wants_rendering(self, options: ReadingOptions) -> bool:
        """Whether office files are also rendered to a PDF, by the options or by the settings."""
        usual = self.settings.render_office
        return usual == "always" or (usual == "on_request" and options.render)

    def will_render(self, blob_key: str, options: ReadingOptions) -> bool:
        """Whether a stored document is to be rendered, and of a kind that can be."""
        return self.wants_rendering(options) and can_be_rendered(blob_key)

    def render_document(self, claim: Claim) -> None:
        """Have LibreOffice make a PDF of the office file of a claim, if that is wanted; a failure is only logged."""
        stop = self.engines.stop_of(claim.key)
        try:
            self.rendering_of(claim, claim.options, stop)
        finally:
            self.engines.stops.pop(claim.key, None)

    def rendering_of(self, document: Claim | DocumentRow, options: ReadingOptions, stop: Event) -> str | None:
        """The key of the PDF that LibreOffice made of an office file, now or before; None if there is none."""
        key = rendered_key(document.blob_key)
        if not self.will_render(document.blob_key, options):
            return None
        if self.blobs.size(key) is not None:
            return key
        folder, _, name = key.rpartition("/")
        try:
            if self.renderer is None:
                raise NotRendered("LibreOffice is not installed on this machine")
            with (
                self._place_to_render(stop),
                self.blobs.local(document.blob_key, document.sha256) as path,
                self.blobs.folders([folder]) as [scratch],
            ):
                self.renderer.render(path, scratch / name, stop)
        except (NotRendered, SandboxMissing) as error:
            log.warning("an office file was not rendered: %s", error)
            return None
        return key

    @contextmanager
    def _place_to_render(self, stop: Event) -> Iterator[None]:
        """One of the places of this process for LibreOffice, as soon as one is free; NotRendered if it is stopped before."""
        while not self.render_places.acquire(timeout=LOOK_SECONDS):
            if stop.is_set():
                raise NotRendered("stopped")
        try:
            yield
        finally:
            self.render_places.release()

    @contextmanager
    def local_rendering(self, claim: Claim) -> Iterator[str | None]:
        """The path of the PDF that was made of the office file of a claim; None if there is none."""
        key = rendered_key(claim.blob_key)
        if not self.will_render(claim.blob_key, claim.options) or self.blobs.size(key) is None:
            yield None
            return
        with self.blobs.local(key) as path:
            yield str(path)

    def discard(self, prefix: str) -> None:
        """Remove files that nothing will name; those that can't be removed now are left to the sweeper."""
        try:
            self.blobs.remove(prefix)
        except OutageError as error:
            log.warning("files that are no longer needed can't be removed yet: %s", error.message)
