"""Page files: the pages of a chunk, one per line, and the files of a document laid over each other."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush, heapreplace, merge
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from pagemill.model.pages import MOST_TO_CHECK, Page, PageError, needs_check
from pagemill.model.visits import PAGES_FILE
from pagemill.model.work import PageFailure
from pagemill.reading.page.page_json import page_bytes, page_from


@dataclass(slots=True)
class Tally:
    """Counts pages, failures and warnings as the pages go by."""

    pages: int = 0
    failed: list[PageFailure] = field(default_factory=list)
    warnings: dict[str, None] = field(default_factory=dict)
    to_check: list[int] = field(default_factory=list)

    def add(self, page: Page) -> None:
        """One more page."""
        self.pages += 1
        doubtful = needs_check(
            failed=page.error is not None, tried_before=bool(page.tries), confidence=page.confidence
        )
        if doubtful and len(self.to_check) < MOST_TO_CHECK:
            self.to_check.append(page.number)
        self.warnings.update(dict.fromkeys(page.warnings))
        if page.error:
            self.failed.append(PageFailure(page.number, page.error.code, page.error.message))


def write_pages(pages: Iterable[Page], scratch: str, handed: Collection[int] = ()) -> Tally:
    """Write the page file; pages that are handed on are in it as they are so far, and are not counted."""
    tally = Tally()
    with open(Path(scratch) / PAGES_FILE, "wb") as file:
        for page in pages:
            if page.number not in handed:
                tally.add(page)
            file.write(page_bytes(page) + b"\n")
    return tally


@dataclass(frozen=True, slots=True)
class PageFiles:
    """The pages of a document in files, and those that no file has."""

    files: Sequence[str]
    failed: Sequence[PageFailure] = ()

    def pages(self) -> Iterator[Page]:
        """All pages in order, one at a time; of a page that failed, what is in a file is kept."""
        absent = (_absent(page) for page in sorted(self.failed, key=lambda page: page.page))
        every = merge(overlaid(map(_pages_in, self.files)), absent, key=_number)
        for _, same in groupby(every, key=_number):
            first, *failures = same
            yield replace(first, error=failures[0].error, confidence=0.0) if failures else first


Stream = tuple[int, int, Page, Iterator[Page]]


def overlaid(files: Iterable[Iterator[Page]]) -> Iterator[Page]:
    """The pages of files that come in the order of their first pages, each once: as the latest file has it.

    A file is opened when its first page is due, so that few are open at a time.
    """
    due: list[Stream] = []
    later = _start_streams(files)
    ahead = next(later, None)
    last = 0
    while due or ahead:
        while ahead and (not due or ahead[0] <= due[0][0]):
            heappush(due, ahead)
            ahead = next(later, None)
        number, rank, page, rest = due[0]
        following = next(rest, None)
        if following:
            heapreplace(due, (following.number, rank, following, rest))
        else:
            heappop(due)
        if number != last:
            last = number
            yield page


def _start_streams(files: Iterable[Iterator[Page]]) -> Iterator[Stream]:
    """Each file with its first page and a rank that puts later files in front; empty ones are passed over."""
    for rank, pages in enumerate(files):
        first = next(pages, None)
        if first:
            yield first.number, -rank, first, pages


def _pages_in(name: str) -> Iterator[Page]:
    with open(name, "rb") as file:
        yield from map(page_from, file)


_number = attrgetter("number")


def _absent(page: PageFailure) -> Page:
    return Page(page.page, 0, 0, "", confidence=0.0, error=PageError(page.code, page.message))
