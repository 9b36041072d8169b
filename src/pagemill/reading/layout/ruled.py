"""Tables with drawn cells: the pieces are put into the cells of the lattice that they are in."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from statistics import mean

from pagemill.reading.layout.grid import Filled, table_block
from pagemill.reading.layout.lattice import Lattice, lattices
from pagemill.reading.layout.lines import TextLine, standing_for
from pagemill.reading.layout.markers import is_numeric
from pagemill.reading.layout.pieces import Row, median_size, rows_of
from pagemill.reading.layout.wording import Vocabulary
from pagemill.reading.page.sheet import Stroke

# Fewer filled cells than these, or a smaller share of them, are a drawing and not a table.
LEAST_FILLED, FILLED_SHARE = 4, 0.35
# If so many columns have a piece in each line of a row, the lines are rows that no line is drawn between.
LEVEL_SHARE = 0.6

Place = tuple[int, int]


def ruled_tables(
    pieces: Sequence[TextLine], strokes: Sequence[Stroke], vocabulary: Vocabulary
) -> list[TextLine]:
    """The pieces, with those in each drawn table replaced by one that holds it."""
    rest = list(pieces)
    for lattice in lattices(strokes):
        inside = [piece for piece in rest if _is_in(piece, lattice)]
        cells = _cells(inside, lattice)
        if not _is_table(cells):
            continue
        rest = [piece for piece in rest if not _is_in(piece, lattice)]
        block = table_block(_split_rows(cells), lattice.box, vocabulary)
        rest.append(standing_for(block, lattice.box, median_size(inside)))
    return rest


def _is_in(piece: TextLine, lattice: Lattice) -> bool:
    """Whether most of a piece is within a lattice."""
    box = lattice.box
    middle = (piece.left + piece.right) / 2
    return not piece.block and box.x <= middle <= box.right and box.y <= piece.centre <= box.bottom


def _cells(pieces: Sequence[TextLine], lattice: Lattice) -> dict[Place, Filled]:
    """All cells with the pieces in them; those without a line between them are one."""
    cells = _merge_cells(lattice)
    first = {
        (row + down, column + over): (row, column)
        for (row, column), cell in cells.items()
        for down in range(cell.row_span)
        for over in range(cell.column_span)
    }
    for piece in pieces:
        cells[first[_place(piece, lattice)]].pieces.append(piece)
    return cells


def _place(piece: TextLine, lattice: Lattice) -> Place:
    """The place of a piece; for one that is too long for its cell, where it starts."""
    row = _slot(lattice.ys, piece.centre)
    middle = _slot(lattice.xs, (piece.left + piece.right) / 2)
    start = _slot(lattice.xs, piece.left + min(piece.size, piece.width / 2))
    return row, start if start < middle and not lattice.is_walled(row, start) else middle


def _slot(edges: Sequence[float], place: float) -> int:
    return min(max(bisect_right(edges, place) - 1, 0), len(edges) - 2)


def _merge_cells(lattice: Lattice) -> dict[Place, Filled]:
    """The cells without their pieces; a cell reaches right and down to where a line is."""
    taken: set[Place] = set()
    cells: dict[Place, Filled] = {}
    for row in range(len(lattice.ys) - 1):
        for column in range(len(lattice.xs) - 1):
            if (row, column) in taken:
                continue
            over = _reach_right(lattice, row, column, taken)
            down = _reach_down(lattice, row, column, over)
            cells[row, column] = Filled([], down, over)
            taken |= {(row + i, column + j) for i in range(down) for j in range(over)}
    return cells


def _reach_right(lattice: Lattice, row: int, column: int, taken: set[Place]) -> int:
    over = 1
    while (
        column + over < len(lattice.xs) - 1
        and (row, column + over) not in taken
        and not lattice.is_walled(row, column + over - 1)
    ):
        over += 1
    return over


def _reach_down(lattice: Lattice, row: int, column: int, over: int) -> int:
    """How many rows a cell reaches down: while nothing is drawn below it nor inside it."""
    down = 1
    while row + down < len(lattice.ys) - 1:
        places = range(column, column + over)
        if any(lattice.is_floored(row + down - 1, place) for place in places):
            break
        if any(lattice.is_walled(row + down, place) for place in places[:-1]):
            break
        down += 1
    return down


def _is_table(cells: dict[Place, Filled]) -> bool:
    filled = sum(bool(cell.pieces) for cell in cells.values())
    return filled >= LEAST_FILLED and filled >= FILLED_SHARE * len(cells)


def _split_rows(cells: dict[Place, Filled]) -> dict[Place, Filled]:
    """The cells, with rows that hold several lines of cells parted into as many rows."""
    height = max(row + cell.row_span for (row, _), cell in cells.items())
    lines = [
        _lines_of_cells([cell for (at, _), cell in cells.items() if at == row and cell.pieces])
        for row in range(height)
    ]
    starts = list(accumulate((max(len(parts), 1) for parts in lines), initial=0))
    result: dict[Place, Filled] = {}
    for (row, column), cell in cells.items():
        span = starts[row + cell.row_span] - starts[row]
        if not lines[row]:
            result[starts[row], column] = Filled(cell.pieces, span, cell.column_span)
        for count, line in enumerate(lines[row]):
            inside = [piece for piece in line if piece in cell.pieces]
            result[starts[row] + count, column] = Filled(inside, 1, cell.column_span)
    return result


def _lines_of_cells(filled: Sequence[Filled]) -> list[Row]:
    """The lines of a row if they are rows: numbers in a column, pieces in most; none if it is a single row."""
    if len(filled) < 2 or any(cell.row_span > 1 for cell in filled):
        return []
    lines = rows_of([piece for cell in filled for piece in cell.pieces])
    if len(lines) < 3 or not any(all(is_numeric(piece.text) for piece in cell.pieces) for cell in filled):
        return []
    columns = [sum(any(piece in cell.pieces for piece in line) for cell in filled) for line in lines]
    return lines if mean(columns) >= max(LEVEL_SHARE * len(filled), 1.5) else []
