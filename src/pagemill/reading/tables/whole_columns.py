"""Columns whose head is printed beside their cells, not above them: by the white between words they seem to be two."""

from collections.abc import Sequence
from dataclasses import replace

from pagemill.model.pages import Block, Cell

# With fewer rows a column may be empty by chance; of two columns the first may well have the names of rows.
FEWEST_ROWS, FEWEST_COLUMNS = 2, 3


def with_whole_columns(table: Block) -> Block:
    """A table without rules, in which the only column without a head has the head that has no cells beside it."""
    rows = (table.header, *table.rows)
    if len(table.rows) < FEWEST_ROWS or len(table.header) < FEWEST_COLUMNS or not _is_plain(rows):
        return table
    columns = range(len(table.header))
    headless = [at for at in columns if not table.header[at].text]
    bodiless = [at for at in columns if not any(row[at].text for row in table.rows)]
    if len(headless) != 1 or len(bodiless) != 1 or abs(headless[0] - bodiless[0]) != 1:
        return table
    cells, head = headless[0], bodiless[0]
    header = _without(_with_cell(table.header, cells, table.header[head]), head)
    return replace(table, header=header, rows=tuple(_without(row, head) for row in table.rows))


def _is_plain(rows: Sequence[Sequence[Cell]]) -> bool:
    """Whether all rows have as many cells, each in one place."""
    spans = {(cell.row_span, cell.column_span) for row in rows for cell in row}
    return len({len(row) for row in rows}) == 1 and spans == {(1, 1)}


def _with_cell(row: tuple[Cell, ...], at: int, cell: Cell) -> tuple[Cell, ...]:
    return (*row[:at], cell, *row[at + 1 :])


def _without(row: tuple[Cell, ...], at: int) -> tuple[Cell, ...]:
    return (*row[:at], *row[at + 1 :])
