"""Growing a table by the rows that are right above and below it: coloured bands often leave out the outer ones."""

from collections.abc import Sequence

from pagemill.reading.layout.tables.columns import Gap, columns_under, gaps_of, split_at
from pagemill.reading.layout.tables.lines import TokenLine, letter_height, lines_of, strips_of
from pagemill.reading.layout.tables.rows import INTO_SHARE
from pagemill.reading.page.tokens import Token

# How far above and below its rules a table may have more rows.
REACH_POINTS = 60.0
# The next row follows within this many letter heights.
NEXT_ROW = 1.2


def grown(inside: Sequence[Token], around: Sequence[Token]) -> list[Token]:
    """The words of a table with the rows above and below that are in its columns."""
    height = letter_height(inside)
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
