"""Gutters: the white space between the columns of a table."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from pagemill.reading.layout.lines import TextLine, together
from pagemill.reading.layout.pieces import Row

Interval = tuple[float, float]
LEAST_GUTTER = 0.4
# A piece covers a column if it covers so much of it.
COVERED = 0.3
# A piece over several columns holds their cells if it fills so much of the outer ones.
FILLED = 0.6


def gutters_of(rows: Sequence[Row]) -> list[Interval]:
    """The intervals that no row with all its cells prints into; rows with few pieces may cross them."""
    usual = median(len(row) for row in rows if len(row) > 1)
    full = [row for row in rows if len(row) >= max(2, usual)]
    exact = _free_intervals(full, 0)
    if len(exact) + 1 < usual and len(full) > 5:
        return max(exact, _free_intervals(full, max(1, len(full) // 8)), key=len)
    return exact


def _free_intervals(rows: Sequence[Row], tolerated: int) -> list[Interval]:
    """The intervals inside the rows that at most so many pieces cover."""
    edges: list[tuple[float, int]] = []
    for row in rows:
        for piece in row:
            edges += ((piece.left, 1), (piece.right, -1))
    edges.sort(key=lambda edge: (edge[0], -edge[1]))
    least = LEAST_GUTTER * median(row[0].size for row in rows)
    gaps: list[Interval] = []
    cover, since = 0, None
    for x, change in edges:
        cover += change
        if cover <= tolerated and since is None and change < 0:
            since = x
        elif cover > tolerated and since is not None:
            if x - since >= least:
                gaps.append((since, x))
            since = None
    return gaps


def columns_between(gutters: Sequence[Interval], rows: Sequence[Row]) -> list[Interval]:
    """The columns that gutters leave; a nearly empty one goes to the column before."""
    left = min(piece.left for row in rows for piece in row)
    right = max(piece.right for row in rows for piece in row)
    starts = [left, *(gutter[1] for gutter in gutters)]
    ends = [*(gutter[0] for gutter in gutters), right]
    return list(zip(starts, ends, strict=True))


def column_span(piece: TextLine, columns: Sequence[Interval]) -> tuple[int, int]:
    """The first and the last column that a piece covers."""
    left, right = piece.left, piece.right
    over: list[int] = []
    for at, (start, end) in enumerate(columns):
        if start >= right:
            break
        if end > left and min(end, right) - max(start, left) > COVERED * (end - start):
            over.append(at)
    if over:
        return over[0], over[-1]
    middle = (left + right) / 2
    nearest = min(range(len(columns)), key=lambda at: _distance(middle, columns[at]))
    return nearest, nearest


def parted_over(piece: TextLine, columns: Sequence[Interval]) -> list[TextLine]:
    """A piece that fills several columns parted into their cells, each word going where it is.

    A heading that spans columns is over their middle and does not fill the outer ones: it stays whole.
    """
    first, last = column_span(piece, columns)
    words = _words_of(piece)
    if first == last or len(words) < last - first + 1 or not _fills(piece, columns[first], columns[last]):
        return [piece]
    ends = _best_ends(words, columns[first : last + 1])
    return [together(words[start:end]) for start, end in pairwise([0, *ends])]


def _fills(piece: TextLine, first: Interval, last: Interval) -> bool:
    return all(
        min(piece.right, end) - max(piece.left, start) > FILLED * (end - start)
        for start, end in (first, last)
    )


def _words_of(piece: TextLine) -> list[TextLine]:
    return [TextLine([word], piece.hint) for word in piece.words]


def _best_ends(words: Sequence[TextLine], columns: Sequence[Interval]) -> list[int]:
    """Up to which word each column goes, so that words are as near to their columns as can be; none is empty."""
    spare = len(words) - len(columns)
    best = [(0.0, list[int]())] * (spare + 1)
    for at, column in enumerate(columns):
        costs = [_distance((word.left + word.right) / 2, column) for word in words]
        following: list[tuple[float, list[int]]] = []
        for extra in range(spare + 1):
            end = at + 1 + extra
            ways = [
                (best[before][0] + sum(costs[at + before : end]), [*best[before][1], end])
                for before in (range(extra + 1) if at else (0,))
            ]
            following.append(min(ways))
        best = following
    return best[spare][1]


def _distance(x: float, interval: Interval) -> float:
    return max(interval[0] - x, x - interval[1], 0.0)
