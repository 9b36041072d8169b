"""Asking providers on other machines: within their permits, not while they are away, and only as long as we may."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from pagemill import tracing
from pagemill.db import permits
from pagemill.errors import OutageError, PageUnreadable, ProviderUnavailable
from pagemill.mill import Mill
from pagemill.model.costs import Cost
from pagemill.model.pages import Page, PageError, Route, Try
from pagemill.model.work import Claim
from pagemill.reading.page.block_parts import numbered_copies
from pagemill.reading.providers.installed import ProviderKind, kind_of, remote
from pagemill.reading.recognition.handing import needs_ocr
from pagemill.reading.remote.base import Answer, Picture, TryLater
from pagemill.reading.remote.pool import Outcome, read_all

PERMIT_SECONDS = 0.25
LOW_CONFIDENCE = "low_confidence"


class Interrupted(Exception):
    """The claim was taken away, or the service stops."""


class Busy(Exception):
    """No permit was given back in time."""


@dataclass(frozen=True, slots=True)
class RemoteAnswer:
    """What a provider answered about a page, or why it did not; `wait_seconds` says that it may do so later."""

    page: Page
    failure: Try | None = None
    code: str = ""
    wait_seconds: float = 0.0

    def better_of(self, before: Page) -> Page:
        """The surer of two pages, with the record of the other; a page that no one has read has an error.

        What a text layer says is no rival on a page whose text had to be recognised, however sure it is.
        """
        no_rival = not before.blocks or (needs_ocr(before) and kind_of(before.provider) is ProviderKind.TEXT)
        if self.failure is None and (no_rival or self.page.confidence >= before.confidence):
            return replace(self.page, tries=(*before.tries, Try(before.provider, before.confidence)))
        if self.failure is None:
            return replace(before, tries=(*before.tries, Try(self.page.provider, self.page.confidence)))
        tried = replace(before, tries=(*before.tries, self.failure))
        error = PageError(self.code, self.failure.message or "")
        return tried if before.blocks else replace(tried, confidence=0.0, error=error)


def ask_provider(
    mill: Mill, claim: Claim, name: str, wanted: Mapping[int, "PageImage"]
) -> dict[int, RemoteAnswer]:
    """What a provider reads on these pages."""
    left_alone = mill.engines.breaker.wait_seconds(name)
    if left_alone:
        later = TryLater("the provider failed recently; it is retried after a pause", left_alone)
        return {number: remote_answer(name, drawn.page, later) for number, drawn in wanted.items()}
    try:
        outcomes = send_pages(mill, claim, name, wanted)
    except BaseException:
        # A process that was to find out whether the provider is back has not.
        mill.engines.breaker.release(name)
        raise
    update_breaker(mill, name, outcomes)
    return {number: remote_answer(name, wanted[number].page, outcome) for number, outcome in outcomes.items()}


def send_pages(mill: Mill, claim: Claim, name: str, wanted: Mapping[int, "PageImage"]) -> dict[int, Outcome]:
    """What came of sending these pages to a provider, with permits for them; Interrupted if no one waits any more."""
    with interruptible(mill, claim) as stop, hold_permits(mill, claim, name, len(wanted), stop) as count:
        pictures = {number: drawn.picture() for number, drawn in wanted.items()}
        started = time.perf_counter()
        with tracing.child_span("provider", provider=name, pages=len(pictures), at_once=count):
            outcomes = read_all(remote(name), pictures, count, stop)
        mill.metrics.count_providers({name: time.perf_counter() - started})
        count_calls(mill, claim, name, outcomes)
        if stop.is_set():
            raise Interrupted
    return outcomes


def count_calls(mill: Mill, claim: Claim, name: str, outcomes: Mapping[int, Outcome]) -> None:
    """Count the calls for a claim; those that were answered have their price."""
    answered = sum(isinstance(outcome, Answer) for outcome in outcomes.values())
    price = answered * mill.engines.terms.call_prices.get(name, 0.0)
    mill.costs.add(claim.key, Cost(remote_calls=len(outcomes), price=price))
    mill.metrics.count_calls(name, len(outcomes), price)


@contextmanager
def interruptible(mill: Mill, claim: Claim) -> Iterator[Event]:
    """An event that is set when the claim is taken away or the service stops."""
    stop = mill.engines.stop_of(claim.key)
    try:
        yield stop
    finally:
        mill.engines.stops.pop(claim.key, None)


@contextmanager
def hold_permits(mill: Mill, claim: Claim, name: str, wanted: int, stop: Event) -> Iterator[int]:
    """Hold permits of a provider, as many as there are up to those wanted; Busy if none comes free in time."""
    most = mill.engines.terms.at_once.get(name, wanted)
    patience = time.monotonic() + mill.settings.remote_timeout_seconds
    while not (count := mill.db.write(lambda tx: permits.take(tx, claim, name, wanted, most))):
        if stop.wait(PERMIT_SECONDS):
            raise Interrupted
        if time.monotonic() > patience:
            raise Busy
    try:
        yield count
    finally:
        # Without a database they go with the claim; what the provider answered is not thrown away for that.
        with suppress(OutageError):
            mill.db.write(lambda tx: permits.give_back(tx, claim, name))


def update_breaker(mill: Mill, name: str, outcomes: Mapping[int, Outcome]) -> None:
    """Report the outcome to the circuit breaker."""
    for outcome in outcomes.values():
        if isinstance(outcome, TryLater):
            mill.engines.breaker.record_failure(name, outcome.wait_seconds)
        else:
            mill.engines.breaker.record_success(name)


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as it is so far, and the file of its image."""

    page: Page
    file: Path
    pixels_wide: int
    pixels_high: int

    def picture(self) -> Picture:
        """The image as it is sent."""
        encoded, page = self.file.read_bytes(), self.page
        return Picture(encoded, "image/jpeg", self.pixels_wide, self.pixels_high, page.width, page.height)


def remote_answer(name: str, page: Page, outcome: Outcome) -> RemoteAnswer:
    """What came of asking for one page."""
    if isinstance(outcome, Answer):
        return RemoteAnswer(page_of(name, page, outcome))
    later = isinstance(outcome, TryLater)
    code = ProviderUnavailable.code if later else PageUnreadable.code
    wait = (outcome.wait_seconds or 1.0) if isinstance(outcome, TryLater) else 0.0
    return RemoteAnswer(page, Try(name, 0.0, str(outcome)), code, wait)


def page_of(name: str, page: Page, answer: Answer) -> Page:
    """The page as a provider on another machine read it."""
    kept = tuple(warning for warning in page.warnings if warning not in (LOW_CONFIDENCE, "no_text"))
    return replace(
        page,
        provider=name,
        blocks=numbered_copies(page.number, answer.blocks),
        confidence=answer.confidence,
        lines=(),
        error=None,
        route=Route.OCR,
        warnings=tuple(dict.fromkeys((*kept, *answer.warnings))),
        turned=answer.turned or page.turned,
    )
