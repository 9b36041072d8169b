"""Tables whose columns are found by the white between them, with or without rules across."""

from collections.abc import Sequence
from itertools import pairwise

from pagemill.reading.layout.tables.columns import Gap, gaps_of
from pagemill.reading.layout.tables.frame import CellSlot, Draft, Frame
from pagemill.reading.layout.tables.heads import MOST_HEAD_LINES, head_slots, leading
from pagemill.reading.layout.tables.lines import TokenLine, character_height, lines_of, strips_of
from pagemill.reading.layout.tables.rows import (
    INTO_SHARE,
    PlacedLine,
    band_lines,
    dividers,
    placed_lines,
    rows_of,
)
from pagemill.reading.layout.tables.rules import Rule
from pagemill.reading.page.tokens import Token


def plain_draft(tokens: Sequence[Token], across: Sequence[Rule]) -> Draft | None:
    """The table that the words make, or None where they aren't in columns."""
    lines, height = lines_of(tokens), character_height(tokens)
    if not lines:
        return None
    left, right = min(token.left for token in tokens), max(token.right for token in tokens)
    rules = dividers(across, left, right)
    heights = [height for height in rules if lines[0].middle < height < lines[-1].middle]
    gaps = _gaps(lines, heights, height)
    if not gaps:
        return None
    head, rows = _part_head(band_lines(placed_lines(lines, gaps, height), heights))
    slots = head_slots(head, across, gaps)
    heads = max((slot.last_row for slot in slots), default=-1) + 1
    for row, placed in enumerate(rows, heads):
        slots += row_slots(row, placed)
    return Draft(_frame(slots, gaps, left, right), slots, header_rows=heads)


def _part_head(bands: Sequence[Sequence[PlacedLine]]) -> tuple[list[PlacedLine], list[list[PlacedLine]]]:
    """The lines of the head, which ends at the first dividing rule or before the first figures, and the rows."""
    if len(bands) > 1 and len(bands[0]) <= MOST_HEAD_LINES:
        return list(bands[0]), rows_of(bands[1:])
    rows = rows_of(bands)
    count = leading(rows)
    return [line for row in rows[:count] for line in row], rows[count:]


def _gaps(lines: Sequence[TokenLine], heights: Sequence[float], height: float) -> list[Gap]:
    """The gaps of the body; those of all lines where the body is too short."""
    body = [line for line in lines if heights and line.middle > heights[0]]
    strips = strips_of(body, INTO_SHARE)
    return (gaps_of(strips, height) if len(body) > 2 else []) or gaps_of(strips_of(lines, INTO_SHARE), height)


def row_slots(row: int, lines: Sequence[PlacedLine]) -> list[CellSlot]:
    """The cells of one row of the body."""
    slots: list[CellSlot] = []
    for placed in sorted((p for line in lines for p in line.pieces), key=lambda p: (p.first, p.last)):
        if slots and placed.first <= slots[-1].last_column:
            slots[-1].last_column = max(slots[-1].last_column, placed.last)
            slots[-1].tokens += placed.piece.tokens
        else:
            slots.append(CellSlot(row, placed.first, row, placed.last, list(placed.piece.tokens)))
    return slots


def _frame(slots: Sequence[CellSlot], gaps: Sequence[Gap], left: float, right: float) -> Frame:
    """The lines between rows and columns, in the middle of the white."""
    rows: dict[int, tuple[float, float]] = {}
    for slot in slots:
        for token in slot.tokens:
            top, bottom = rows.get(slot.row, (token.top, token.bottom))
            rows[slot.row] = min(top, token.top), max(bottom, token.bottom)
    ordered = [rows[row] for row in sorted(rows)]
    middles = [(above[1] + below[0]) / 2 for above, below in pairwise(ordered)]
    xs = [left, *[(one + other) / 2 for one, other in gaps], right]
    return Frame(xs, [ordered[0][0], *middles, max(bottom for _, bottom in ordered)])
