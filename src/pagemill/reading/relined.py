"""Pages whose letters are said to be far higher than they are.

The engine takes lines that seem to lie upon each other for doubles and drops them, so that half of the words may be
lost without a sign. Such pages are read from PDFium's letters, whose boxes are right.
"""

from collections.abc import Sequence

import pypdfium2

from pagemill.model.pages import Block, Box, Line
from pagemill.reading.clean import clean
from pagemill.reading.layout import laid_out
from pagemill.reading.liteparse_native import NativeText
from pagemill.reading.sheet import Stroke
from pagemill.reading.structure.tables import tables_among
from pagemill.reading.structure.tables.letters import printed_words
from pagemill.reading.structure.tables.rules import rules_of

# Letters are about two to three times as high as they are wide, in narrow hands up to five.
HIGHEST_RATIO = 6.0
FEWEST_CHARACTERS = 20

Edges = tuple[float, float, float, float]


def is_squashed(texts: Sequence[NativeText]) -> bool:
    """Whether the letters of a page are far too high for their width."""
    count = width = area = 0.0
    for text in texts:
        letters = len(text.text)
        count += letters
        width += text.width
        area += text.height * letters
    return count >= FEWEST_CHARACTERS and area > HIGHEST_RATIO * width


def relined(page: pypdfium2.PdfPage, strokes: Sequence[Stroke]) -> list[Block]:
    """The blocks of a page as PDFium's letters make them up; none if it lies on its side."""
    if page.get_rotation():
        return []
    width, height = page.get_size()
    blocks = laid_out(_lines(page), width, height, strokes)
    return tables_among(blocks, printed_words(page), rules_of(strokes, width, height))


def _lines(page: pypdfium2.PdfPage) -> list[Line]:
    textpage = page.get_textpage()
    left, _, _, top = page.get_cropbox()
    lines, at = [], 0
    for text in textpage.get_text_range().split("\r\n"):
        boxes = [
            textpage.get_charbox(at + place) for place, letter in enumerate(text) if not letter.isspace()
        ]
        if boxes and (words := " ".join(clean(text).split())):
            lines.append(Line(words, _around(boxes, left, top)))
        at += len(text) + 2
    textpage.close()
    return lines


def _around(boxes: Sequence[Edges], left: float, top: float) -> Box:
    """The box around letters, measured from the top left of the page."""
    x, right = min(box[0] for box in boxes), max(box[2] for box in boxes)
    bottom, upper = min(box[1] for box in boxes), max(box[3] for box in boxes)
    return Box(round(x - left, 2), round(top - upper, 2), round(right - x, 2), round(upper - bottom, 2))
