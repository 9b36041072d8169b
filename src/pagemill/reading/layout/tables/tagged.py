"""Tables as a tagged PDF has them: the edges of their cells, as if they were drawn."""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter

from pagemill.model.pages import Box
from pagemill.reading.layout.tables.rules import has_grid
from pagemill.reading.page.sheet import Hint, Stroke

Cells = Sequence[Sequence[Box | None]]
# Cells may overlap by so much, in points: boxes of characters are larger than their ink.
SLACK = 2.0
# What is drawn around a table is at most this far from its text.
MARGIN = 2.0


def with_tagged_cells(strokes: Sequence[Stroke], tags: Sequence[Hint]) -> Sequence[Stroke]:
    """The strokes of a page, and the edges of tagged cells where none are drawn and rows and columns are to be seen."""
    tables = [tag for tag in tags if tag.cells and not has_grid(tag.box, strokes)]
    return [*strokes, *(edge for table in tables for edge in _edges(table))] if tables else strokes


def _edges(table: Hint) -> Iterator[Stroke]:
    rows = [row for row in table.cells if any(row)]
    columns = max(map(len, table.cells))
    ys = _middles_between([[cell for cell in row if cell] for row in rows], "y", "bottom")
    full = [row for row in rows if len(row) == columns]
    xs = _middles_between(
        [[cell for cell in column if cell] for column in zip(*full, strict=True)], "x", "right"
    )
    if not ys or not xs:
        return
    box = table.box
    ys = [box.y - MARGIN, *ys, box.bottom + MARGIN]
    left, right = box.x - MARGIN, box.right + MARGIN
    for y in ys:
        yield Stroke(left, y, right, y)
    for x in (left, *xs, right):
        crossed = [any(cell and cell.x + SLACK < x < cell.right - SLACK for cell in row) for row in rows]
        yield from _uprights(x, ys, crossed)


def _uprights(x: float, ys: Sequence[float], crossed: Sequence[bool]) -> Iterator[Stroke]:
    """The edge of a column, without the rows whose cells go over it."""
    for over, rows in groupby(zip(crossed, pairwise(ys), strict=True), key=itemgetter(0)):
        if not over:
            spans = [span for _, span in rows]
            yield Stroke(x, spans[0][0], x, spans[-1][1])


def _middles_between(groups: Sequence[Sequence[Box]], start: str, end: str) -> list[float]:
    """Where each group of boxes ends and the next one starts; nothing if one has no box, or reaches into the next."""
    if not all(groups):
        return []
    ends = [max(getattr(box, end) for box in group) for group in groups]
    starts = [min(getattr(box, start) for box in group) for group in groups]
    pairs = list(zip(ends, starts[1:], strict=False))
    return [(one + other) / 2 for one, other in pairs] if all(a <= b + SLACK for a, b in pairs) else []
