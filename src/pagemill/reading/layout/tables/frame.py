"""A frame: the lines between the columns and rows of a table, and which of its places make one cell."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pagemill.model.pages import Block, Box, Cell, Kind
from pagemill.reading.layout.tables.header_rows import count_header_rows
from pagemill.reading.layout.tables.lines import joined_text
from pagemill.reading.page.geometry import hull
from pagemill.reading.page.tokens import Token


@dataclass(slots=True)
class Frame:
    """Where columns and rows begin and end; `open_right` and `open_below` hold the places without a border there."""

    xs: list[float]
    ys: list[float]
    open_right: set[tuple[int, int]] = field(default_factory=set)
    open_below: set[tuple[int, int]] = field(default_factory=set)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.ys) - 1

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return len(self.xs) - 1

    @property
    def box(self) -> Box:
        """The whole frame."""
        left, top = self.xs[0], self.ys[0]
        return Box(round(left, 2), round(top, 2), round(self.xs[-1] - left, 2), round(self.ys[-1] - top, 2))


@dataclass(slots=True)
class CellSlot:
    """One cell: its first place, how far it goes, and the words in it."""

    row: int
    column: int
    last_row: int
    last_column: int
    tokens: list[Token] = field(default_factory=list)


@dataclass(slots=True)
class Draft:
    """A table that was found, with the words that it takes."""

    frame: Frame
    slots: list[CellSlot]
    # How many rows name the columns, where a rule or the figures below tell; 0 if nothing does.
    header_rows: int = 0

    @property
    def tokens(self) -> Iterator[Token]:
        """All words in its cells."""
        return (token for slot in self.slots for token in slot.tokens)


def place_of(edges: Sequence[float], at: float) -> int | None:
    """The row or column that a point is in."""
    place = bisect_right(edges, at) - 1
    return place if 0 <= place < len(edges) - 1 else None


def fill_cells(frame: Frame, tokens: Iterable[Token]) -> list[CellSlot]:
    """The cells of a frame with the words in them."""
    slots = slots_of(frame)
    at = {
        (row, column): slot
        for slot in slots
        for row in range(slot.row, slot.last_row + 1)
        for column in range(slot.column, slot.last_column + 1)
    }
    for token in tokens:
        row = place_of(frame.ys, (token.top + token.bottom) / 2)
        column = place_of(frame.xs, (token.left + token.right) / 2)
        if row is not None and column is not None:
            at[row, column].tokens.append(token)
    return slots


def slots_of(frame: Frame) -> list[CellSlot]:
    """The cells: places without a border between them, widened until each is a rectangle."""
    slots: list[CellSlot] = []
    taken: set[tuple[int, int]] = set()
    for row in range(frame.rows):
        for column in range(frame.columns):
            if (row, column) not in taken:
                slot = _grown(frame, row, column, taken)
                taken |= set(_places(slot))
                slots.append(slot)
    return slots


def _grown(frame: Frame, row: int, column: int, taken: set[tuple[int, int]]) -> CellSlot:
    slot = CellSlot(row, column, row, column)
    while (
        slot.last_column + 1 < frame.columns
        and (row, slot.last_column) in frame.open_right
        and (row, slot.last_column + 1) not in taken
    ):
        slot.last_column += 1
    columns = range(column, slot.last_column + 1)
    while (
        slot.last_row + 1 < frame.rows
        and all((slot.last_row, at) in frame.open_below for at in columns)
        and not any((slot.last_row + 1, at) in taken for at in columns)
    ):
        slot.last_row += 1
    return slot


def _places(slot: CellSlot) -> Iterator[tuple[int, int]]:
    for row in range(slot.row, slot.last_row + 1):
        for column in range(slot.column, slot.last_column + 1):
            yield row, column


def table_block(draft: Draft) -> Block:
    """The block of a table: without rows and columns that hold nothing at all."""
    slots = settle_cells(slot for slot in draft.slots if slot.tokens)
    rows = sorted({slot.row for slot in slots})
    columns = sorted({slot.column for slot in slots})
    places = [[Cell("") for _ in columns] for _ in rows]
    for slot in slots:
        places[rows.index(slot.row)][columns.index(slot.column)] = Cell(
            joined_text(slot.tokens),
            hull(slot.tokens),
            sum(slot.row <= row <= slot.last_row for row in rows),
            sum(slot.column <= column <= slot.last_column for column in columns),
        )
    header, *body = grid = [tuple(row) for row in places]
    heads = count_header_rows(grid, sum(row < draft.header_rows for row in rows))
    return Block("", Kind.TABLE, draft.frame.box, header=header, rows=tuple(body), header_rows=heads)


def settle_cells(slots: Iterable[CellSlot]) -> list[CellSlot]:
    """The cells, none over another: one that starts inside another joins it, one that reaches too far is cut."""
    ordered = sorted(slots, key=lambda slot: (slot.row, slot.column))
    starts = {(slot.row, slot.column) for slot in ordered}
    held: dict[tuple[int, int], CellSlot] = {}
    result: list[CellSlot] = []
    for slot in ordered:
        if other := held.get((slot.row, slot.column)):
            other.tokens = [*other.tokens, *slot.tokens]
            continue
        starts.discard((slot.row, slot.column))
        own = _cut_back(slot, starts, held)
        held |= dict.fromkeys(_places(own), own)
        result.append(own)
    return result


def _cut_back(
    slot: CellSlot, starts: set[tuple[int, int]], held: dict[tuple[int, int], CellSlot]
) -> CellSlot:
    """The cell as far as it reaches over no other."""
    own = CellSlot(slot.row, slot.column, slot.last_row, slot.last_column, slot.tokens)
    while own.last_column > own.column and any(
        (own.row, at) in starts or (own.row, at) in held for at in range(own.column + 1, own.last_column + 1)
    ):
        own.last_column -= 1
    while own.last_row > own.row and any(
        place in starts or place in held for place in _places(own) if place[0] > own.row
    ):
        own.last_row -= 1
    return own
