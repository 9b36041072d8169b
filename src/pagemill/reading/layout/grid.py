"""A table's cells from the pieces that are in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pagemill.model.pages import Block, Box, Cell, Kind
from pagemill.reading.layout.lines import TextLine
from pagemill.reading.layout.markers import is_numeric
from pagemill.reading.layout.pieces import confidence_of, hull, join_texts, rows_of
from pagemill.reading.layout.wording import Vocabulary, running

HEADER_NUMBER_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class Filled:
    """The pieces in one cell, and how many rows and columns it spans."""

    pieces: list[TextLine]
    row_span: int = 1
    column_span: int = 1


Grid = Mapping[tuple[int, int], Filled]


def table_block(grid: Grid, box: Box, vocabulary: Vocabulary) -> Block:
    """The table that the cells make; empty rows are left out."""
    width = max(column + cell.column_span for (_, column), cell in grid.items())
    used = sorted({row for (row, _), cell in grid.items() if cell.pieces})
    rows = [
        tuple(_cell(grid.get((row, column)), used, row, vocabulary) for column in range(width))
        for row in used
    ]
    header, body = (rows[0], rows[1:]) if _is_header(rows) else ((), rows)
    pieces = [piece for cell in grid.values() for piece in cell.pieces]
    return Block("", Kind.TABLE, box, header=header, rows=tuple(body), confidence=confidence_of(pieces))


def _cell(filled: Filled | None, used: Sequence[int], row: int, vocabulary: Vocabulary) -> Cell:
    if filled is None or not filled.pieces:
        return Cell("")
    lines = [join_texts([piece.text for piece in line]) for line in rows_of(filled.pieces)]
    row_span = sum(row <= one < row + filled.row_span for one in used)
    return Cell(running(lines, vocabulary), hull(filled.pieces), row_span, filled.column_span)


def _is_header(rows: Sequence[tuple[Cell, ...]]) -> bool:
    """Whether the first row names the columns: few numbers in it, and there are rows below."""
    texts = [cell.text for cell in rows[0] if cell.text]
    return len(rows) > 1 and sum(map(is_numeric, texts)) <= HEADER_NUMBER_SHARE * len(texts)
