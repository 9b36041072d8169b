"""Pieces of lines put together again: a recogniser cuts a line where its gaps are wide."""

from collections.abc import Sequence

from pagemill.reading.layout.markers import is_lone_caption, is_lone_marker
from pagemill.reading.layout.pieces import Piece, Row, rows_of, together
from pagemill.reading.page.scripts import breadth, is_right_to_left
from pagemill.reading.page.sheet import Stroke

# Gaps in parts of the letters' size: up to the first two pieces are one line whatever stands around them,
# up to the second if the lines above or below run on over the gap, as they do in justified text.
CLOSE_GAP, JUSTIFIED_GAP = 0.6, 3.0
LONG_LINE_LETTERS = 25
# A marker may stand further from its text.
MARKER_GAP = 4.0


def mended(pieces: Sequence[Piece], strokes: Sequence[Stroke]) -> list[Piece]:
    """The pieces, with those that are parts of one line put together."""
    rows = rows_of(pieces)
    walls = [stroke for stroke in strokes if abs(stroke.x1 - stroke.x2) < abs(stroke.y1 - stroke.y2)]
    merged: list[Piece] = []
    for at, row in enumerate(rows):
        around = [*(rows[at - 1] if at else ()), *(rows[at + 1] if at + 1 < len(rows) else ())]
        merged += _line_pieces(row, around, walls)
    return merged


def _line_pieces(row: Row, around: Row, walls: Sequence[Stroke]) -> Row:
    """The pieces of one row, with neighbours that belong together as one."""
    groups: list[Row] = [row[:1]]
    for at, piece in enumerate(row[1:], 1):
        if (at == 1 and _is_marker_of(row)) or (
            _belong_together(groups[-1][-1], piece, around) and not _is_walled(groups[-1][-1], piece, walls)
        ):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return [together(group) for group in groups]


def _is_marker_of(row: Row) -> bool:
    """Whether a row is a list's marker, or the number of a figure or a section, and what it stands before."""
    start, end = gap_between(row[0], row[1])
    if len(row) != 2 or end - start > MARKER_GAP * row[1].size:
        return False
    return is_lone_marker(row[0].text) or is_lone_caption(row[0].text)


def _belong_together(one: Piece, other: Piece, around: Row) -> bool:
    size = max(min(one.size, other.size), max(one.size, other.size) / 2)
    start, end = gap_between(one, other)
    if end - start < CLOSE_GAP * size:
        return True
    if end - start > JUSTIFIED_GAP * size or is_right_to_left(one.text) != is_right_to_left(other.text):
        return False
    return _is_bridged(one, start, end, around)


def gap_between(one: Piece, other: Piece) -> tuple[float, float]:
    """Where the gap between two pieces of a row starts and ends, whichever comes first."""
    left, right = (one, other) if one.left <= other.left else (other, one)
    return left.right, right.left


def _is_bridged(beside: Piece, start: float, end: float, around: Row) -> bool:
    """Whether a long line next to a gap runs on over it, and none has a gap at the same place."""
    near = [piece for piece in around if abs(piece.centre - beside.centre) < 2.2 * beside.size]
    bridges = [
        piece
        for piece in near
        if piece.left < start - beside.size
        and piece.right > end + beside.size
        and breadth(piece.text) >= LONG_LINE_LETTERS
        and 0.8 < piece.size / beside.size < 1.25
    ]
    touching = [
        piece for piece in near if piece.right > start - beside.size and piece.left < end + beside.size
    ]
    return bool(bridges) and len(touching) == len(bridges)


def _is_walled(one: Piece, other: Piece, walls: Sequence[Stroke]) -> bool:
    """Whether a drawn line stands between two pieces."""
    start, end = gap_between(one, other)
    return any(
        start - 2 <= (wall.x1 + wall.x2) / 2 <= end + 2
        and min(wall.y1, wall.y2) <= one.centre <= max(wall.y1, wall.y2)
        for wall in walls
    )
