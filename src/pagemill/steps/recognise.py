"""Recognise: run OCR on pages, with the engines of the press and those on other machines.

The providers of the chain are tried in order until one is confident enough of the page.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pagemill import failures
from pagemill.db.database import Tx
from pagemill.engines import Relay
from pagemill.mill import Mill
from pagemill.model.messages import Message
from pagemill.model.pages import Page
from pagemill.model.paths import pages_prefix, readable
from pagemill.model.visits import PAGES_FILE, ReadAnswer, ScanRequest, picture_name
from pagemill.model.work import Claim, Finding, PageFailure, PagesRead, SetBack
from pagemill.press import Done, Outcome
from pagemill.progress import finish_reading
from pagemill.reading.page.page_json import page_bytes, page_from
from pagemill.reading.providers.installed import ProviderKind
from pagemill.remote_pages import Busy, Interrupted, PageImage, RemoteAnswer, ask_provider


def recognise(mill: Mill, claims: Sequence[Claim]) -> list[Finding]:
    """Recognise the pages of each claim."""
    return [recognise_one(mill, claim) for claim in claims]


def recognise_one(mill: Mill, claim: Claim) -> Finding:
    """Recognise the pages of one chunk into a file of their own."""
    if setback := failures.set_back_over_budget(claim, mill.budgets) or mill.set_back_without_copy(claim):
        return setback
    with (
        mill.blobs.local(*readable(claim)) as path,
        mill.local_rendering(claim) as rendered,
        mill.blobs.folders([pages_prefix(claim)]) as [scratch],
    ):
        work = Recognition(mill, claim, str(path), scratch, rendered=rendered)
        setback = try_relays(work, relays_of(mill, claim))
        if setback is None:
            work.remove_images()
            return work.finding()
    mill.discard(pages_prefix(claim))
    return setback


def try_relays(work: "Recognition", relays: Sequence[Relay]) -> SetBack | None:
    """What went wrong, if it did; what is given back is not counted."""
    try:
        return work.try_each(relays)
    except Interrupted:
        return failures.set_back_for_return(work.claim)
    except Busy:
        return failures.set_back_while_busy(work.claim)


def relays_of(mill: Mill, claim: Claim) -> list[Relay]:
    """Who is asked, in order; one that crashed over the page is not asked again."""
    relays = mill.engines.relays(claim.chain)
    if claim.single and relays and relays[0].kind is ProviderKind.RECOGNISER:
        left = relays[0].names[claim.crashes :]
        relays = [replace(relays[0], names=left), *relays[1:]] if left else relays[1:]
    return relays or [Relay(ProviderKind.RECOGNISER, ())]


def crashed_providers(mill: Mill, claim: Claim) -> tuple[str, ...]:
    """The providers that crashed over a page that no other provider can be asked about."""
    names = tuple(name for relay in mill.engines.relays(claim.chain) for name in relay.names)
    return names if claim.single and not relays_of(mill, claim)[0].names else ()


@dataclass(slots=True)
class Recognition:
    """The pages of a chunk on their way from provider to provider."""

    mill: Mill
    claim: Claim
    path: str
    scratch: Path
    rendered: str | None = None
    unsure: tuple[int, ...] = ()
    seconds: float = 0.0
    failed: tuple[PageFailure, ...] = ()
    wait_seconds: float = 0.0
    kept: dict[int, Page] = field(default_factory=dict)
    sizes: dict[int, tuple[int, int]] = field(default_factory=dict)

    def try_each(self, relays: Sequence[Relay]) -> SetBack | None:
        """Ask one after the other until all pages are sure; what went wrong, if no page was read at all."""
        self.unsure = tuple(self.claim.pages)
        if relays[0].kind is ProviderKind.REMOTE:
            relays = [Relay(ProviderKind.RECOGNISER, ()), *relays]
        for relay in relays:
            if not self.unsure:
                return None
            if relay.kind is ProviderKind.REMOTE:
                self.ask_remote(relay.names)
            elif (outcome := self.recognise_in_press(relay.names)) is not None:
                return failures.set_back(self.claim, self.mill.caps, self.mill.budgets, outcome)
        return self.set_back_if_unanswered()

    def recognise_in_press(self, recognisers: tuple[str, ...]) -> Outcome | None:
        """Have the press recognise the pages that no one is sure of; the outcome if it brought no answer."""
        request = scan_request(self, recognisers)
        seconds = self.mill.settings.ocr_timeout_seconds * max(1, len(recognisers)) * len(self.unsure)
        memory_bytes = self.mill.settings.ocr_memory_bytes
        visit = self.mill.visit(self.claim.key, "read_scans", request, seconds, memory_bytes)
        [outcome] = self.mill.run_visits([visit])
        if not isinstance(outcome, Done):
            return outcome
        answer = ReadAnswer.from_bytes(outcome.answer)
        self.mill.metrics.count_providers(answer.seconds)
        self.seconds += outcome.seconds
        self.unsure, self.failed = answer.unsure, answer.failed
        self.sizes = {page: (wide, high) for page, wide, high in answer.pictures}
        if self.kept:
            self.take(self.kept, {page.number: RemoteAnswer(page) for page in self.pages()})
        return None

    def ask_remote(self, names: Sequence[str]) -> None:
        """Ask providers on other machines for the pages that no one is sure of, and keep the better answers."""
        for name in names:
            self.kept = self.kept or {page.number: page for page in self.pages()}
            # Of a page that can't be drawn there is nothing to send.
            wanted = {number: self.page_image(number) for number in self.unsure if number in self.sizes}
            if wanted:
                self.take(self.kept, ask_provider(self.mill, self.claim, name, wanted))

    def page_image(self, number: int) -> PageImage:
        """A page with its image."""
        return PageImage(self.kept[number], self.scratch / picture_name(number), *self.sizes[number])

    def take(self, pages: dict[int, Page], answers: dict[int, RemoteAnswer]) -> None:
        """Put the answers that are better than what is there in its place."""
        for number, answer in answers.items():
            pages[number] = answer.better_of(pages[number])
            self.wait_seconds = max(self.wait_seconds, answer.wait_seconds)
        lines = [page_bytes(page) + b"\n" for page in pages.values()]
        (self.scratch / PAGES_FILE).write_bytes(b"".join(lines))
        sure = self.mill.settings.sure_confidence
        self.unsure = tuple(n for n in self.unsure if pages[n].error or pages[n].confidence < sure)
        found = [page for page in pages.values() if page.error]
        self.failed = tuple(PageFailure(p.number, p.error.code, p.error.message) for p in found if p.error)

    def pages(self) -> list[Page]:
        """The pages as they are so far."""
        return [page_from(line) for line in (self.scratch / PAGES_FILE).read_bytes().splitlines()]

    def set_back_if_unanswered(self) -> SetBack | None:
        """A set-back if a provider that is away is all that a page was waiting for."""
        claim, wait_seconds = self.claim, self.wait_seconds
        self.failed = self.failed or failures.unread_by_named(claim, self.pages(), is_away=wait_seconds > 0)
        return failures.set_back_unanswered(
            claim, self.mill.caps, self.failed, wait_seconds=wait_seconds, seconds=self.seconds
        )

    def remove_images(self) -> None:
        """Remove the images that were made for other machines."""
        for file in self.scratch.glob("picture-*"):
            file.unlink()

    def finding(self) -> PagesRead:
        """The pages are read."""
        read = self.claim.count - len(self.failed)
        return PagesRead(self.claim, pages_prefix(self.claim), read, self.failed, self.seconds)


def scan_request(work: Recognition, recognisers: tuple[str, ...]) -> ScanRequest:
    """What the press is asked; images of the pages are made if someone elsewhere may be asked for them."""
    mill, claim = work.mill, work.claim
    return ScanRequest(
        path=work.path,
        scratch=str(work.scratch),
        pages=work.unsure,
        providers=mill.engines.text(claim.chain),
        recognisers=recognisers,
        sure=mill.settings.sure_confidence,
        languages=claim.options.languages,
        password=mill.passwords.decrypt(claim.password),
        crashed=crashed_providers(mill, claim),
        force=claim.options.ocr == "force" or claim.named is not None,
        picture_pixels=mill.engines.picture_pixels(claim.chain),
        tracked_changes=claim.options.tracked_changes,
        rendered=work.rendered,
    )


def record(tx: Tx, read: PagesRead) -> list[Message]:
    """Write where the recognised pages are, and settle them."""
    return finish_reading(tx, read)
