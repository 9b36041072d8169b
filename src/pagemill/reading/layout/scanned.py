"""The layout of recognised lines: pieces, columns, tables and paragraphs, by rules."""

from collections.abc import Sequence

from pagemill.model.pages import Block
from pagemill.reading.layout.blocks import Leaf
from pagemill.reading.layout.columns import parts_of
from pagemill.reading.layout.edges import without_edges
from pagemill.reading.layout.lattice import straight
from pagemill.reading.layout.lines import TextLine, lines_of, together
from pagemill.reading.layout.paragraphs import paragraphs_of
from pagemill.reading.layout.pieces import body_size, rows_of, runs_of
from pagemill.reading.layout.ruled import ruled_tables
from pagemill.reading.layout.scanned_blocks import Paragraph, Part, notes_from, scanned_blocks
from pagemill.reading.layout.scattered import cluster_labels
from pagemill.reading.layout.tables import with_tables
from pagemill.reading.layout.wording import Vocabulary
from pagemill.reading.page.sheet import Sheet, Stroke


def scanned_layout(sheet: Sheet) -> list[Block]:
    """The blocks of an upright page in reading order; they have no ids yet."""
    pieces = [line for line in lines_of(sheet) if not line.rotation]
    if not pieces:
        return []
    width, height = sheet.width, sheet.height
    strokes = straight(sheet.strokes, pieces)
    vocabulary = Vocabulary([piece.text for piece in pieces])
    leaf = Leaf(width, height, body_size(pieces), vocabulary, notes_from(strokes, width, height))
    free = ruled_tables(pieces, strokes, leaf.vocabulary)
    head, body, foot = without_edges(free, height, strokes)
    # Of several texts side by side at the top none is a title.
    parts = [_part(part, strokes, leaf, height if len(head) == 1 else 0.0) for part in head]
    parts += [_part(part, strokes, leaf, height) for part in parts_of(body, strokes)]
    parts += [_part(part, strokes, leaf, 0.0) for part in foot]
    return scanned_blocks(parts, leaf)


def _part(pieces: Sequence[TextLine], strokes: Sequence[Stroke], leaf: Leaf, space_above: float) -> Part:
    """The paragraphs of one column, with its tables among them."""
    rows = with_tables(rows_of(pieces), strokes, leaf.vocabulary)
    lines = [together(row) for row in cluster_labels(rows)]
    paragraphs: list[Paragraph] = []
    for run in runs_of(lines):
        paragraphs += [run] if run[0].block else paragraphs_of(run)
    return Part(paragraphs, space_above)
