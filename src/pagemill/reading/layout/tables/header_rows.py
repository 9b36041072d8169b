"""Table headers: how many rows at the top of a table name its columns."""

import re
from collections.abc import Sequence

from pagemill.model.pages import Cell
from pagemill.reading.layout.tables.rows import is_figure

Row = Sequence[Cell]
# Heads have few rows.
MOST_HEADER_ROWS = 5
_YEAR = re.compile(r"(?:19|20)\d\d")


def count_header_rows(rows: Sequence[Row], known: int = 0) -> int:
    """How many rows name the columns, at least one: those that are known to, and those below a name of several columns.

    At least one row is left.
    """
    count = max(1, known, *(cell.row_span for cell in rows[0]))
    while count < MOST_HEADER_ROWS and _names_parts(rows[count - 1], rows[count:]):
        count = _reach(rows, count + 1)
    return max(1, min(count, len(rows) - 1))


def _reach(rows: Sequence[Row], count: int) -> int:
    """How far down the cells of so many rows go, if there are no figures."""
    reach = count - 1 + max(cell.row_span for cell in rows[count - 1])
    return count if any(is_figure(cell.text) for row in rows[count:reach] for cell in row) else reach


def _names_parts(over: Row, below: Sequence[Row]) -> bool:
    """Whether the first row below has names where a cell is over several columns, and the others have figures there."""
    places = [
        at
        for first, cell in enumerate(over)
        if cell.column_span > 1
        for at in range(first, first + cell.column_span)
    ]
    if not places or len(below) < 2:
        return False
    wide = {at for first, cell in enumerate(below[0]) for at in range(first + 1, first + cell.column_span)}
    named, *others = [[row[at].text for at in places if at < len(row)] for row in below]
    is_named = all(
        text and (_YEAR.fullmatch(text) or not is_figure(text))
        for at, text in zip(places, named, strict=False)
        if at not in wide
    )
    return is_named and any(is_figure(text) for row in others for text in row)
