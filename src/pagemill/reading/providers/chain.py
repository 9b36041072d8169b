"""Reading pages through a chain of providers: what one refuses, the next one tries."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pagemill.errors import PageUnreadable
from pagemill.model.pages import Page, PageError, Route, Try
from pagemill.reading.provider import Provider, reason_without_path, unread_page
from pagemill.reading.providers.installed import text_provider


@dataclass(frozen=True, slots=True)
class ReadableDocument:
    """A document to be read, and how it is opened."""

    path: str
    password: str | None = None


def text_chain(names: Sequence[str]) -> "Chain":
    """The chain of text providers of these names."""
    return Chain([text_provider(name) for name in names])


@dataclass(slots=True)
class Chain:
    """Providers in the order they are tried, and the time that each of them took."""

    providers: Sequence[Provider]
    seconds: dict[str, float] = field(default_factory=dict)

    def read(
        self, source: ReadableDocument, together: Sequence[int], wanted: Sequence[int]
    ) -> Iterator[Page]:
        """The wanted pages in order, read with a look at those that are read together with them."""
        pages = self._ask_provider(self.providers[0], source, together, wanted)
        for provider in self.providers[1:]:
            if wanting := [number for number, page in pages.items() if _is_wanting(page)]:
                answers = self._ask_provider(provider, source, wanting, wanting)
                pages |= {number: _better(pages[number], page) for number, page in answers.items()}
        yield from (_settle(pages[number]) for number in wanted)

    def _ask_provider(
        self, provider: Provider, source: ReadableDocument, together: Sequence[int], wanted: Sequence[int]
    ) -> dict[int, Page]:
        """What one provider answers; a refusal of the whole document counts for each page."""
        started = time.perf_counter()
        try:
            answers = provider.read(source.path, together, source.password)
            own = set(wanted)
            pages = {page.number: page for page in answers if page.number in own}
        except MemoryError:
            # Not the provider's word but the press's limit; the press says so itself.
            raise
        except Exception as error:
            message = reason_without_path(error, source.path)
            pages = {number: unread_page(provider.name, number, message) for number in wanted}
        taken = time.perf_counter() - started
        self.seconds[provider.name] = self.seconds.get(provider.name, 0.0) + taken
        return pages


def _is_wanting(page: Page) -> bool:
    """Whether another provider may find more text; a page of which there is only a picture is not asked for again."""
    return page.error is not None or (not page.blocks and page.route is not Route.OCR)


def _better(before: Page, page: Page) -> Page:
    """A later provider's page, with the record of the earlier one's failure; a page that both find empty stays."""
    if before.error is None and not page.blocks:
        return before
    return replace(page, tries=(*before.tries, _failure(before)))


def _failure(page: Page) -> Try:
    return Try(page.provider, 0.0, page.error.message if page.error else "nothing was found")


def _settle(page: Page) -> Page:
    """The page as it stays: a failed one says so in the same words, whichever provider refused it last."""
    if page.error is None:
        return page
    error = PageError(PageUnreadable.code, PageUnreadable.advice())
    return replace(page, error=error, tries=(*page.tries, _failure(page)), confidence=0.0)
