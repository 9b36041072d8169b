"""layout.pdf: the pages of the document with a coloured, labelled box around every block."""

from collections import defaultdict
from pathlib import Path

from pagemill.model.artifacts import MadeFile
from pagemill.model.formats import ON_DEMAND
from pagemill.model.pages import Block, Box, Kind, Page
from pagemill.reading.artifacts.layers import Layers, copy_with_layers
from pagemill.reading.artifacts.placing import Matrix, bounds, placing
from pagemill.reading.artifacts.stored import Original, appearing, made_file
from pagemill.reading.page.geometry import overlap
from pagemill.reading.stored_document import StoredDocument

Colour = tuple[int, int, int]
COLOURS: dict[Kind, Colour] = {
    Kind.HEADING: (200, 30, 30),
    Kind.PARAGRAPH: (30, 90, 200),
    Kind.LIST_ITEM: (20, 140, 140),
    Kind.TABLE: (20, 130, 40),
    Kind.FIGURE: (200, 110, 0),
    Kind.CODE: (90, 90, 90),
    Kind.RULE: (150, 150, 150),
    Kind.CAPTION: (150, 40, 160),
    Kind.FOOTNOTE: (130, 90, 50),
    Kind.FORMULA: (190, 20, 120),
    Kind.HEADER: (110, 110, 150),
    Kind.FOOTER: (110, 110, 150),
}
LINE_POINTS = 0.8
LABEL_POINTS = 5.5
# Characters of Helvetica are about half as wide as they are high.
LABEL_WIDTH = 0.52 * LABEL_POINTS
LABEL_FONT = b"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding>>"
FONT_NAME = "PagemillLabel"

Mark = tuple[Box, Kind, str]


def make_layout(document: StoredDocument, original: Original, folder: Path) -> tuple[MadeFile, ...]:
    """Draw the boxes of all blocks onto the pages of the document."""
    file = folder / ON_DEMAND["layout"].file
    with appearing(file) as part, copy_with_layers(original, part, document.facts().sha256) as layers:
        font = layers.add(LABEL_FONT)
        continued: dict[int, list[Mark]] = defaultdict(list)
        for page in document.pages():
            note_parts(page, continued)
            mark_page(layers, font, page, [*continued.pop(page.number, []), *marks(page)])
    return (made_file(file),)


def marks(page: Page) -> list[Mark]:
    """The boxes of the blocks that begin on a page."""
    return [(block.box, block.kind, label(block)) for block in page.blocks if block.box]


def note_parts(page: Page, continued: dict[int, list[Mark]]) -> None:
    """Remember the boxes that blocks of this page have on later ones."""
    for block in page.blocks:
        for part in block.parts:
            if part.box:
                continued[part.page].append((part.box, block.kind, label(block)))


def label(block: Block) -> str:
    """What a box is labelled with: its block's name and kind."""
    level = f" {block.level}" if block.kind is Kind.HEADING and block.level else ""
    return f"{block.id} {block.kind.value}{level}"


def mark_page(layers: Layers, font: int, page: Page, boxes: list[Mark]) -> None:
    """Draw boxes and labels onto one page."""
    sheet = layers.sheet(page.number)
    if not boxes or sheet is None:
        return
    matrix, taken = placing(page, sheet), [box for box, _, _ in boxes]
    drawn = [outline(bounds(matrix, box), COLOURS[kind]) for box, kind, _ in boxes]
    for box, kind, words in boxes:
        drawn.append(label_operators(words, room_for(words, box, taken, page), COLOURS[kind], matrix))
    layers.draw(page.number, "".join(drawn).encode("ascii"), {FONT_NAME: font})


def outline(sides: tuple[float, float, float, float], colour: Colour) -> str:
    """The operators that draw the outline of a rectangle."""
    return f"{ink(colour)} RG {LINE_POINTS} w {figures(*sides)} re S\n"


def label_operators(words: str, ground: Box, colour: Colour, matrix: Matrix) -> str:
    """The operators that write white words on a coloured ground."""
    text_matrix = Matrix(LABEL_POINTS, 0, 0, -LABEL_POINTS, ground.x + 1, ground.y + LABEL_POINTS - 0.4).then(
        matrix
    )
    at = figures(text_matrix.a, text_matrix.b, text_matrix.c, text_matrix.d, text_matrix.e, text_matrix.f)
    area = f"{ink(colour)} rg {figures(*bounds(matrix, ground))} re f\n"
    return f"{area}1 g BT /{FONT_NAME} 1 Tf {at} Tm ({words}) Tj ET\n"


def ink(colour: Colour) -> str:
    """A colour in the numbers of a PDF."""
    return " ".join(f"{part / 255:.3f}" for part in colour)


def figures(*numbers: float) -> str:
    """Numbers as they are in a PDF."""
    return " ".join(f"{number:.3f}" for number in numbers)


def room_for(words: str, box: Box, taken: list[Box], page: Page) -> Box:
    """Where a label hides the least: above its box, else left or right of it, where no other box is."""
    width, height = len(words) * LABEL_WIDTH + 2, LABEL_POINTS + 1
    above = Box(box.x, max(box.y - height, 0.0), width, height)
    beside = (Box(box.x - width, box.y, width, height), Box(box.right, box.y, width, height))
    for place in (above, *beside):
        on_page = place.x >= 0 and place.right <= page.width
        if on_page and not any(overlap(place, other) for other in taken):
            return place
    return above
