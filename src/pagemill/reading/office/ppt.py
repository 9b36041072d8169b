"""PPT: the blocks that anydoc reads, on the slides that the records of the file name."""

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pagemill.model.pages import OFFICE, Block, Kind, Origin, Page
from pagemill.reading.office.flow import Flow
from pagemill.reading.office.ppt_records import TITLES, PptDeck, PptSlide, PptText
from pagemill.reading.office.ppt_tables import tables_of_slide
from pagemill.reading.office.writing import heading, paragraph

_LINES = re.compile(r"[\r\n]+")


@dataclass(frozen=True, slots=True)
class PptPages:
    """The slides of a presentation as pages."""

    size: tuple[float, float]
    slides: Sequence[Sequence[Block]]

    @property
    def total_pages(self) -> int:
        """How many slides there are."""
        return len(self.slides)

    def pages(self, numbers: Sequence[int]) -> Iterator[Page]:
        """The slides with these numbers."""
        for number in numbers:
            blocks = enumerate(self.slides[number - 1], 1)
            named = tuple(_name_block(block, number, count) for count, block in blocks)
            yield Page(number, *self.size, OFFICE, named)


def _name_block(block: Block, page: int, count: int) -> Block:
    level = (1 if page == 1 else 2) if block.kind is Kind.HEADING else block.level
    origin = replace(block.origin or Origin(), index=count)
    return replace(block, id=f"p{page}-b{count}", level=level, origin=origin)


class _SlideLines:
    """The lines of a slide that were not found among the blocks yet, each with the text that it belongs to."""

    def __init__(self, slide: PptSlide) -> None:
        self._notes = slide.notes
        self._tables = tables_of_slide(slide)
        self._shown: set[int] = set()
        self._left: dict[str, deque[PptText]] = defaultdict(deque)
        for text in (*slide.texts, *slide.notes):
            for key in filter(None, map(_key, _LINES.split(text.text))):
                self._left[key].append(text)

    def has(self, block: Block) -> bool:
        """Whether the slide has the words of a block once more."""
        return bool(self._left.get(_key(block.text)))

    def place(self, block: Block) -> Block | None:
        """A block in its place; a table in place of its first cell, and None in place of the others."""
        lines = self._left.get(_key(block.text))
        if not lines:
            return block
        text = lines.popleft()
        if text.table is not None and text.table in self._tables:
            return self._show_table(text.table)
        if text in self._notes:
            return replace(block, role=block.role or "speaker_notes")
        # A box is that of the whole text; one of several lines tells nothing of each.
        return replace(block, box=block.box or text.box)

    def _show_table(self, number: int) -> Block | None:
        if number in self._shown:
            return None
        self._shown.add(number)
        return self._tables[number]


def pages_by_slide(flow: Flow, deck: PptDeck) -> PptPages:
    """Blocks on the slides that have their words; one that none has stays with the block before it."""
    slides = [_SlideLines(slide) for slide in deck.slides]
    found: list[list[Block]] = [[] for _ in slides]
    current = 0
    for block in flow.blocks:
        order = [*range(current, len(slides)), *range(current)]
        current = next((at for at in order if slides[at].has(block)), current)
        if (placed := slides[current].place(block)) is not None:
            found[current].append(placed)
    return PptPages(deck.size, found)


def _key(text: str) -> str:
    return " ".join(text.replace("\x0b", " ").split())


def pages_of_records(deck: PptDeck) -> PptPages:
    """The slides from the texts of the records alone, for a file that anydoc refuses."""
    return PptPages(deck.size, [list(_record_blocks(slide)) for slide in deck.slides])


def _record_blocks(slide: PptSlide) -> Iterator[Block]:
    tables = tables_of_slide(slide)
    titles = [text for text in slide.texts if text.kind in TITLES]
    for text in (*titles, *(one for one in slide.texts if one.kind not in TITLES)):
        if text.table not in tables:
            yield from _text_blocks(text, is_title=text.kind in TITLES)
    yield from tables.values()
    for text in slide.notes:
        for block in _text_blocks(text, is_title=False):
            yield replace(block, box=None, role="speaker_notes")


def _text_blocks(text: PptText, *, is_title: bool) -> Iterator[Block]:
    if is_title and _key(text.text):
        yield replace(heading(_key(text.text), 2), box=text.box)
        return
    for line in _LINES.split(text.text):
        if _key(line):
            yield replace(paragraph(line.replace("\x0b", "\n")), box=text.box)
