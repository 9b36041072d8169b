"""Headers and footers: the rows at the very top and bottom of a page that are apart from the rest."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from pagemill.reading.layout.lines import TextLine, gap_between
from pagemill.reading.layout.pieces import Row, rows_of
from pagemill.reading.page.sheet import Stroke

# The share of the page's height in which a header or a footer is, and how far from the text, in letters' sizes.
HEADER_SHARE, FOOTER_SHARE = 0.1, 0.1
LEAST_DISTANCE = 0.8
MOST_ROWS = 2
RULE_SHARE = 0.7
LONGEST_LETTERS = 120
# Pieces of a header further apart than this are two: a title on one side and the page's number on the other.
TWO_TEXTS = 3.0

Parts = list[list[TextLine]]


def without_edges(
    pieces: Sequence[TextLine], height: float, strokes: Sequence[Stroke]
) -> tuple[Parts, list[TextLine], Parts]:
    """The header, the rest and the footer of a page."""
    rows = rows_of(pieces)
    usual = _usual_space(rows)
    first = max(_header_rows(rows, height, usual), _ruled_off_rows(rows, height, strokes))
    last = len(rows) - _footer_rows(rows[first:], height, usual)
    body = [piece for row in rows[first:last] for piece in row]
    return texts_of(rows[:first]), body, texts_of(rows[last:])


def _usual_space(rows: Sequence[Row]) -> float:
    """The space between rows of the page, as most of them have it."""
    spaces = [_space(upper, lower) for upper, lower in pairwise(rows)]
    return max(median(spaces), 0.0) if spaces else 0.0


def _space(upper: Row, lower: Row) -> float:
    return min(piece.top for piece in lower) - max(piece.bottom for piece in upper)


def _header_rows(rows: Sequence[Row], height: float, usual: float) -> int:
    """How many rows at the top are a header."""
    for count in range(min(MOST_ROWS, len(rows) - 1), 0, -1):
        edge = rows[count - 1]
        space = _space(edge, rows[count])
        high = max(piece.bottom for piece in edge) < HEADER_SHARE * height
        if high and space > LEAST_DISTANCE * edge[0].size + usual and _is_short(rows[:count]):
            return count
    return 0


def _ruled_off_rows(rows: Sequence[Row], height: float, strokes: Sequence[Stroke]) -> int:
    """How many rows are over a line that is drawn under the header, from one side to the other."""
    left = min((piece.left for row in rows for piece in row), default=0.0)
    right = max((piece.right for row in rows for piece in row), default=0.0)
    rules = [
        stroke.y1
        for stroke in strokes
        if abs(stroke.y1 - stroke.y2) < 2
        and stroke.y1 < HEADER_SHARE * height
        and abs(stroke.x1 - stroke.x2) > RULE_SHARE * (right - left)
    ]
    if not rules:
        return 0
    count = sum(row[0].centre < max(rules) for row in rows)
    # A line above as well makes it the first row of a table.
    if not 0 < count <= min(MOST_ROWS, len(rows) - 1) or min(rules) < rows[0][0].centre:
        return 0
    return count if _is_short(rows[:count]) else 0


def _footer_rows(rows: Sequence[Row], height: float, usual: float) -> int:
    """How many rows at the bottom are a footer."""
    for count in range(min(MOST_ROWS, len(rows) - 1), 0, -1):
        edge = rows[-count]
        space = _space(rows[-count - 1], edge)
        low = min(piece.top for piece in edge) > (1 - FOOTER_SHARE) * height
        if low and space > LEAST_DISTANCE * edge[0].size + usual and _is_short(rows[-count:]):
            return count
    return 0


def _is_short(rows: Sequence[Row]) -> bool:
    """Whether no row holds a table or more words than headers do."""
    return all(sum(len(piece.text) for piece in row) <= LONGEST_LETTERS and not row[0].block for row in rows)


def texts_of(rows: Sequence[Row]) -> Parts:
    """The texts of a header, each a part of its own; a single piece under another may go on with it."""
    parts: Parts = []
    for number, row in enumerate(rows):
        under = number > 0 and len(row) == len(rows[number - 1]) == 1
        for at, piece in enumerate(row):
            start, end = gap_between(row[at - 1], piece) if at else (0.0, 0.0)
            if under or (at and end - start < TWO_TEXTS * piece.size):
                parts[-1].append(piece)
            else:
                parts.append([piece])
    return parts
