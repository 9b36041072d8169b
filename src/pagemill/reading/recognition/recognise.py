"""Recognition: the text of a page goes through a chain of recognisers; who is sure enough ends it, the best answer stays."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pagemill.errors import PageUnreadable
from pagemill.model.pages import OCR_FAILED, Page, PageError, Route, Try
from pagemill.model.visits import ReadAnswer, RenderRequest, ScanRequest, picture_name
from pagemill.reading.ocr.recogniser import Recogniser
from pagemill.reading.page.page_files import write_pages
from pagemill.reading.pdf.render import POINTS_PER_INCH, render
from pagemill.reading.provider import MissingLanguage, reason_without_path
from pagemill.reading.providers.chain import Chain, ReadableDocument, text_chain
from pagemill.reading.providers.installed import recogniser
from pagemill.reading.recognition.comparing import FORCED
from pagemill.reading.recognition.handing import needs_ocr
from pagemill.reading.recognition.scans import read_scan

CRASHED = "it crashed or took too long"
# Print has no more to show than this.
MOST_DPI = 300


def recognise_chunk(request: ScanRequest) -> ReadAnswer:
    """Recognise the pages of a chunk into its page file."""
    turn = Round(
        request,
        text_chain(request.providers),
        ScanChain(
            [recogniser(name) for name in request.recognisers],
            request.sure,
            request.languages,
            request.crashed,
        ),
    )
    tally = write_pages(turn.pages(), request.scratch)
    seconds = turn.texts.seconds | turn.scans.seconds
    return ReadAnswer(
        tally.pages,
        tuple(tally.failed),
        tuple(tally.warnings),
        seconds,
        unsure=tuple(turn.unsure),
        pictures=tuple(turn.pictures),
    )


@dataclass(slots=True)
class Round:
    """The pages of a chunk as they are recognised, and those that no engine is sure of."""

    request: ScanRequest
    texts: Chain
    scans: "ScanChain"
    unsure: list[int] = field(default_factory=list)
    pictures: list[tuple[int, int, int]] = field(default_factory=list)

    def pages(self) -> Iterator[Page]:
        """Each page, read from its text layer first."""
        source = ReadableDocument(self.request.path, self.request.password)
        for number in self.request.pages:
            [page] = self.texts.read(source, [number], [number])
            read = self.scans.read(source, force_ocr(page) if self.request.force else page)
            if self._is_unsure(read):
                self.unsure.append(number)
                self._draw(page)
            yield read

    def _is_unsure(self, page: Page) -> bool:
        """Whether another provider should read a page: one without OCR is as sure as its text layer."""
        unread = OCR_FAILED in page.warnings or (not self.request.recognisers and needs_ocr(page))
        return unread or page.error is not None or page.confidence < self.request.sure

    def _draw(self, page: Page) -> None:
        """Draw a page for remote providers, if there are any."""
        request, longest = self.request, max(page.width, page.height)
        if request.picture_pixels and longest:
            dpi = min(int(request.picture_pixels * POINTS_PER_INCH / longest), MOST_DPI)
            name = picture_name(page.number)
            drawn = render(
                RenderRequest(request.path, request.scratch, page.number, name, request.password, dpi, "jpeg")
            )
            self.pictures.append((page.number, drawn.width, drawn.height))


@dataclass(slots=True)
class ScanChain:
    """Recognisers in the order they are tried, and the time that each of them took."""

    recognisers: Sequence[Recogniser]
    sure: float
    languages: Sequence[str] = ()
    crashed: Sequence[str] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def read(self, source: ReadableDocument, page: Page) -> Page:
        """The page as the surest recogniser reads it, with the record of the others' tries."""
        if self.crashed:
            return keep_text_layer(page, [Try(name, 0.0, CRASHED) for name in self.crashed])
        if not self.recognisers:
            return page
        best: Page | None = None
        tries: list[Try] = []
        self.missing.clear()
        for engine in self.recognisers:
            answer = self._ask_recogniser(engine, source, page)
            if answer.error is None and (best is None or answer.confidence > best.confidence):
                answer, best = best or page, answer
            if answer is not page:
                tries.append(_try(answer))
            if best and best.confidence >= self.sure:
                break
        if self.missing and (best is None or best.confidence < self.sure):
            # What others have read is a guess at characters that they do not know.
            return unread(page, [*tries, _try(best)] if best else tries, self.missing[0])
        return replace(best, tries=(*page.tries, *tries)) if best else keep_text_layer(page, tries)

    def _ask_recogniser(self, recogniser: Recogniser, source: ReadableDocument, page: Page) -> Page:
        """What one recogniser answers; a page with an error if it fails."""
        started = time.perf_counter()
        try:
            return read_scan(source, page, recogniser, self.languages)
        except MemoryError:
            # Not the recogniser's word but the press's limit; the press says so itself.
            raise
        except Exception as error:
            message = reason_without_path(error, source.path)
            if isinstance(error, MissingLanguage):
                self.missing.append(message)
            return replace(
                page,
                provider=recogniser.name,
                confidence=0.0,
                error=PageError(PageUnreadable.code, message),
            )
        finally:
            taken = time.perf_counter() - started
            self.seconds[recogniser.name] = self.seconds.get(recogniser.name, 0.0) + taken


def force_ocr(page: Page) -> Page:
    """The page, to be recognised as a whole whatever its text layer says."""
    return replace(page, route=Route.OCR, reason=FORCED)


def keep_text_layer(page: Page, tries: Sequence[Try]) -> Page:
    """A page that no engine could recognise: what its text layer has is kept, an empty one has failed."""
    kept = replace(page, tries=(*page.tries, *tries), warnings=(*page.warnings, OCR_FAILED))
    if page.blocks:
        return kept
    return replace(kept, confidence=0.0, error=PageError(PageUnreadable.code, PageUnreadable.advice()))


def unread(page: Page, tries: Sequence[Try], message: str) -> Page:
    """A page in a script that no engine here reads: what its text layer has is kept, and why there is no more is said."""
    kept = keep_text_layer(page, tries)
    return replace(kept, error=PageError(PageUnreadable.code, message)) if kept.error else kept


def _try(page: Page) -> Try:
    return Try(page.provider, page.confidence, page.error.message if page.error else None)
