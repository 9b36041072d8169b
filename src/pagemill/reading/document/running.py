"""Running headers, footers and page numbers: what is at the edge of page after page, upright or on its side.

A text counts as running if it is at the same height on at least three pages that are close together, and either is
the same each time or differs only by a number that goes with the pages.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from pagemill.model.pages import Block, Kind, Page
from pagemill.reading.document.sideways import is_sideways
from pagemill.reading.layout.markers import is_caption

# What the layout of a page takes for printed at its edge; it has to be as sure as this of what stands on one page alone and is
# no number, for a last line of text may look like that, and is lost.
FURNITURE = (Kind.HEADER, Kind.FOOTER)
SURE = 0.8
EDGE_SHARE = 0.12
SAME_HEIGHT_POINTS = 16.0
LEAST_PAGES = 3
# The height of what is on its side, wherever that is.
SIDEWAYS = -1
# In a longer document three pages may well repeat something else; a page number in it makes three enough.
LONG_DOCUMENT_PAGES, LEAST_PAGES_UNNUMBERED = 12, 4
# Alternating left and right pages show each text on every second page.
LEAST_DENSITY = 0.4
# Text larger than the body is a title rather than a running header, unless it is on most pages.
TITLE_SIZE = 1.15
TITLE_PAGES, TITLE_SHARE = 5, 0.6
NUMBER_SHARE = 0.6
LONGEST_TEXT = 200
MOST_LOWER_WORDS = 6
MOST_TABLE_ROWS = 2
MOST_VARIANTS = 64
# When so many texts are remembered, those that were seen only once, long ago, are forgotten.
MOST_TEXTS, FORGET_PAGES = 20_000, 64

_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"\W*([ivxlc]{1,8})\W*")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

# The height on the page, in steps, and the text with its numbers masked.
Key = tuple[int, str]
Counted = TypeVar("Counted")


@dataclass(slots=True)
class Sightings:
    """Where a text was seen at the edge of pages; at the foot of a page there is no title."""

    first: int
    size: float
    at_foot: bool = False
    last: int = 0
    count: int = 0
    texts: Counter[str] = field(default_factory=Counter)
    offsets: Counter[int] = field(default_factory=Counter)
    # Whether it is on left pages, on right ones, or on both.
    sides: set[int] = field(default_factory=set)

    def add(self, page: int, text: str) -> None:
        """The text was seen once more; twice on a page counts once."""
        if page == self.last:
            return
        self.count, self.last = self.count + 1, page
        self.sides.add(page % 2)
        _bounded_add(self.texts, text)
        for number in _numbers(text):
            _bounded_add(self.offsets, number - page)

    @property
    def is_numbered(self) -> bool:
        """Whether a number in it goes with the pages."""
        return max(self.offsets.values(), default=0) >= NUMBER_SHARE * self.count

    def is_running(self, pages: int, body_size: float) -> bool:
        """Whether so much of it can only be a running header or footer."""
        if self.count < LEAST_PAGES or self.count < LEAST_DENSITY * (self.last - self.first + 1):
            return False
        enough = NUMBER_SHARE * self.count
        if body_size and self.size > TITLE_SIZE * body_size and not self.at_foot:
            # "Section 7" on page 7 is a heading, so a number that goes with the pages is not enough here, unless it counts two
            # from one text to the next.
            least = TITLE_SHARE * pages / (3 - len(self.sides))
            repeated = self.count >= max(TITLE_PAGES, least) and max(self.texts.values()) >= enough
            return repeated or (self.is_numbered and len(self.sides) == 1)
        if self.is_numbered:
            return True
        least = LEAST_PAGES_UNNUMBERED if pages > LONG_DOCUMENT_PAGES else LEAST_PAGES
        return max(self.texts.values()) >= max(enough, least)


class RunningTexts:
    """Gathers what is at the edges of pages, then decides which of it is running."""

    def __init__(self) -> None:
        self.seen: dict[Key, Sightings] = {}
        self.running: dict[Key, int] = {}
        self._repeated: set[Key] = set()
        self._pages = 0
        self._has_body = False

    def add(self, page: Page) -> None:
        """Look at the edges of one page."""
        edges = list(_edges(page))
        self._has_body = self._has_body or len(edges) < len(page.blocks)
        for block, key, text in edges:
            if key not in self.seen:
                at_foot = block.box is not None and block.box.y > page.height / 2
                self.seen[key] = Sightings(page.number, block.font_size or 0.0, at_foot)
            self.seen[key].add(page.number, text)
        if len(self.seen) > MOST_TEXTS:
            self._forget(page.number)

    def settle(self, pages: int, body_size: float) -> None:
        """Decide, after all pages were added; where there is nothing else, what is at the edges is the text."""
        if self._has_body:
            self.running = {
                key: 0 if one.is_numbered else one.first
                for key, one in self.seen.items()
                if one.is_running(pages, body_size)
            }
            self._repeated = {key for key, one in self.seen.items() if one.count > 1}
        self._pages = pages if self._has_body else 0
        self.seen = {}

    def in_(self, page: Page) -> set[str]:
        """The ids of the blocks on a page that are running."""
        if self._pages < LEAST_PAGES:
            return set()
        sure = {block.id for block in page.blocks if block.kind in FURNITURE and _is_sure(block)}
        return sure | {block.id for block, key, _ in _edges(page) if self._goes(block, key, page)}

    def _goes(self, block: Block, key: Key, page: Page) -> bool:
        return (block.kind in FURNITURE and key in self._repeated) or self._is_repeated(block, key, page)

    def _is_repeated(self, block: Block, key: Key, page: Page) -> bool:
        """Whether a text was seen before; where a running title without a number is first seen it may be the heading itself."""
        first = self.running.get(key)
        return first is not None and not (block.kind is Kind.HEADING and first == page.number)

    def _forget(self, page: int) -> None:
        kept = {key: one for key, one in self.seen.items() if one.count > 1 or page - one.last < FORGET_PAGES}
        self.seen = kept if len(kept) <= MOST_TEXTS else {}


def _is_sure(block: Block) -> bool:
    """Whether what the layout takes for furniture is that, though it is on no other page."""
    return block.confidence is None or block.confidence >= SURE or not any(map(str.isalpha, block.text))


def _edges(page: Page) -> Iterator[tuple[Block, Key, str]]:
    """The blocks at the top and bottom edge of a page, with what they have in common with other pages."""
    upper, lower = page.height * EDGE_SHARE, page.height * (1 - EDGE_SHARE)
    for block in page.blocks:
        box = block.box
        if box is None:
            continue
        sideways = is_sideways(block, page.width)
        inside = upper <= box.y + box.height / 2 <= lower
        if inside and not sideways and block.kind not in FURNITURE:
            continue
        text = _text(block)
        if text is not None and sideways:
            # The spaces in it differ from page to page.
            text = "".join(text.split())
        if text is not None:
            place = SIDEWAYS if sideways else int(box.y // SAME_HEIGHT_POINTS)
            yield block, (place, _mask(text)), text


def _text(block: Block) -> str | None:
    """What a block says, in a form that is alike on all pages; None if it can't be a running text."""
    if block.kind is Kind.RULE:
        return ""
    if block.kind is Kind.TABLE:
        text = " ".join(cell.text for cell in block.cells) if len(block.all_rows) <= MOST_TABLE_ROWS else ""
    elif block.kind in (Kind.FIGURE, Kind.CODE):
        return None
    else:
        text = f"{block.marker or ''} {block.text}"
    words = text.split()
    # The rest of a sentence from the page before is no header, however often it comes.
    if not words or (words[0][0].islower() and len(words) > MOST_LOWER_WORDS):
        return None
    text = " ".join(words).casefold()
    # The caption of a table that goes on is repeated like a header, but it belongs to the table; an exhibit is named on each
    # of its pages.
    is_title = is_caption(text) and not text.startswith("exhibit")
    return text if len(text) <= LONGEST_TEXT and not is_title else None


def _mask(text: str) -> str:
    return "#r" if _ROMAN.fullmatch(text) else _DIGITS.sub("#", text)


def _numbers(text: str) -> list[int]:
    """The first and last number in a text; a lone Roman numeral is one."""
    found = [int(digits[:9]) for digits in _DIGITS.findall(text)]
    if found:
        return [found[0], found[-1]] if len(found) > 1 else found
    match = _ROMAN.fullmatch(text)
    return [_roman(match[1])] if match else []


def _roman(text: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in text]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def _bounded_add(counter: Counter[Counted], key: Counted) -> None:
    if key in counter or len(counter) < MOST_VARIANTS:
        counter[key] += 1
