"""PPT: the blocks that anydoc reads, on the slides that the records of the file name."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pagemill.model.pages import OFFICE, Block, Box, Kind, Origin, Page
from pagemill.reading.office.flow import Flow
from pagemill.reading.office.ppt_records import TITLES, PptDeck, PptSlide, PptText
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


@dataclass(slots=True)
class _Lines:
    """The lines of a slide that were not found among the blocks yet, the boxes of them, and which are notes."""

    left: Counter[str] = field(default_factory=Counter)
    boxes: dict[str, Box | None] = field(default_factory=dict)
    notes: set[str] = field(default_factory=set)

    def take(self, key: str) -> bool:
        """Whether the slide has the line once more."""
        if not self.left[key]:
            return False
        self.left[key] -= 1
        return True


def pages_by_slide(flow: Flow, deck: PptDeck) -> PptPages:
    """Blocks on the slides that have their words; one that none has stays with the block before it."""
    slides = [_lines_of(slide) for slide in deck.slides]
    found: list[list[Block]] = [[] for _ in slides]
    current = 0
    for block in flow.blocks:
        key = _key(block.text)
        order = [*range(current, len(slides)), *range(current)]
        current = next((at for at in order if slides[at].take(key)), current)
        found[current].append(_place_block(block, slides[current], key))
    return PptPages(deck.size, found)


def _lines_of(slide: PptSlide) -> _Lines:
    lines = _Lines()
    for text in (*slide.texts, *slide.notes):
        whole = list(filter(None, map(_key, _LINES.split(text.text))))
        for key in whole:
            lines.left[key] += 1
            # A box is that of the whole text; for several lines there is none of each.
            lines.boxes.setdefault(key, text.box)
        if text in slide.notes:
            lines.notes.update(whole)
    return lines


def _place_block(block: Block, lines: _Lines, key: str) -> Block:
    if key in lines.notes and lines.boxes.get(key) is None:
        return replace(block, role=block.role or "speaker_notes")
    return replace(block, box=block.box or lines.boxes.get(key))


def _key(text: str) -> str:
    return " ".join(text.replace("\x0b", " ").split())


def pages_of_records(deck: PptDeck) -> PptPages:
    """The slides from the texts of the records alone, for a file that anydoc refuses."""
    return PptPages(deck.size, [list(_record_blocks(slide)) for slide in deck.slides])


def _record_blocks(slide: PptSlide) -> Iterator[Block]:
    titles = [text for text in slide.texts if text.kind in TITLES]
    for text in (*titles, *(one for one in slide.texts if one.kind not in TITLES)):
        yield from _text_blocks(text, is_title=text.kind in TITLES)
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
