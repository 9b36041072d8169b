"""searchable.pdf: the document with the words that were recognised on its pages as a layer that is not seen.

Pages that were read from their own text stay as they are.
"""

from pathlib import Path

from pagemill.model.artifacts import MadeFile
from pagemill.model.formats import ON_DEMAND
from pagemill.model.pages import Box, Line, Page
from pagemill.reading.artifacts.glyphless import ADVANCE, ASCENT, DESCENT, UNITS, UnseenFont
from pagemill.reading.artifacts.layers import Layers, copy_with_layers
from pagemill.reading.artifacts.placing import Matrix, placing
from pagemill.reading.artifacts.stored import Original, appearing, made_file
from pagemill.reading.stored_document import StoredDocument

FONT_NAME = "PagemillUnseen"
CHARACTER_HEIGHT = (ASCENT - DESCENT) / UNITS
CHARACTER_WIDTH = ADVANCE / UNITS
# A box that is so much higher than wide holds a line on end, unless it has only a character or two.
ON_END, LEAST_ON_END = 2.0, 3


def make_searchable(document: StoredDocument, original: Original, folder: Path) -> tuple[MadeFile, ...]:
    """Write the recognised lines onto the pages of the document."""
    file = folder / ON_DEMAND["searchable"].file
    with appearing(file) as part, copy_with_layers(original, part, document.facts().sha256) as layers:
        font = UnseenFont(layers)
        for page in document.pages():
            write_page(layers, font, page)
        font.close()
    return (made_file(file),)


def write_page(layers: Layers, font: UnseenFont, page: Page) -> None:
    """Write the lines of one page, if it has any."""
    sheet = layers.sheet(page.number)
    lines = [line for line in page.lines if line.text.strip()]
    if sheet is None or not lines:
        return
    matrix = placing(page, sheet)
    written = "".join(line_text(line, font, matrix) for line in lines)
    layers.draw(
        page.number, f"BT 3 Tr /{FONT_NAME} 1 Tf\n{written}ET\n".encode("ascii"), {FONT_NAME: font.number}
    )


def line_text(line: Line, font: UnseenFont, matrix: Matrix) -> str:
    """The operators that write a line so that it fills its box."""
    text = line.text.strip()
    at = filling(line.box, len(text)).then(matrix)
    numbers = " ".join(f"{number:.4f}" for number in (at.a, at.b, at.c, at.d, at.e, at.f))
    return f"{numbers} Tm <{font.font_codes(text)}> Tj\n"


def filling(box: Box, characters: int) -> Matrix:
    """The map of a font of size 1 that makes so many characters fill a box; up its side where the box is upright."""
    below = -DESCENT / UNITS / CHARACTER_HEIGHT
    if characters >= LEAST_ON_END and box.height > box.width * ON_END:
        advance, size = box.height / (characters * CHARACTER_WIDTH), box.width / CHARACTER_HEIGHT
        return Matrix(0, -advance, -size, 0, box.right - below * box.width, box.bottom)
    advance, size = box.width / (characters * CHARACTER_WIDTH), box.height / CHARACTER_HEIGHT
    return Matrix(advance, 0, 0, -size, box.x, box.bottom - below * box.height)
