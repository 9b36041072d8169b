"""Tables without the prose above and below them that was taken in with their columns."""

from collections.abc import Sequence
from dataclasses import replace

from pagemill.model.pages import Block, Box, Cell, Rows
from pagemill.reading.layout.judging import Judged
from pagemill.reading.layout.lines import TextLine

# Rows at the edge of a table whose lines are less likely than this to be those of one are cut off, if they have so many
# letters together; the rest must be likely enough and have so many rows.
UNLIKELY, PROSE_LETTERS, LIKELY_REST, FEWEST_ROWS = 0.2, 150, 0.5, 2


def without_prose(table: Block, lines: Sequence[TextLine], judged: Judged) -> Block:
    """The table without rows of prose at its beginning and end."""
    rows = (table.header, *table.rows) if table.header else table.rows
    if table.box is None or any(cell.row_span > 1 for row in rows for cell in row):
        return table
    held = [_lines_of(row, table.box, lines) for row in rows]
    chances = [_chance(line_group, judged) for line_group in held]
    first, last = _first_likely(chances), len(rows) - _first_likely(chances[::-1])
    cut = [line for group in (*held[:first], *held[last:]) for line in group]
    rest = [line for group in held[first:last] for line in group]
    if sum(len(line.text) for line in cut) < PROSE_LETTERS or last - first < FEWEST_ROWS:
        return table
    if (_chance(rest, judged) or 0.0) < LIKELY_REST:
        return table
    return _shorten(table, rows[first:last])


def _shorten(table: Block, rows: Rows) -> Block:
    header, body = (rows[0], rows[1:]) if table.header else ((), rows)
    boxes = [cell.box for row in rows for cell in row if cell.box]
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.right for box in boxes), max(box.bottom for box in boxes)
    box = Box(left, top, round(right - left, 2), round(bottom - top, 2))
    return replace(table, header=header, rows=body, box=box)


def _lines_of(row: Sequence[Cell], box: Box, lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines at the height of a row."""
    printed = [cell.box for cell in row if cell.box]
    if not printed:
        return []
    top, bottom = min(one.y for one in printed), max(one.bottom for one in printed)
    return [
        line
        for line in lines
        if top <= line.centre <= bottom and box.x - 2 <= (line.left + line.right) / 2 <= box.right + 2
    ]


def _chance(lines: Sequence[TextLine], judged: Judged) -> float | None:
    """The mean over letters of the chance that they are those of a table; None without lines."""
    letters = sum(len(line.text) for line in lines)
    return sum(len(line.text) * judged.chance(line, "table") for line in lines) / letters if letters else None


def _first_likely(chances: Sequence[float | None]) -> int:
    return next((at for at, one in enumerate(chances) if one is not None and one >= UNLIKELY), len(chances))
