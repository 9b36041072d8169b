"""Growing a table by the rows that are right above and below it: coloured bands often leave out the outer ones."""

from collections.abc import Sequence

from pagemill.reading.sheet import Token
from pagemill.reading.tables.columns import Gap, columns_under, gaps_of, split_at
from pagemill.reading.tables.frame import Frame, place_of
from pagemill.reading.tables.grids import NARROWEST_POINTS
from pagemill.reading.tables.lines import LinePiece, TokenLine, letter_height, lines_of, strips_of
from pagemill.reading.tables.rows import INTO_SHARE
from pagemill.reading.tables.rules import Rule
from pagemill.reading.tables.stacks import EDGE_POINTS
from pagemill.reading.tables.word_index import WordIndex

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


def with_head(frame: Frame, across: Sequence[Rule], word_index: WordIndex) -> Frame:
    """The frame with the row between its top and the next rule above of the same width, if that is in its columns."""
    left, top, right = frame.xs[0], frame.ys[0], frame.xs[-1]
    rules = [
        rule.at
        for rule in across
        if top - REACH_POINTS < rule.at < top - NARROWEST_POINTS and _reaches(rule, left, right)
    ]
    if frame.columns == 1 or not rules:
        return frame
    head = max(rules)
    lines = lines_of(word_index.within(left, head, right, top))
    pieces = [piece for line in lines for piece in line.pieces]
    places = {place_of(frame.xs, piece.left) for piece in pieces}
    if len(places) * 2 <= frame.columns or any(_goes_over(piece, frame.xs) for piece in pieces):
        return frame
    return Frame(
        frame.xs,
        [head, *frame.ys],
        {(row + 1, column) for row, column in frame.open_right},
        {(row + 1, column) for row, column in frame.open_below},
    )


def _reaches(rule: Rule, left: float, right: float) -> bool:
    return abs(rule.start - left) < EDGE_POINTS and abs(rule.end - right) < EDGE_POINTS


def _goes_over(piece: LinePiece, edges: Sequence[float]) -> bool:
    return any(piece.left < edge - 1 and piece.right > edge + 1 for edge in edges)
