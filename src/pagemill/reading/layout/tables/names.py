"""The names of rows that are to the left of a table's rules: accounts rule their figures only."""

from collections.abc import Sequence

from pagemill.reading.layout.tables.lines import TokenLine, lines_of
from pagemill.reading.layout.tables.rows import is_figure
from pagemill.reading.page.tokens import Token

# So many rows, and this share of them, have a name beside their figures.
LEAST_ROWS, NAMED_SHARE = 3, 0.7
# This share of the names may end at one edge; the lines of a justified text do.
MOST_AT_EDGE, SAME_EDGE_POINTS = 0.5, 2.0


def names_beside(inside: Sequence[Token], left: Sequence[Token]) -> list[Token]:
    """The words to the left of a table that name its rows; none if they are a text of their own."""
    rows = [line for line in lines_of(inside) if any(is_figure(piece.text) for piece in line.pieces)]
    names = lines_of(left)
    named = [row for row in rows if any(_are_beside(name, row) for name in names)]
    if len(named) < max(LEAST_ROWS, NAMED_SHARE * len(rows)) or _is_text(names):
        return []
    beside = [name for name in names if any(_are_beside(name, row) for row in rows)]
    return list(left) if len(beside) * 2 > len(names) else []


def _are_beside(name: TokenLine, row: TokenLine) -> bool:
    return row.top < name.middle < row.bottom


def _is_text(lines: Sequence[TokenLine]) -> bool:
    """Whether most lines end at one edge, or have words far apart, as those of another table."""
    ends = [line.pieces[-1].right for line in lines]
    at_edge = sum(max(ends) - end < SAME_EDGE_POINTS for end in ends)
    parted = sum(len(line.pieces) > 1 for line in lines)
    return at_edge > max(1, MOST_AT_EDGE * len(lines)) or parted * 2 > len(lines)
