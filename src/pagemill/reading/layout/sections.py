"""Sections of a page that are read one after the other, each with columns of its own, as the stories of a newspaper."""

from collections.abc import Sequence

from pagemill.reading.layout.lines import TextLine
from pagemill.reading.layout.pieces import body_size, rows_of

# The letters of a headline, and of headlines that are one each over columns, are so much larger than the text.
HEADLINE, LEVEL_HEADLINES = 1.25, 1.35
# So many rows of columns are above a headline and below it, and so many below it are looked at.
FEWEST_ROWS, ROWS_BELOW = 3, 8


def section_start(pieces: Sequence[TextLine]) -> float | None:
    """The top of the first headlines, with nothing beside them, that part columns above them from columns below."""
    size = body_size(pieces)
    heads = sorted([one for one in pieces if one.size >= HEADLINE * size], key=lambda one: one.top)
    for head in heads:
        level = [one for one in pieces if one is head or head.top < one.centre < head.bottom]
        if any(one not in heads for one in level):
            continue
        top = min(one.top for one in level)
        above = [one for one in pieces if one.centre < top]
        if _is_over_columns(head, level, pieces, size) and _column_rows(above) >= FEWEST_ROWS:
            return top
    return None


def _is_over_columns(
    head: TextLine, level: Sequence[TextLine], pieces: Sequence[TextLine], size: float
) -> bool:
    """Whether a headline is over several columns, or one of several that are large and side by side."""
    below = [one for one in pieces if one.centre > head.bottom and one.size < HEADLINE * size]
    under = [one for one in below if one.left < head.right and one.right > head.left]
    if _column_rows(under, ROWS_BELOW) >= FEWEST_ROWS:
        return True
    large = [one for one in level if one.size >= LEVEL_HEADLINES * size]
    if not large or _column_rows(below, ROWS_BELOW) < FEWEST_ROWS:
        return False
    return len(large) > 1 or _begin_anew(head, pieces, size)


def _begin_anew(head: TextLine, pieces: Sequence[TextLine], size: float) -> bool:
    """Whether a headline is at the left edge, and all columns begin below it at one height."""
    if head.left > min(one.left for one in pieces) + size:
        return False
    lower = [one for one in pieces if one.centre > head.bottom]
    text = [one for one in lower if one.size < HEADLINE * size]
    first = rows_of(text)[0]
    between = [one for one in lower if one.centre < first[0].top and one not in first]
    return len(first) > 1 and all(one.size >= HEADLINE * size for one in between)


def _column_rows(pieces: Sequence[TextLine], most: int | None = None) -> int:
    """How many rows have pieces side by side, of the first so many."""
    return sum(len(row) > 1 for row in rows_of(pieces)[:most])
