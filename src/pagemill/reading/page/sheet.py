"""A sheet: the words, strokes and pictures of a page, whichever source they come from.

Text layers, PDFium's characters and recognised lines all become sheets, and one layout analysis reads them. What a
source can't say is None, so that "unknown" is never mistaken for "no".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from pagemill.model.pages import Box, Script


class Precision(StrEnum):
    """How far the boxes of a sheet can be trusted."""

    EXACT = "exact"
    RECOGNISED = "recognised"


class TypedRun(NamedTuple):
    """Characters of a word that look alike, as they are printed."""

    text: str
    bold: bool
    italic: bool
    script: Script | None = None
    href: str | None = None


@dataclass(slots=True)
class Word:
    """A printed word and its edges, in points from the top left of the page.

    `size` is that of the font, or what the height of the box suggests; `baseline` is where its characters are. Words of
    one `run` follow each other with a space between them; where one run ends and the next begins, their distance decides
    whether there is one. `text` has plain quotes and dashes; `printed` is there where its characters look otherwise than
    the rest of the word says.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    baseline: float
    run: int = 0
    font: str = ""
    bold: bool | None = None
    italic: bool | None = None
    mono: bool | None = None
    colour: str | None = None
    rotation: float = 0.0
    confidence: float = 1.0
    printed: tuple[TypedRun, ...] = ()

    @property
    def width(self) -> float:
        """How wide it is."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """How high it is."""
        return self.bottom - self.top


class Stroke(NamedTuple):
    """A straight line that is drawn on the page."""

    x1: float
    y1: float
    x2: float
    y2: float

    def shift(self, x: float, y: float) -> "Stroke":
        """The line moved right and down."""
        return Stroke(self.x1 + x, self.y1 + y, self.x2 + x, self.y2 + y)


@dataclass(frozen=True, slots=True)
class Hint:
    """What the engine takes a part of the page for.

    Its kind is `heading`, `paragraph`, `list_item`, `table`, `code` or `figure`. A table of a tagged PDF has rows of `cells`,
    None for empty ones.
    """

    kind: str
    box: Box
    level: int | None = None
    text: str = ""
    cells: tuple[tuple[Box | None, ...], ...] = ()


@dataclass(slots=True)
class Sheet:
    """What is on a page: words in the order of the source, drawn strokes, pictures, and the engine's opinion as hints.

    `tags` are headings, list items, tables and figures as a tagged PDF names them.
    """

    width: float
    height: float
    precision: Precision = Precision.EXACT
    words: Sequence[Word] = ()
    strokes: Sequence[Stroke] = ()
    pictures: Sequence[Box] = ()
    hints: Sequence[Hint] = ()
    tags: Sequence[Hint] = ()
    number: int = 1
