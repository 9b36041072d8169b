"""Pages whose letters are said to be far higher than they are, or whose words run from right to left.

The engine takes lines that seem to overlap for doubles and drops them, so that half of the words may be
lost without a sign; and it gives the words of a line from left to right, whatever their script. Such pages are read
from PDFium's letters, whose boxes and order are right.
"""

import re
from collections.abc import Sequence

import pypdfium2

from pagemill.model.pages import Block, Box, Line
from pagemill.reading.clean import clean
from pagemill.reading.layout import laid_out
from pagemill.reading.liteparse_native import NativeText
from pagemill.reading.page.scripts import is_right_to_left
from pagemill.reading.page.sheet import Stroke
from pagemill.reading.sources.recognised import recognised_sheet
from pagemill.reading.tables import tables_among
from pagemill.reading.tables.letters import printed_words
from pagemill.reading.tables.rules import rules_of

# Letters are about two to three times as high as they are wide, in narrow hands up to five.
HIGHEST_RATIO = 6.0
FEWEST_CHARACTERS = 20
FIGURES_SHARE = 0.3

ALEFS, LAM = "\u0622\u0623\u0625\u0627", "\u0644"
# A vowel sign is above a letter, never after a space.
_STRAY_SIGN = re.compile(" ([\u064b-\u0652])([\u0620-\u064a])")

Edges = tuple[float, float, float, float]


def is_misread(texts: Sequence[NativeText]) -> bool:
    """Whether the engine can't have read a page as it is meant."""
    return is_squashed(texts) or is_right_to_left("".join([text.text for text in texts]))


def is_squashed(texts: Sequence[NativeText]) -> bool:
    """Whether the letters of a page are far too high for their width; a turned line among upright ones says nothing."""
    upright, turned = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    for text in texts:
        letters = len(text.text)
        sums = turned if text.rotation else upright
        sums[0] += letters
        sums[1] += text.width
        sums[2] += text.height * letters
    if upright[0] < turned[0]:
        upright = [one + other for one, other in zip(upright, turned, strict=True)]
    count, width, area = upright
    return count >= FEWEST_CHARACTERS and area > HIGHEST_RATIO * width


def reline(page: pypdfium2.PdfPage, strokes: Sequence[Stroke]) -> list[Block]:
    """The blocks of a page as PDFium's letters make them up; none if it is on its side."""
    if page.get_rotation():
        return []
    width, height = page.get_size()
    lines = _lines(page)
    blocks = laid_out(recognised_sheet(lines, width, height, strokes))
    tabled = tables_among(blocks, printed_words(page), rules_of(strokes, width, height))
    backwards = is_right_to_left("".join([line.text for line in lines]))
    return tabled if not backwards or all(_has_figures(block) for block in tabled) else blocks


def _has_figures(block: Block) -> bool:
    """Whether a table is one of figures: in justified text of some scripts words are as far apart as columns."""
    cells = [cell.text for row in (block.header, *block.rows) for cell in row if cell.text]
    return sum(any(letter.isdigit() for letter in text) for text in cells) >= FIGURES_SHARE * len(cells)


def _lines(page: pypdfium2.PdfPage) -> list[Line]:
    textpage = page.get_textpage()
    left, _, _, top = page.get_bbox()
    lines, at = [], 0
    for text in textpage.get_text_range().split("\r\n"):
        every = [textpage.get_charbox(at + place) for place in range(len(text))]
        boxes = [box for box, letter in zip(every, text, strict=True) if not letter.isspace()]
        if boxes and (words := " ".join(clean(as_written(text, every)).split())):
            lines.append(Line(words, _around(boxes, left, top)))
        at += len(text) + 2
    textpage.close()
    return lines


def as_written(text: str, boxes: Sequence[Edges]) -> str:
    """A line as it is written: PDFium turns round vowel signs, and a lam with an alef, which are printed as one."""
    letters = list(text)
    for at in range(len(letters) - 1):
        if letters[at] in ALEFS and letters[at + 1] == LAM and boxes[at] == boxes[at + 1]:
            letters[at : at + 2] = letters[at + 1], letters[at]
    return _STRAY_SIGN.sub(r"\2\1", "".join(letters))


def _around(boxes: Sequence[Edges], left: float, top: float) -> Box:
    """The box around letters, measured from the top left of the page."""
    x, right = min(box[0] for box in boxes), max(box[2] for box in boxes)
    bottom, upper = min(box[1] for box in boxes), max(box[3] for box in boxes)
    return Box(round(x - left, 2), round(top - upper, 2), round(right - x, 2), round(upper - bottom, 2))
