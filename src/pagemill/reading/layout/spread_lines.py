"""Lines of a narrow column that were set wide to fill it, and whose words a recogniser has taken for lines of their own."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pagemill.reading.layout.lines import TextLine, gap_between, together
from pagemill.reading.layout.pieces import Row, rows_of
from pagemill.reading.page.scripts import breadth

# A column is known by lines of so many characters, in so many rows above and below.
FULL_CHARACTERS, ROWS_AROUND = 16, 4
# How far the ends of a line may be from the column's edges, in font sizes; a first line is set in.
FLUSH, FIRST_INSET = 0.9, 3.5
# All spaces of a line are about as wide, but for what boxes waver, in sizes.
EVEN_GAPS, GAP_WAVER = 1.5, 0.6
WIDEST_GAP = 8.0
# Cells under each other begin or end so near to one line, in sizes.
ALIGNED = 0.5


def with_spread_lines(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines of a page, with pieces as one line that fill a column from edge to edge with even spaces between them."""
    rows = rows_of([line for line in lines if not line.rotation])
    joined = [_join_spread(row, rows, at) for at, row in enumerate(rows)]
    return [*(line for row in joined for line in row), *(line for line in lines if line.rotation)]


def _join_spread(row: Row, rows: Sequence[Row], at: int) -> Row:
    if len(row) < 2:
        return row
    above, below = rows[max(at - ROWS_AROUND, 0) : at][::-1], rows[at + 1 : at + 1 + ROWS_AROUND]
    for full in _full_lines([*above, *below], row[0].size):
        parts = _parts_within(row, full)
        if len(parts) > 1 and _is_spread(parts, full, _beside(above, full), _beside(below, full)):
            first = row.index(parts[0])
            whole = [*row[:first], together(parts), *row[first + len(parts) :]]
            return _join_spread(whole, rows, at)
    return row


def _full_lines(around: Sequence[Row], size: float) -> Iterator[TextLine]:
    for row in around:
        for line in row:
            if 0.8 < line.size / size < 1.25 and breadth(line.text) >= FULL_CHARACTERS:
                yield line


def _parts_within(row: Row, full: TextLine) -> Row:
    """The pieces of a row that are between the edges of a line above or below it."""
    margin = FLUSH * full.size
    return [piece for piece in row if piece.left >= full.left - margin and piece.right <= full.right + margin]


def _beside(rows: Sequence[Row], full: TextLine) -> list[Row]:
    """What is in the column of a line in each row, from the left."""
    parts = [sorted(_parts_within(row, full), key=lambda piece: piece.left) for row in rows]
    return [part for part in parts if part]


def _is_spread(parts: Row, full: TextLine, above: Sequence[Row], below: Sequence[Row]) -> bool:
    """Whether pieces reach from one edge of a column to the other with even spaces that are no gutters of a table."""
    size = parts[0].size
    left, right = min(piece.left for piece in parts), max(piece.right for piece in parts)
    if left - full.left > FIRST_INSET * size or full.right - right > FLUSH * size:
        return False
    gaps = [gap_between(one, other) for one, other in pairwise(parts)]
    widths = [end - start for start, end in gaps]
    if max(widths) > min(WIDEST_GAP * size, EVEN_GAPS * min(widths) + GAP_WAVER * size):
        return False
    if any(_is_aligned(parts, row) for row in (*above[:1], *below[:1])):
        return False
    return all(_is_bridged([*above, *below], (start + end) / 2) for start, end in gaps)


def _is_aligned(parts: Row, row: Row) -> bool:
    """Whether each gap of a row begins or ends where one of another row does, as the cells of a table do."""
    near = ALIGNED * parts[0].size
    gaps = [gap_between(one, other) for one, other in pairwise(row)]
    return bool(gaps) and all(
        any(abs(start - gap[0]) < near or abs(end - gap[1]) < near for gap in gaps)
        for start, end in (gap_between(one, other) for one, other in pairwise(parts))
    )


def _is_bridged(beside: Sequence[Row], middle: float) -> bool:
    """Whether at least half of the rows that reach over a place print there."""
    reaching = [row for row in beside if row[0].left < middle < row[-1].right]
    over = sum(any(line.left < middle < line.right for line in row) for row in reaching)
    return over * 2 >= len(reaching) > 0
