"""Documents that were also rendered to a PDF: their pages are those of the PDF, and their blocks have boxes on them.

The text and its structure stay those of the file. What is not found among the printed words keeps no box.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Protocol

from pagemill.model.pages import Block, Box, Cell, Kind, Page, Part, Rows
from pagemill.reading.office.alignment import Aligner
from pagemill.reading.office.printed_words import PrintedWord, PrintedWords, tokens

FLOATING_ROLES = ("comment", "text_box", "speaker_notes")


class Paged(Protocol):
    """A document whose pages can be asked for."""

    @property
    def total_pages(self) -> int:
        """How many pages there are."""
        ...

    def pages(self, numbers: Sequence[int]) -> Iterator[Page]:
        """The pages with these numbers."""
        ...


@dataclass(slots=True)
class PlacedBlock:
    """A block and the printed words of its text; for a table those of each cell, in order."""

    block: Block
    words: list[list[PrintedWord]]
    page: int = 0

    @property
    def pages(self) -> list[int]:
        """The pages that its words are on, in order."""
        return sorted({word.page for part in self.words for word in part})


@dataclass
class RenderedPages:
    """Slides or sheets, each of which is one page of the PDF."""

    inner: Paged
    printed: PrintedWords

    @property
    def total_pages(self) -> int:
        """How many pages there are."""
        return self.inner.total_pages

    def pages(self, numbers: Sequence[int]) -> Iterator[Page]:
        """The pages with these numbers; those that had no size have that of the printed one."""
        for page in self.inner.pages(numbers):
            if page.width > 0:
                yield page
                continue
            aligner, words = _aligner(self.printed.words_on(page.number))
            blocks = (_place_block(block, aligner, words) for block in page.blocks)
            width, height = self.printed.size(page.number)
            yield replace(
                page,
                width=width,
                height=height,
                blocks=tuple(_with_box(one, page.number, self.printed) for one in blocks),
            )


@dataclass
class RenderedFlow:
    """A text that flows, cut into the pages on which it was printed."""

    blocks: Sequence[Block]
    printed: PrintedWords
    provider: str
    _pages: dict[int, list[PlacedBlock]] = field(init=False)
    _names: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        aligner, words = _aligner(self.printed.words)
        placed = [_place_block(block, aligner, words) for block in self.blocks]
        _settle_pages(placed)
        self._pages = {page: [] for page in range(1, self.total_pages + 1)}
        for one in placed:
            self._pages[one.page].append(one)
        self._names = {
            one.block.id: f"p{page}-b{count}"
            for page, found in self._pages.items()
            for count, one in enumerate(found, 1)
        }

    @property
    def total_pages(self) -> int:
        """How many pages were printed."""
        return self.printed.total_pages

    def pages(self, numbers: Sequence[int]) -> Iterator[Page]:
        """The pages with these numbers."""
        for number in numbers:
            blocks = (_with_box(one, number, self.printed) for one in self._pages[number])
            named = tuple(_with_new_id(block, self._names) for block in blocks)
            yield Page(number, *self.printed.size(number), self.provider, named)


def place_on_rendering(document: Paged, path: str, provider: str) -> Paged | None:
    """A document with the pages of its PDF; None if they can't be shown to be the same."""
    from pagemill.reading.office.opening import FlowPages

    printed = PrintedWords(path)
    if isinstance(document, FlowPages):
        blocks = [block for page in document.kept for block in page.blocks]
        return RenderedFlow(blocks, printed, provider) if printed.total_pages else None
    return RenderedPages(document, printed) if printed.total_pages == document.total_pages else None


def _aligner(words: list[PrintedWord]) -> tuple[Aligner, list[PrintedWord]]:
    return Aligner(words), words


def _place_block(block: Block, aligner: Aligner, printed: Sequence[PrintedWord]) -> PlacedBlock:
    texts = [cell.text for cell in block.cells] if block.kind is Kind.TABLE else [block.text]
    parts = [tokens(text) for text in texts]
    floats = block.kind is Kind.FOOTNOTE or block.role in FLOATING_ROLES
    found = iter(aligner.find([word for part in parts for word in part], floats=floats))
    places = [[next(found) for _ in part] for part in parts]
    return PlacedBlock(block, [[printed[at] for at in part if at is not None] for part in places])


def _settle_pages(placed: Sequence[PlacedBlock]) -> None:
    """Give each block its page: that of its first word, and never one before that of the text in front of it."""
    page = 1
    for one in placed:
        first = one.pages[:1]
        is_note = one.block.kind is Kind.FOOTNOTE
        if is_note and first:
            one.page = first[0]
            continue
        page = max([page, *first])
        one.page = page


def _with_box(one: PlacedBlock, page: int, printed: PrintedWords) -> Block:
    """The block with its box on its page, and its parts on later ones."""
    own, later = _by_page(one, page)
    box = printed.box(own)
    parts = tuple(Part(number, printed.box(words)) for number, words in later) if box else ()
    block = replace(one.block, box=box, parts=parts)
    return _with_cells(block, one, page, printed) if block.kind is Kind.TABLE else block


def _by_page(one: PlacedBlock, page: int) -> tuple[list[PrintedWord], list[tuple[int, list[PrintedWord]]]]:
    words = sorted((word for part in one.words for word in part), key=lambda word: word.page)
    grouped = {number: list(found) for number, found in groupby(words, key=lambda word: word.page)}
    later = [(number, found) for number, found in grouped.items() if number > page]
    return grouped.get(page, []), later


def _with_cells(block: Block, one: PlacedBlock, page: int, printed: PrintedWords) -> Block:
    """A table whose cells on its own page have boxes, and whose parts say with which row they begin."""
    boxes = iter([printed.box(word for word in words if word.page == page) for words in one.words])
    header = _boxed_row(block.header, boxes)
    rows: Rows = tuple(_boxed_row(row, boxes) for row in block.rows)
    first_rows = _first_rows(block, one)
    parts = tuple(replace(part, first_row=first_rows.get(part.page)) for part in block.parts)
    return replace(block, header=header, rows=rows, parts=parts)


def _boxed_row(row: tuple[Cell, ...], boxes: Iterator[Box | None]) -> tuple[Cell, ...]:
    return tuple(replace(cell, box=next(boxes)) for cell in row)


def _first_rows(block: Block, one: PlacedBlock) -> dict[int, int]:
    """For each page the first row of the table that begins there."""
    words = iter(one.words)
    for _ in block.header:
        next(words)
    first: dict[int, int] = {}
    for number, row in enumerate(block.rows):
        found = [word.page for _ in row for word in next(words)]
        if found:
            first.setdefault(min(found), number)
    return first


def _with_new_id(block: Block, names: Mapping[str, str]) -> Block:
    """The block with the id of its new place, and links to others by theirs."""
    spans = block.spans
    if any(span.href and span.href.startswith("#") for span in spans):
        spans = tuple(
            replace(span, href=f"#{names.get(span.href[1:], span.href[1:])}")
            if span.href and span.href.startswith("#")
            else span
            for span in spans
        )
    return replace(block, id=names[block.id], spans=spans)
