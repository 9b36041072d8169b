"""Decks: pages that are slides. The titles of slides are of one level, whatever their sizes, below that of the first slide."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from pagemill.model.pages import Block, Kind, Page, Route
from pagemill.reading.document.heading_levels import Rank, heading_levels, level_of, rank_of
from pagemill.reading.layout.roles import LEVELS

# All pages of a deck are wider than high, and most of their text has at least this size beside their height: of 53 decks the
# least is .022, of 60 other documents the most on wide pages is .010. They were looked at while this was written.
LEAST_PAGES, TEXT_SHARE = 3, 0.021
# A title is in this part of its slide, but for that of the first; one that was taken for text is larger than most text, has at
# least this size beside that of most titles, and so many characters at most.
UPPER_PART, USUAL_TITLE, LONGEST_TITLE = 0.4, 0.9, 100
TITLE_LEVEL = 2
# As many sizes are counted; damaged files may have any number.
MOST_SIZES = 1_000


@dataclass(slots=True)
class Slides:
    """What the pages of a document say of it as a deck."""

    is_deck: bool = False
    usual_text: float = 0.0
    usual_title: float = 0.0
    levels: dict[Rank, int] = field(default_factory=dict)
    _first: int = 0
    _pages: int = 0
    _wide: int = 0
    _height: float = 0.0
    _sizes: Counter[float] = field(default_factory=Counter)
    _titles: Counter[float] = field(default_factory=Counter)
    _others: Counter[Rank] = field(default_factory=Counter)

    def add(self, page: Page) -> None:
        """Look at one page."""
        self._first = self._first or page.number
        self._pages += 1
        self._wide += page.width > page.height and page.route is not Route.NATIVE
        self._height = max(self._height, page.height)
        title = _largest(_headings(page.blocks), page, page.number == self._first)
        for block in page.blocks:
            if block.font_size is None or len(self._sizes) > MOST_SIZES or len(self._others) > MOST_SIZES:
                continue
            if block is title:
                self._titles[block.font_size] += 1
            elif block.kind is Kind.HEADING and (rank := rank_of(block)):
                self._others[rank] += 1
            elif block.kind in (Kind.PARAGRAPH, Kind.LIST_ITEM):
                self._sizes[block.font_size] += len(block.text)

    def settle(self) -> None:
        """Decide, after all pages were added."""
        self.usual_text = _commonest(self._sizes)
        has_large_text = self.usual_text >= TEXT_SHARE * self._height
        self.is_deck = LEAST_PAGES <= self._pages == self._wide and has_large_text
        self.usual_title, self.levels = _commonest(self._titles), heading_levels(self._others)

    def with_levels(self, page: Page, blocks: Sequence[Block]) -> tuple[Block, ...]:
        """The blocks of a slide with the levels of its headings; its title is a heading, even if it was taken for text."""
        is_first = page.number == self._first
        likely = [*_headings(blocks), *(block for block in blocks if self._may_be_title(block))]
        title = _largest(likely, page, is_first)
        top = TITLE_LEVEL - is_first
        return tuple(_as_title(block, top) if block is title else self._below(block) for block in blocks)

    def _may_be_title(self, block: Block) -> bool:
        size, is_text = block.font_size or 0.0, block.kind is Kind.PARAGRAPH
        is_short = is_text and 0 < len(block.text) <= LONGEST_TITLE
        return is_short and size > self.usual_text and size >= USUAL_TITLE * self.usual_title > 0

    def _below(self, block: Block) -> Block:
        if block.kind is not Kind.HEADING:
            return block
        return replace(block, level=min(TITLE_LEVEL + level_of(block, self.levels), LEVELS))


def _as_title(block: Block, level: int) -> Block:
    if block.kind is Kind.HEADING:
        return replace(block, level=level)
    spans = tuple(replace(span, bold=False, italic=False) for span in block.spans if span.script or span.href)
    return replace(block, kind=Kind.HEADING, level=level, italic=False, spans=spans)


def _headings(blocks: Iterable[Block]) -> list[Block]:
    return [block for block in blocks if block.kind is Kind.HEADING]


def _largest(likely: Iterable[Block], page: Page, is_first: bool) -> Block | None:
    """The title of a slide: the largest and highest of those that may be it."""
    placed = [(block, block.box) for block in likely if block.box]
    if not is_first:
        placed = [(block, box) for block, box in placed if box.y < UPPER_PART * page.height]
    found = max(placed, key=lambda one: (one[0].font_size or 0.0, -one[1].y), default=None)
    return found[0] if found else None


def _commonest(sizes: Counter[float]) -> float:
    return max(sizes, key=lambda size: (sizes[size], size), default=0.0)
