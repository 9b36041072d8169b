"""The grid that pages are read on.

What an engine prints for a page depends a little on the pages read with it. The windows are where the page count
alone puts them, so the result is the same however the document is cut into chunks.
"""

from collections.abc import Iterator

from pagemill.model.options import within
from pagemill.model.visits import Runs

# A call costs time that grows with the document, and memory that grows with the window.
WINDOW_PAGES = 64
LONG_DOCUMENT_PAGES, LONG_WINDOW_PAGES = 2_000, 96


def windows(total: int) -> Iterator[tuple[int, int]]:
    """The windows of a document, first and last page of each; the first is small, so that it is readable soon."""
    first, size = 1, WINDOW_PAGES
    while first <= total:
        yield first, min(first + size - 1, total)
        first, size = first + size, WINDOW_PAGES if total <= LONG_DOCUMENT_PAGES else LONG_WINDOW_PAGES


def numbers(runs: Runs) -> list[int]:
    """The pages of the runs, one by one."""
    return [page for first, last in runs for page in range(first, last + 1)]


def cuts(total: int, selected: Runs) -> Runs:
    """One chunk per window that has selected pages, from its first to its last selected page."""
    parts = (within(selected, first, last) for first, last in windows(total))
    return tuple((part[0][0], part[-1][1]) for part in parts if part)


def batches(total: int, selected: Runs, first: int, last: int) -> Iterator[tuple[list[int], list[int]]]:
    """For each window that a chunk touches: the pages to read together, and those of them that are the chunk's."""
    for start, end in windows(total):
        wanted = within(selected, max(first, start), min(last, end)) if start <= last and end >= first else ()
        if wanted:
            yield numbers(within(selected, start, end)), numbers(wanted)
