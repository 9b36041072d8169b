"""Scattered pieces: the labels of a drawing are read label by label, not across it."""

from collections.abc import Sequence
from itertools import pairwise

from pagemill.reading.layout.lines import TextLine
from pagemill.reading.layout.pieces import Row

# Labels are short; from so many rows on they may be scattered, if so many of the rows have a single piece.
LABEL_CHARACTERS, LEAST_ROWS, SINGLE_SHARE = 30, 3, 0.3
# The widest space between two lines of a label, in parts of the font size.
LINE_SPACE = 0.5
SAME_SIZE = 1.3


def cluster_labels(rows: Sequence[Row]) -> list[Row]:
    """The rows, with the pieces of each drawing put together label by label."""
    result: list[Row] = []
    run: list[Row] = []
    for row in rows:
        if all(not piece.block and len(piece.text) < LABEL_CHARACTERS for piece in row):
            run.append(row)
        else:
            result += [*_labels(run), row]
            run = []
    return result + _labels(run)


def _labels(run: list[Row]) -> list[Row]:
    """The pieces of a run as rows of one each, labels one after the other, if they are scattered."""
    single = sum(len(row) == 1 for row in run)
    beside = single < len(run) or any(_is_beside(*pair) for pair in pairwise(run))
    if len(run) < LEAST_ROWS or not beside or single < SINGLE_SHARE * len(run):
        return run
    labels: list[list[TextLine]] = []
    for piece in (piece for row in run for piece in row):
        above = next((label for label in labels if _goes_on(label[-1], piece)), None)
        if above is None:
            labels.append([piece])
        else:
            above.append(piece)
    return [[piece] for label in labels for piece in label]


def _is_beside(upper: Row, lower: Row) -> bool:
    """Whether two pieces are side by side, though not at one height."""
    one, other = upper[0], lower[0]
    apart = one.right < other.left or other.right < one.left
    return apart and other.top < one.bottom


def _goes_on(upper: TextLine, lower: TextLine) -> bool:
    """Whether a piece is close under another, as the next line of the same label."""
    size = min(upper.size, lower.size)
    over = min(upper.right, lower.right) - max(upper.left, lower.left)
    close = -size < lower.top - upper.bottom < LINE_SPACE * size and lower.centre > upper.centre + 0.5 * size
    return (
        close
        and over > 0.5 * min(upper.width, lower.width)
        and max(upper.size, lower.size) < SAME_SIZE * size
    )
