"""Tables whose cells are drawn; where only some of the lines are drawn, the others follow from the words."""

from collections.abc import Sequence
from itertools import pairwise

from pagemill.reading.layout.tables.columns import gaps_of
from pagemill.reading.layout.tables.frame import CellSlot, Draft, Frame, fill_cells, place_of
from pagemill.reading.layout.tables.growing import REACH_POINTS, grown
from pagemill.reading.layout.tables.lines import TokenLine, character_height, line_text, lines_of
from pagemill.reading.layout.tables.plain import plain_draft
from pagemill.reading.layout.tables.rows import is_figure
from pagemill.reading.layout.tables.rules import Rule
from pagemill.reading.layout.tables.word_index import WordIndex
from pagemill.reading.page.tokens import Token

# Words in a drawn cell are cut into columns only at gaps of this many character heights, in this many lines.
WIDE_GAP = 1.2
LEAST_LINES = 3
# Where nearly every line has words on both sides, a narrow gap will do.
NEARLY_ALL = 0.8
# A line that is missing in this share of the rows may be no more than the end of a coloured band.
MOSTLY_OPEN = 0.3
# White of so many character heights parts what is in a cell.
WHITE_LINE = 0.9
# A space between words, in character heights.
SPACE = 0.4


def ruled_draft(frame: Frame, word_index: WordIndex) -> Draft | None:
    """The table in a drawn frame."""
    inside = word_index.within(frame.xs[0], frame.ys[0], frame.xs[-1], frame.ys[-1])
    if not inside:
        return None
    if frame.columns == 1:
        left, right = frame.xs[0], frame.xs[-1]
        around = word_index.within(left, frame.ys[0] - REACH_POINTS, right, frame.ys[-1] + REACH_POINTS)
        return plain_draft(grown(inside, around), [Rule(y, left, right) for y in frame.ys])
    frame = _with_columns(_without_idle_edges(frame, inside), inside)
    frame = _with_rows(frame, inside)
    _close(frame, inside)
    _close_between_figures(frame, inside)
    _close_below(frame, inside)
    return Draft(frame, fill_cells(frame, inside))


def _close(frame: Frame, tokens: Sequence[Token]) -> None:
    """Part cells at a line that is drawn in other rows where words are apart on both sides of it."""
    for slot in fill_cells(frame, tokens):
        if slot.last_column == slot.column or not slot.tokens:
            continue
        lines = lines_of(slot.tokens)
        for column in range(slot.column, slot.last_column):
            if _is_parted(lines, frame.xs[column + 1]):
                frame.open_right -= {(row, column) for row in range(slot.row, slot.last_row + 1)}


def _is_parted(lines: Sequence[TokenLine], edge: float) -> bool:
    pieces = [piece for line in lines for piece in line.pieces]
    if any(piece.left < edge - 1 and piece.right > edge + 1 for piece in pieces):
        return False
    return any(line.pieces[0].right <= edge + 1 and line.pieces[-1].left >= edge - 1 for line in lines)


def _close_between_figures(frame: Frame, tokens: Sequence[Token]) -> None:
    """Part cells that have a line in each of several rows if one of them has figures but for its head: each has a cell."""
    tall = [slot for slot in fill_cells(frame, tokens) if slot.last_row > slot.row]
    full = [slot for slot in tall if _has_line_in_each_row(slot, frame)]
    figures = {(slot.row, slot.last_row) for slot in full if _holds_figures(slot)}
    for slot in full:
        if (slot.row, slot.last_row) in figures:
            columns = range(slot.column, slot.last_column + 1)
            frame.open_below -= {(row, at) for row in range(slot.row, slot.last_row) for at in columns}


def _has_line_in_each_row(slot: CellSlot, frame: Frame) -> bool:
    rows = {place_of(frame.ys, line.middle) for line in lines_of(slot.tokens)}
    return rows == set(range(slot.row, slot.last_row + 1))


def _holds_figures(slot: CellSlot) -> bool:
    found = [is_figure(line_text(line.tokens)) for line in lines_of(slot.tokens)]
    return all(found[1:]) and sum(found) > 1


def _close_below(frame: Frame, tokens: Sequence[Token]) -> None:
    """Part cells at the height of a line that is drawn in other columns where white parts their words as well."""
    for slot in fill_cells(frame, tokens):
        lines = lines_of(slot.tokens) if slot.last_row > slot.row else []
        whites = [below.top - above.bottom for above, below in pairwise(lines)]
        for row in range(slot.row, slot.last_row):
            above = [line for line in lines if line.middle < frame.ys[row + 1]]
            if above and len(above) < len(lines) and _is_wide_white(whites, len(above) - 1, lines):
                frame.open_below -= {(row, at) for at in range(slot.column, slot.last_column + 1)}


def _is_wide_white(whites: Sequence[float], at: int, lines: Sequence[TokenLine]) -> bool:
    """Whether a line could be between two lines of a cell."""
    return whites[at] - min(0.0, *whites) > WHITE_LINE * (lines[at].bottom - lines[at].top)


def _without_idle_edges(frame: Frame, tokens: Sequence[Token]) -> Frame:
    """The frame without lines that part nothing: drawn in some rows only, with words on one side or the other."""
    places = [place for token in tokens if (place := _place(frame, token))]
    for column in range(frame.columns - 2, -1, -1):
        left = {row for row, at in places if at == column}
        right = {row for row, at in places if at == column + 1}
        is_open = sum((row, column) in frame.open_right for row in range(frame.rows))
        if is_open >= MOSTLY_OPEN * frame.rows and not left & right:
            frame = _without_edge(frame, column)
            places = [(row, at - (at > column)) for row, at in places]
    return frame


def _place(frame: Frame, token: Token) -> tuple[int, int] | None:
    row = place_of(frame.ys, (token.top + token.bottom) / 2)
    column = place_of(frame.xs, (token.left + token.right) / 2)
    return None if row is None or column is None else (row, column)


def _without_edge(frame: Frame, column: int) -> Frame:
    """The frame with a column and the next made one."""
    joined = Frame([*frame.xs[: column + 1], *frame.xs[column + 2 :]], frame.ys)
    joined.open_right = {(row, at - (at > column)) for row, at in frame.open_right if at != column}
    both = {row for row, at in frame.open_below if at == column}
    joined.open_below = {
        (row, at - (at > column))
        for row, at in frame.open_below
        if at != column + 1 and (at != column or row in both)
    }
    return joined


def _with_columns(frame: Frame, tokens: Sequence[Token]) -> Frame:
    """The frame with columns that are wide and hold several, cut."""
    for column in range(frame.columns - 1, -1, -1):
        left, right = frame.xs[column], frame.xs[column + 1]
        lines = lines_of([token for token in tokens if left <= (token.left + token.right) / 2 < right])
        height = character_height(tokens)
        cuts = [
            (one + other) / 2 for one, other in gaps_of(lines, height) if _is_wide(lines, one, other, height)
        ]
        if cuts:
            frame = _cut_column(frame, column, cuts, lines)
    return frame


def _is_wide(lines: Sequence[TokenLine], left: float, right: float, height: float) -> bool:
    both = sum(
        any(piece.right <= left + 1 for piece in line.pieces)
        and any(piece.left >= right - 1 for piece in line.pieces)
        for line in lines
    )
    if both >= NEARLY_ALL * len(lines):
        return both >= LEAST_LINES
    return right - left >= WIDE_GAP * height and both >= LEAST_LINES and both * 2 > len(lines)


def _cut_column(frame: Frame, column: int, cuts: Sequence[float], lines: Sequence[TokenLine]) -> Frame:
    more = len(cuts)
    xs = [*frame.xs[: column + 1], *cuts, *frame.xs[column + 1 :]]
    cut = Frame(xs, frame.ys)
    cut.open_right = {(row, at + more * (at >= column)) for row, at in frame.open_right}
    for row, at in frame.open_below:
        steps = range(more + 1) if at == column else [more * (at > column)]
        cut.open_below |= {(row, at + step) for step in steps}
    cut.open_right |= _crossed_cuts(frame, column, cuts, lines)
    return cut


def _crossed_cuts(
    frame: Frame, column: int, cuts: Sequence[float], lines: Sequence[TokenLine]
) -> set[tuple[int, int]]:
    """The places where words go across a cut."""
    return {
        (row, column + step)
        for line in lines
        if (row := place_of(frame.ys, line.middle)) is not None
        for piece in line.pieces
        for step, cut in enumerate(cuts)
        if piece.left < cut < piece.right
    }


def _with_rows(frame: Frame, tokens: Sequence[Token]) -> Frame:
    """The frame with rows that hold several lines of full cells, cut.

    Where lines of figures are cut, a row with fewer of them may hold several as well.
    """
    frame, cuts = _with_entries(frame, tokens, least_figures=2)
    if cuts:
        frame, _ = _with_entries(frame, tokens, least_figures=0)
    for row in range(frame.rows - 1, -1, -1):
        lines = _lines_in(frame, row, tokens)
        if len(lines) >= LEAST_LINES and _are_rows(frame, lines) and _are_most(lines, tokens):
            frame = _cut_row(frame, row, [(one.bottom + two.top) / 2 for one, two in pairwise(lines)])
    return frame


def _lines_in(frame: Frame, row: int, tokens: Sequence[Token]) -> list[TokenLine]:
    top, bottom = frame.ys[row], frame.ys[row + 1]
    return lines_of([token for token in tokens if top <= (token.top + token.bottom) / 2 < bottom])


def _with_entries(frame: Frame, tokens: Sequence[Token], least_figures: int) -> tuple[Frame, int]:
    """The frame with rows that hold several names with figures beside them cut above each name, and how many rows were."""
    cuts = 0
    for row in range(frame.rows - 1, -1, -1):
        lines = _lines_in(frame, row, tokens)
        starts = _entries(frame, row, lines, least_figures) if len(lines) > 1 else []
        if len(starts) > 1:
            heights = [(lines[at - 1].bottom + lines[at].top) / 2 for at in starts[1:]]
            frame, cuts = _cut_row(frame, row, heights), cuts + 1
    return frame, cuts


def _entries(frame: Frame, row: int, lines: Sequence[TokenLine], least_figures: int) -> list[int]:
    """Which lines start with a name that does not go on in the next line; none if the others don't have figures beside it."""
    closed = [at for at in range(frame.columns - 1) if (row, at) not in frame.open_right]
    last = min(closed, default=0)
    cells = [_cells(frame, line, last) for line in lines]
    starts = [at for at, cell in enumerate(cells) if last in cell]
    if starts[:1] != [0]:
        return []
    figures = [{at for at in cell if at > last and _is_figure(cell[at])} for cell in cells]
    shared = set.intersection(*[figures[at] for at in starts])
    # A name that goes on does not have figures beside it in line after line, and in several columns.
    sure = len(shared) > 1 and len(starts) >= LEAST_LINES
    names = [] if sure else [cells[at][last] for at in starts]
    if not all(_ends_early(*pair, frame.xs[last + 1]) for pair in pairwise(names)):
        return []
    if len(starts) == len(lines) and all(set(c) - {last} == f for c, f in zip(cells, figures, strict=True)):
        return starts if sum(map(bool, figures)) >= least_figures else []
    return starts if shared and len(starts) >= LEAST_LINES else []


def _cells(frame: Frame, line: TokenLine, last: int) -> dict[int, list[Token]]:
    """The words of a line by their columns, those of the first cell in the last of its columns."""
    cells: dict[int, list[Token]] = {}
    for token in line.tokens:
        place = place_of(frame.xs, (token.left + token.right) / 2) or 0
        cells.setdefault(max(place, last), []).append(token)
    return cells


def _is_figure(tokens: Sequence[Token]) -> bool:
    return is_figure(" ".join(token.text for token in tokens))


def _ends_early(above: Sequence[Token], below: Sequence[Token], edge: float) -> bool:
    """Whether the first word of a line would have had room at the end of the line before."""
    first = below[0]
    space = SPACE * (first.bottom - first.top)
    return above[-1].right + space + first.right - first.left < edge - space


def _are_rows(frame: Frame, lines: Sequence[TokenLine]) -> bool:
    """Whether nearly every line has words in every column that has any: wrapped cells are seldom of one length.

    Between lines with figures, others may have a title in the first column alone.
    """
    places = [
        {place_of(frame.xs, (token.left + token.right) / 2) or 0 for token in line.tokens} for line in lines
    ]
    columns = set().union(*places)
    full = [line for line, place in zip(lines, places, strict=True) if place == columns]
    titles = sum(place == {min(columns)} for place in places)
    if len(columns) < 2 or len(full) < 2:
        return False
    if len(full) >= NEARLY_ALL * len(lines):
        return not _is_wrapped(frame, lines)
    return _have_figures(full) and len(full) + titles >= NEARLY_ALL * len(lines)


def _is_wrapped(frame: Frame, lines: Sequence[TokenLine]) -> bool:
    """Whether most lines of the cells go on in the next: text side by side, and not rows."""
    cells = [_cells(frame, line, 0) for line in lines]
    pairs = [
        (above[at], below[at], at) for above, below in pairwise(cells) for at in above.keys() & below.keys()
    ]
    wrapped = sum(not _is_figure(a) and not _ends_early(a, b, frame.xs[at + 1]) for a, b, at in pairs)
    return wrapped * 2 > len(pairs)


def _have_figures(lines: Sequence[TokenLine]) -> bool:
    return all(any(is_figure(piece.text) for piece in line.pieces[1:]) for line in lines)


def _are_most(lines: Sequence[TokenLine], tokens: Sequence[Token]) -> bool:
    """Whether lines have figures, or are most of the table: elsewhere, drawn rows are rows."""
    words = [token for line in lines for token in line.tokens]
    figures = sum(any(is_figure(piece.text) for piece in line.pieces) for line in lines)
    return figures * 2 >= len(lines) or len(words) * 2 > len(tokens)


def _cut_row(frame: Frame, row: int, heights: Sequence[float]) -> Frame:
    more = len(heights)
    cut = Frame(frame.xs, [*frame.ys[: row + 1], *heights, *frame.ys[row + 1 :]])
    cut.open_below = {(at + more * (at >= row), column) for at, column in frame.open_below}
    for at, column in frame.open_right:
        cut.open_right |= {
            (at + step, column) for step in (range(more + 1) if at == row else [more * (at > row)])
        }
    return cut
