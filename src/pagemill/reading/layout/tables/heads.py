"""The head of a table: its lines, put into rows, with cells that are over several columns or rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pagemill.reading.layout.tables.columns import Gap
from pagemill.reading.layout.tables.frame import CellSlot
from pagemill.reading.layout.tables.rows import PlacedLine, PlacedPiece
from pagemill.reading.layout.tables.rules import Rule

# A cell over several columns is in their middle; this is how far off it may be, as a share of their width.
OFF_MIDDLE = 0.12
# A head has few lines; a longer run of lines without figures is a table of words.
MOST_HEAD_LINES = 5
NUMERIC_SHARE = 0.6


@dataclass(slots=True)
class Over:
    """A piece of the head that is over several columns, in which line, and where its row ends."""

    line: int
    piece: PlacedPiece
    bottom: float


def leading(rows: Sequence[Sequence[PlacedLine]]) -> int:
    """How many rows come before the first figures of a table of figures; 0 where there are no figures."""
    numeric = _numeric_columns([line for row in rows for line in row])
    for count, row in enumerate(rows[:MOST_HEAD_LINES]):
        pieces = [placed for line in row for placed in line.pieces]
        alone = {placed.first for placed in pieces} == {0}
        if (alone and count) or any(placed.is_number and placed.first in numeric for placed in pieces):
            return count
    return 0


def _numeric_columns(lines: Sequence[PlacedLine]) -> set[int]:
    figures: dict[int, list[bool]] = {}
    for line in lines:
        for placed in line.pieces:
            figures.setdefault(placed.first, []).append(placed.is_number)
    return {
        column
        for column, found in figures.items()
        if column and len(found) > 1 and sum(found) >= NUMERIC_SHARE * len(found)
    }


def head_slots(lines: Sequence[PlacedLine], across: Sequence[Rule], gaps: Sequence[Gap]) -> list[CellSlot]:
    """The cells of the head."""
    if not lines:
        return []
    overs = _overs(lines, [rule for rule in across if rule.at < lines[-1].line.middle], gaps)
    bottoms = _row_bottoms(overs, lines)
    slots = [_over_slot(over, bottoms, lines) for over in overs]
    for column in range(len(gaps) + 1):
        slots += _column_slots(column, lines, overs, bottoms)
    return sorted(slots, key=lambda slot: (slot.row, slot.column))


def _overs(lines: Sequence[PlacedLine], across: Sequence[Rule], gaps: Sequence[Gap]) -> list[Over]:
    """Pieces over several columns, from the lowest line up."""
    overs: list[Over] = []
    for at in range(len(lines) - 1, -1, -1):
        line, below = lines[at], lines[at + 1 :]
        for placed in line.pieces:
            under = _columns_under_rule(placed, line, across, gaps) or _columns_around(
                placed, line, below, gaps
            )
            under = under or _over_overs(placed, line, [over for over in overs if over.line > at])
            if under or placed.last > placed.first:
                first, last = under or (placed.first, placed.last)
                overs.append(Over(at, PlacedPiece(placed.piece, first, last), _bottom(line, below)))
    return overs


def _bottom(line: PlacedLine, below: Sequence[PlacedLine]) -> float:
    return (line.line.middle + below[0].line.middle) / 2 if below else line.line.bottom


def _columns_under_rule(
    placed: PlacedPiece, line: PlacedLine, across: Sequence[Rule], gaps: Sequence[Gap]
) -> tuple[int, int] | None:
    """The columns under a short rule that is drawn right below the piece."""
    height = line.line.bottom - line.line.top
    for rule in across:
        if (
            line.line.middle < rule.at <= line.line.bottom + height
            and rule.start - height <= placed.piece.left
            and placed.piece.right <= rule.end + height
        ):
            first = sum(left <= rule.start + height / 2 for left, _ in gaps)
            last = sum(right < rule.end - height / 2 for _, right in gaps)
            return (first, last) if 0 < last - first < len(gaps) else None
    return None


def _columns_around(
    placed: PlacedPiece, line: PlacedLine, below: Sequence[PlacedLine], gaps: Sequence[Gap]
) -> tuple[int, int] | None:
    """The columns with words below that the piece is in the middle of."""
    middle = (placed.piece.left + placed.piece.right) / 2
    if placed.first == placed.last and not any(left <= middle <= right for left, right in gaps):
        return None
    taken = {column for other in line.pieces if other is not placed for column in other_columns(other)}
    edges = _extents(below)
    best: tuple[float, int, int] | None = None
    for first in range(placed.first + 1):
        for last in range(max(placed.last, first + 1), len(gaps) + 1):
            columns = range(first, last + 1)
            if any(column in taken or column not in edges for column in columns):
                continue
            left, right = edges[first][0], edges[last][1]
            off = abs((left + right) / 2 - middle) / max(right - left, 1)
            if off <= OFF_MIDDLE and (
                best is None or (round(off, 2), first - last) < (best[0], best[1] - best[2])
            ):
                best = round(off, 2), first, last
    return (best[1], best[2]) if best else None


def other_columns(placed: PlacedPiece) -> range:
    """The columns of a piece."""
    return range(placed.first, placed.last + 1)


def _extents(lines: Sequence[PlacedLine]) -> dict[int, tuple[float, float]]:
    """How far the words of each column reach, for pieces in one column."""
    edges: dict[int, tuple[float, float]] = {}
    for line in lines:
        for placed in line.pieces:
            if placed.first == placed.last:
                left, right = edges.get(placed.first, (placed.piece.left, placed.piece.right))
                edges[placed.first] = min(left, placed.piece.left), max(right, placed.piece.right)
    return edges


def _over_overs(placed: PlacedPiece, line: PlacedLine, overs: Sequence[Over]) -> tuple[int, int] | None:
    """The columns of all the wide pieces in the line below that the piece is in the middle of."""
    nearest = max((over.line for over in overs), default=-1) if len(line.pieces) < 3 else -1
    wide = [over.piece for over in overs if over.line == min((o.line for o in overs), default=nearest)]
    if len(wide) < 2:
        return None
    left, right = min(over.piece.left for over in wide), max(over.piece.right for over in wide)
    middle = (placed.piece.left + placed.piece.right) / 2
    if abs((left + right) / 2 - middle) > 2 * OFF_MIDDLE * (right - left):
        return None
    return min(over.first for over in wide), max(over.last for over in wide)


def _row_bottoms(overs: Sequence[Over], lines: Sequence[PlacedLine]) -> list[float]:
    """Where the rows of the head end: below each wide piece that has words under it."""
    bottoms: list[float] = []
    for over in sorted(overs, key=lambda over: over.bottom):
        under = any(
            placed.first <= over.piece.last and placed.last >= over.piece.first
            for line in lines[over.line + 1 :]
            for placed in line.pieces
        )
        if under and (not bottoms or over.bottom - bottoms[-1] > 1):
            bottoms.append(over.bottom)
    return [*bottoms, lines[-1].line.bottom + 1]


def _row_at(height: float, bottoms: Sequence[float]) -> int:
    return min(sum(bottom < height for bottom in bottoms), len(bottoms) - 1)


def _over_slot(over: Over, bottoms: Sequence[float], lines: Sequence[PlacedLine]) -> CellSlot:
    row = _row_at(lines[over.line].line.middle, bottoms)
    return CellSlot(row, over.piece.first, row, over.piece.last, list(over.piece.piece.tokens))


def _column_slots(
    column: int, lines: Sequence[PlacedLine], overs: Sequence[Over], bottoms: Sequence[float]
) -> list[CellSlot]:
    """The cells of one column: each goes on down to the next wide piece or the end of the head."""
    wide = {id(over.piece.piece) for over in overs}
    blocked = {
        _row_at(lines[over.line].line.middle, bottoms)
        for over in overs
        if over.piece.first <= column <= over.piece.last
    }
    bounds = [-1, *sorted(blocked), len(bottoms)]
    slots = [
        CellSlot(one + 1, column, other - 1, column) for one, other in pairwise(bounds) if other > one + 1
    ]
    for line in lines:
        row = _row_at(line.line.middle, bottoms)
        for placed in line.pieces:
            if id(placed.piece) not in wide and placed.first == column:
                _slot_for(slots, row, column).tokens.extend(placed.piece.tokens)
    return slots


def _slot_for(slots: list[CellSlot], row: int, column: int) -> CellSlot:
    """The cell that holds a row, or a new one where a wide piece is in the way."""
    for slot in slots:
        if slot.row <= row <= slot.last_row:
            return slot
    slots.append(CellSlot(row, column, row, column))
    return slots[-1]
