"""Tables without drawn cells: pieces that are in columns over several rows."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean, median

from pagemill.model.pages import Box
from pagemill.reading.layout.grid import Filled, table_block
from pagemill.reading.layout.gutters import Interval, column_span, columns_between, gutters_of, parted_over
from pagemill.reading.layout.lines import TextLine, standing_for
from pagemill.reading.layout.markers import has_leader, is_caption, is_lone_marker, is_numeric
from pagemill.reading.layout.pieces import Row, hull, median_size
from pagemill.reading.layout.wording import Vocabulary
from pagemill.reading.page.scripts import breadth
from pagemill.reading.page.sheet import Stroke

LEAST_ROWS = 3
# The widest space between two rows of a table, and how many rows with a single piece may follow each other.
WIDEST_SPACE, MOST_SINGLE_ROWS = 2.5, 3
PROSE_LETTERS = 40
# Of two columns that are no table for sure: cells with more letters than this are text.
SHORT_LETTERS = 30
NUMBER_SHARE = 0.6
# A table has something in most of its cells; a chart's labels are scattered.
FILLED_SHARE, FILLED_SHARE_OF_ALL = 0.5, 0.4
HEADER_ROWS = 2
LEADER_SHARE, LONGEST_PAGE_NUMBER = 0.3, 4
# Steps between rows that differ by this much are of two kinds: lines of one row, and rows.
TWO_STEPS = 1.35
LINE_STEP = 1.6
# Lines are never nearer than this, in parts of the letters' size.
INTERLEAVED = 0.85
# A row further off than others, by this many of their spaces, or in letters of another size, is no part of the table.
FAR_SPACES, FAR_SIZE, OTHER_SIZE = 2.5, 2.0, 1.4


@dataclass(frozen=True, slots=True)
class TableRows:
    """Rows that make a table, with its columns; `drawn` if lines are over and under them."""

    rows: list[Row]
    columns: list[Interval]
    drawn: bool


def with_tables(rows: list[Row], strokes: Sequence[Stroke], vocabulary: Vocabulary) -> list[Row]:
    """The rows, with those of each table replaced by one piece that holds it."""
    result: list[Row] = []
    at = 0
    for start, end in _runs(rows):
        table = _table_in(rows[start:end], strokes)
        if table is None:
            continue
        result += rows[at:start]
        result.append([_standing(table, vocabulary)])
        at = end
    return result + rows[at:]


def _runs(rows: Sequence[Row]) -> Iterator[tuple[int, int]]:
    """Where rows with several pieces follow each other, with few others among them."""
    start = 0
    while start < len(rows):
        if len(rows[start]) < 2:
            start += 1
            continue
        end = _run_end(rows, start)
        start -= start > 0 and _names_columns(rows[start - 1], rows[start])
        if sum(len(row) > 1 for row in rows[start:end]) >= 2:
            yield from _close_runs(rows, start, end)
        start = end


def _names_columns(row: Row, first: Row) -> bool:
    """Whether a single piece over a row of numbers holds the names of its columns, read as one."""
    if len(row) > 1 or row[0].block or is_caption(row[0].text) or _space(row, first) > row[0].size:
        return False
    width = max(piece.right for piece in first) - min(piece.left for piece in first)
    enough = len(row[0].text.split(" ")) >= len(first) > 2
    numbers = sum(is_numeric(piece.text) for piece in first)
    return enough and 2 * numbers > len(first) and 0.75 < row[0].width / max(width, 1.0) < 1.4


def _close_runs(rows: Sequence[Row], start: int, end: int) -> Iterator[tuple[int, int]]:
    """A run cut where a row is far from the next, or in other letters."""
    spaces = [_space(upper, lower) for upper, lower in pairwise(rows[start:end])]
    limit = max(FAR_SPACES * median(spaces), FAR_SIZE * median(row[0].size for row in rows[start:end]))
    for at, space in enumerate(spaces, start + 1):
        if space > limit or not _same_letters(rows[at - 1], rows[at]):
            if at - start > 1:
                yield start, at
            start = at
    if end - start > 1:
        yield start, end


def _same_letters(upper: Row, lower: Row) -> bool:
    one, other = (median(piece.size for piece in row) for row in (upper, lower))
    return max(one, other) < OTHER_SIZE * min(one, other)


def _space(upper: Row, lower: Row) -> float:
    return min(piece.top for piece in lower) - max(piece.bottom for piece in upper)


def _run_end(rows: Sequence[Row], start: int) -> int:
    """The end of the run that starts at a row: after its last row with several pieces, and what is wrapped below."""
    end, at = start + 1, start + 1
    while at < len(rows) and _follows(rows[at - 1], rows[at]):
        if len(rows[at]) > 1:
            end = at + 1
        elif at - end >= MOST_SINGLE_ROWS:
            break
        at += 1
    while end < len(rows) and _is_wrapped(rows[end - 1], rows[end]):
        end += 1
    return end


def _follows(upper: Row, lower: Row) -> bool:
    """Whether a row may belong to the same table as the one above."""
    if lower[0].block or is_caption(lower[0].text):
        return False
    if _space(upper, lower) > WIDEST_SPACE * lower[0].size:
        return False
    return len(lower) > 1 or breadth(lower[0].text) < 2 * PROSE_LETTERS


def _is_wrapped(upper: Row, lower: Row) -> bool:
    """Whether a single piece goes on with a cell of the row above that is not its first."""
    if len(lower) > 1 or lower[0].block or len(upper) < 2:
        return False
    piece = lower[0]
    step = piece.centre - upper[0].centre
    return step < LINE_STEP * piece.size and any(
        abs(piece.left - above.left) < 0.5 * piece.size and piece.left > upper[0].right for above in upper[1:]
    )


def _table_in(rows: list[Row], strokes: Sequence[Stroke]) -> TableRows | None:
    """The table that a run of rows makes, or None if it is text that is only side by side."""
    if all(len(row) < 2 for row in rows):
        return None
    rows = _interleave(rows)
    columns = columns_between(gutters_of(rows), rows)
    if len(columns) < 2:
        return None
    found = TableRows(
        [_part_cells(row, at, columns) for at, row in enumerate(rows)], columns, _is_framed(rows, strokes)
    )
    return found if _is_table(found) else None


def _part_cells(row: Row, at: int, columns: Sequence[Interval]) -> Row:
    """A row with the pieces that hold several cells parted: names of columns, or numbers.

    In other rows a text that is too long for its cell may run on into the next.
    """
    result: Row = []
    for piece in row:
        words = piece.text.split(" ")
        cells = at < HEADER_ROWS or 2 * sum(map(is_numeric, words)) >= len(words)
        result += parted_over(piece, columns) if cells else [piece]
    return result


def _interleave(rows: Sequence[Row]) -> list[Row]:
    """The rows, with those that are less than a line apart as one: cells of two lines beside cells of one."""
    result: list[Row] = [list(rows[0])]
    for upper, lower in pairwise(rows):
        near = lower[0].centre - upper[0].centre < INTERLEAVED * min(lower[0].size, upper[0].size)
        if near and not any(
            one.left < other.right and other.left < one.right for one in upper for other in lower
        ):
            result[-1] += lower
        else:
            result.append(list(lower))
    return result


def _is_framed(rows: Sequence[Row], strokes: Sequence[Stroke]) -> bool:
    """Whether at least two drawn lines run over the whole width of rows, at or between them."""
    box = hull([piece for row in rows for piece in row])
    slack = 2.5 * rows[0][0].size
    heights = {
        round(stroke.y1 / 3)
        for stroke in strokes
        if abs(stroke.y1 - stroke.y2) < 2
        and box.y - slack < stroke.y1 < box.bottom + slack
        and min(stroke.x1, stroke.x2) < box.x + 0.1 * box.width
        and max(stroke.x1, stroke.x2) > box.right - 0.1 * box.width
    }
    return len(heights) >= 2


def _is_table(found: TableRows) -> bool:
    several = [row for row in found.rows if len(row) > 1]
    cells = _column_texts(found)
    if is_marker_column(cells[0]) and len(cells) == 2:
        return False
    numbers = [sum(map(is_numeric, texts)) / len(texts) for texts in cells]
    if (min(numbers) > NUMBER_SHARE and not _has_heads(found.rows)) or _is_contents(cells, numbers):
        return False
    if not _is_filled(found):
        return False
    if found.drawn:
        return len(several) >= 2
    if len(several) < LEAST_ROWS or len(several) < 0.4 * len(found.rows):
        return False
    lengths = [mean(breadth(text) for text in texts) for texts in cells]
    if len(cells) == 2:
        return _are_two_columns(found, lengths, numbers)
    return sum(length > SHORT_LETTERS for length in lengths) <= len(cells) // 3


def _is_filled(found: TableRows) -> bool:
    """Whether most cells hold something, also where rows of a single piece are counted."""
    taken = [len({column_span(piece, found.columns)[0] for piece in row}) for row in found.rows]
    several = [count for count in taken if count > 1]
    width = len(found.columns)
    return (
        sum(several) >= FILLED_SHARE * len(several) * width
        and sum(taken) >= FILLED_SHARE_OF_ALL * len(taken) * width
    )


def _has_heads(rows: Sequence[Row]) -> bool:
    """Whether words are over the columns; numbers alone are the labels of a chart."""
    return any(sum(not is_numeric(piece.text) for piece in row) >= max(2, len(row) / 2) for row in rows[:2])


def _is_contents(cells: Sequence[Sequence[str]], numbers: Sequence[float]) -> bool:
    """Whether it is a table of contents: titles, leading dots, then numbers of pages that go up."""
    if sum(has_leader(text) for texts in cells for text in texts) >= LEADER_SHARE * len(cells[0]):
        return True
    if any(share > 0 for share in numbers[1:-1]) or max(map(len, cells[-1])) > LONGEST_PAGE_NUMBER:
        return False
    pages = [int(text) for text in cells[-1] if text.isdecimal()]
    rising = sum(one <= other for one, other in pairwise(pages))
    return len(pages) >= max(LEAST_ROWS, 0.5 * len(cells[-1])) and rising >= 0.8 * (len(pages) - 1)


def is_marker_column(texts: Sequence[str]) -> bool:
    """Whether a column holds only the markers of a list."""
    return all(is_lone_marker(text) for text in texts)


def _are_two_columns(found: TableRows, lengths: Sequence[float], numbers: Sequence[float]) -> bool:
    """Whether two columns are a table: numbers in one of them, or short names and values at one edge."""
    if max(numbers) >= NUMBER_SHARE:
        return min(lengths) < SHORT_LETTERS and max(lengths) < 2 * SHORT_LETTERS
    seconds = [row[1] for row in found.rows if len(row) == 2]
    if len(seconds) < LEAST_ROWS:
        return False
    edge = median(piece.left for piece in seconds)
    aligned = sum(abs(piece.left - edge) < 0.5 * piece.size for piece in seconds)
    return max(lengths) < SHORT_LETTERS and aligned >= 0.8 * len(seconds)


def _column_texts(found: TableRows) -> list[list[str]]:
    """The texts in each column."""
    texts: list[list[str]] = [[] for _ in found.columns]
    for row in found.rows:
        for piece in row:
            texts[column_span(piece, found.columns)[0]].append(piece.text)
    return [column or [""] for column in texts]


def _standing(found: TableRows, vocabulary: Vocabulary) -> TextLine:
    pieces = [piece for row in found.rows for piece in row]
    box: Box = hull(pieces)
    grid: dict[tuple[int, int], Filled] = {}
    for number, row in enumerate(_cell_rows(found)):
        placed = [(column_span(piece, found.columns), piece) for piece in row]
        firsts = [first for (first, _), _ in placed]
        for (first, last), piece in placed:
            end = min([last + 1, *(other for other in firsts if other > first)])
            grid.setdefault((number, first), Filled([], 1, end - first)).pieces.append(piece)
    return standing_for(table_block(grid, box, vocabulary), box, median_size(pieces))


def _cell_rows(found: TableRows) -> list[Row]:
    """The rows of the table; lines that go on with the cells above are put to them."""
    line_step = _step_within_rows(found.rows)
    rows: list[Row] = []
    for at, row in enumerate(found.rows):
        if at and _goes_on(found, rows[-1], found.rows[at - 1], row, line_step):
            rows[-1] = rows[-1] + row
        else:
            rows.append(row)
    return rows


def _step_within_rows(rows: Sequence[Row]) -> float:
    """The longest step that is one between lines of the same row; 0 if all steps are alike."""
    steps = sorted(lower[0].centre - upper[-1].centre for upper, lower in pairwise(rows))
    if not steps or steps[0] > LINE_STEP * rows[0][0].size:
        return 0.0
    jumps = [(larger / max(smaller, 1.0), smaller) for smaller, larger in pairwise(steps)]
    ratio, below = max(jumps, default=(1.0, 0.0))
    return below if ratio >= 1.2 and steps[-1] >= TWO_STEPS * steps[0] else 0.0


def _goes_on(found: TableRows, above: Row, upper: Row, row: Row, line_step: float) -> bool:
    """Whether a row goes on with the cells of the one above."""
    taken = {column_span(piece, found.columns)[0] for piece in above}
    places = Counter(column_span(piece, found.columns)[0] for piece in row)
    if any(is_numeric(piece.text) for piece in row) and places.keys() & taken and not _is_amid(places, taken):
        return False
    if not places.keys() <= taken and not _is_amid(places, taken):
        return False
    step = row[0].centre - upper[-1].centre
    if line_step and step <= line_step * 1.02:
        return True
    return 0 not in places and step < LINE_STEP * row[0].size and len(places) < len(found.columns)


def _is_amid(places: Counter[int], taken: set[int]) -> bool:
    """Whether a row has several lines in the only cell that has begun above: the other cells are at its middle."""
    return len(taken) == 1 and all(places[column] > 1 for column in taken)
