"""What belongs to a table outside of its rules.

Coloured bands often leave out the outer rows, and accounts rule their figures only, not the names of their rows.
"""

from collections.abc import Sequence

from pagemill.reading.layout.tables.columns import Gap, columns_under, gaps_of, split_at
from pagemill.reading.layout.tables.lines import TokenLine, character_height, lines_of, strips_of
from pagemill.reading.layout.tables.rows import INTO_SHARE, is_figure
from pagemill.reading.page.tokens import Token

# How far above and below its rules a table may have more rows.
REACH_POINTS = 60.0
# The next row follows within this many character heights.
NEXT_ROW = 1.2
# So many rows, and this share of them, have a name beside their figures.
LEAST_ROWS, NAMED_SHARE = 3, 0.7
# This share of the names may end at one edge; the lines of a justified text do.
MOST_AT_EDGE, SAME_EDGE_POINTS = 0.5, 2.0


def grown(inside: Sequence[Token], around: Sequence[Token]) -> list[Token]:
    """The words of a table with the rows above and below that are in its columns."""
    height = character_height(inside)
    gaps = gaps_of(strips_of(lines_of(inside), INTO_SHARE), height)
    if not gaps:
        return list(inside)
    own = {id(token) for token in inside}
    top, bottom = min(token.top for token in inside), max(token.bottom for token in inside)
    strips = strips_of(lines_of([token for token in around if id(token) not in own]), INTO_SHARE)
    result = list(inside)
    for strip in reversed([strip for strip in strips if strip.bottom <= top + height / 2]):
        if top - strip.bottom > NEXT_ROW * height or not _fits(strip, gaps, height):
            break
        result += strip.tokens
        top = strip.top
    for strip in [strip for strip in strips if strip.top >= bottom - height / 2]:
        if strip.top - bottom > NEXT_ROW * height or not _fits(strip, gaps, height):
            break
        result += strip.tokens
        bottom = strip.bottom
    return result


def _fits(strip: TokenLine, gaps: Sequence[Gap], height: float) -> bool:
    """Whether a strip has words in most columns, and none that go across."""
    pieces = [part for piece in strip.pieces for part in split_at(piece, gaps, height)]
    places = [columns_under(piece, gaps) for piece in pieces]
    columns = {first for first, _ in places}
    return all(first == last for first, last in places) and len(columns) * 2 > len(gaps) + 1


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
