"""Tables without the prose and titles above, below and between them that were taken in with their columns."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from statistics import median

from pagemill.model.pages import Block, Box, Cell, Rows, box_around
from pagemill.reading.layout.judging import Judged
from pagemill.reading.layout.lines import TextLine
from pagemill.reading.layout.pieces import lines_in
from pagemill.reading.page.sheet import Stroke

# Rows whose lines are less likely than this to be those of a table are cut out, if they have so many characters together at
# its beginning and end, and so many between other rows; the rest must be likely enough and have so many rows.
UNLIKELY, PROSE_CHARACTERS, INNER_CHARACTERS, LIKELY_REST, FEWEST_ROWS = 0.2, 150, 600, 0.5, 2
# Tables that are found again have this share of the characters.
MOST_CHARACTERS = 0.9
# Upright strokes are two if they are so far apart, and between the cells if so far from the sides of the table, in points.
STROKE_GAP = 3.0
# A line that is likely to be a heading, and so much larger than most of a table, is a title and none of its cells. Of 136
# tables found in decks, 63 of the 94 false ones and 3 of the 42 true ones held one, as read by models that had not seen them.
# Where strokes part the cells at its height, only far larger text is a title's.
LIKELY_TITLE, TITLE_SIZE, DRAWN_TITLE_SIZE = 0.5, 1.25, 1.75
FindWithin = Callable[[Box], Sequence[Block]]


def without_titles(
    table: Block, lines: Sequence[TextLine], judged: Judged, find_within: FindWithin
) -> Sequence[Block]:
    """The table, or those that are found above and below the titles in it."""
    box = table.box
    inside = lines_in(lines, box) if box else []
    if not box or not inside:
        return [table]
    size, strokes = median(line.size for line in inside), judged.sheet.strokes
    titles = [
        line
        for line in sorted(inside, key=lambda line: line.top)
        if judged.chance(line, "heading") > LIKELY_TITLE
        and line.size
        > size * (DRAWN_TITLE_SIZE if _strokes_within(box, line.centre, strokes) else TITLE_SIZE)
    ]
    if not titles:
        return [table]
    edges = [box.y, *(edge for line in titles for edge in (line.top, line.bottom)), box.bottom]
    bands = [(top, bottom) for top, bottom in zip(edges[::2], edges[1::2], strict=True) if bottom > top]
    parts = (Box(box.x, top, box.width, bottom - top) for top, bottom in bands)
    return [found for part in parts for found in find_within(part)]


def without_prose(
    table: Block, lines: Sequence[TextLine], judged: Judged, find_within: FindWithin
) -> list[Block]:
    """The table without rows of prose; rows whose cells are drawn are kept.

    Columns of prose hide those of the table, so what is left is looked at again by the given function.
    """
    rows = table.all_rows
    if table.box is None or any(cell.row_span > 1 for row in rows for cell in row):
        return [table]
    held = [_lines_of(row, table.box, lines) for row in rows]
    kept = [
        _is_drawn(row, table.box, judged.sheet.strokes) or judged.mean_chance(group, "table") >= UNLIKELY
        for row, group in zip(rows, held, strict=True)
    ]
    pieces = list(_pieces(kept, held))
    if pieces == [range(len(rows))]:
        return [table]
    rest = [[line for at in piece for line in held[at]] for piece in pieces]
    if not rest or any(judged.mean_chance(group, "table") < LIKELY_REST for group in rest):
        return [table]
    parts = [_shorten(table, rows[piece.start : piece.stop]) for piece in pieces]
    return [better for part in parts for better in _look_again(part, find_within)]


def _look_again(part: Block, find_within: FindWithin) -> Sequence[Block]:
    """The tables that are found in the box of a part, if they have most of its characters and no fewer columns."""
    found = find_within(part.box) if part.box else ()
    as_wide = bool(found) and _columns(part) <= min(map(_columns, found))
    if as_wide and sum(map(_text_length, found)) >= MOST_CHARACTERS * _text_length(part):
        return found
    return [part] if len(part.rows) + bool(part.header) >= FEWEST_ROWS else ()


def _columns(table: Block) -> int:
    return max(len(row) for row in table.all_rows)


def _text_length(table: Block) -> int:
    return sum(len(cell.text.replace(" ", "")) for cell in table.cells)


def _pieces(kept: Sequence[bool], held: Sequence[Sequence[TextLine]]) -> Iterator[range]:
    """The rows of each table that is left."""
    lengths = [sum(len(line.text) for line in group) for group in held]
    runs = [[*run] for _, run in groupby(range(len(kept)), key=kept.__getitem__)]
    around = sum(lengths[at] for run in (runs[0], runs[-1]) for at in run if not kept[at])
    start = 0
    for run in runs:
        if kept[run[0]]:
            continue
        first, last = run[0] == 0, run[-1] == len(kept) - 1
        length = around if first or last else sum(lengths[at] for at in run)
        if length < (PROSE_CHARACTERS if first or last else INNER_CHARACTERS):
            continue
        if not first:
            yield range(start, run[0])
        start = run[-1] + 1
    if start < len(kept):
        yield range(start, len(kept))


def _shorten(table: Block, rows: Rows) -> Block:
    header, body = (rows[0], rows[1:]) if table.header else ((), rows)
    boxes = [cell.box for row in rows for cell in row if cell.box]
    # A part that begins further down has a first row that stands in for its header.
    heads = min(table.header_rows, max(len(body), 1)) if header is table.header else 1
    return replace(table, header=header, rows=body, box=box_around(boxes), header_rows=heads)


def _lines_of(row: Sequence[Cell], box: Box, lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines at the height of a row."""
    printed = [cell.box for cell in row if cell.box]
    if not printed:
        return []
    top, bottom = min(one.y for one in printed), max(one.bottom for one in printed)
    return [
        line
        for line in lines
        if top <= line.centre <= bottom and box.x - 2 <= (line.left + line.right) / 2 <= box.right + 2
    ]


def _is_drawn(row: Sequence[Cell], box: Box, strokes: Sequence[Stroke]) -> bool:
    """Whether upright strokes part the cells of a row: two or more, not all of them at the sides of the table."""
    printed = [cell.box for cell in row if cell.box]
    if not printed:
        return False
    middle = (min(one.y for one in printed) + max(one.bottom for one in printed)) / 2
    at = _uprights(middle, strokes)
    return len(at) > 1 and bool(_strokes_within(box, middle, strokes))


def _strokes_within(box: Box, height: float, strokes: Sequence[Stroke]) -> list[float]:
    """Where upright strokes are at a height of a table, not at its sides."""
    return [x for x in _uprights(height, strokes) if box.x + STROKE_GAP < x < box.right - STROKE_GAP]


def _uprights(height: float, strokes: Sequence[Stroke]) -> set[float]:
    return {
        round(stroke.x1 / STROKE_GAP) * STROKE_GAP
        for stroke in strokes
        if abs(stroke.x1 - stroke.x2) < 1 and min(stroke.y1, stroke.y2) <= height <= max(stroke.y1, stroke.y2)
    }
