"""Columns and reading order: in which order the parts of a page are read.

A part is cut at headlines that part columns above from columns below, as the stories of a newspaper, and along the gutter that
parts most text. Pieces that cross the gutter (a title over two columns, a wide figure) cut it into bands; each band that has text
on both sides is read column by column, the rest from top to bottom.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from statistics import median

from pagemill.reading.layout.lines import TextLine
from pagemill.reading.layout.pieces import Row, body_size, median_size, rows_of
from pagemill.reading.page.scripts import breadth, is_right_to_left
from pagemill.reading.page.sheet import Stroke

# A column has at least so many lines; less than that beside each other are a heading with its date, or a row.
LEAST_LINES = 3
# A gutter is at least this wide, in parts of the font size.
LEAST_GUTTER = 0.9
# Lines of running text have more characters than cells of tables have.
PROSE_CHARACTERS, LONG_CHARACTERS = 18, 28
PROSE_SHARE = 0.6
# Rows that are side by side more often than this are cells of a table, unless both sides are running text.
LEVEL_SHARE = 0.6
# A narrow column has at least so many lines, each of them close under the one above.
STACK_LINES, STACK_STEP = 7, 1.7
# Of the lines of a running text, about half start with a small letter.
RUNNING_SHARE = 0.4
# Words in the margin are larger or smaller than the text by this much.
OTHER_SIZE = 1.2
MOST_GUTTERS, MOST_EDGES = 10, 6
BUCKET_POINTS = 5.0
# The font of a headline, and of headlines that are one each over columns, is so much larger than that of the text.
HEADLINE, LEVEL_HEADLINES = 1.25, 1.35
# So many rows of columns are above a headline and below it, and so many below it are looked at.
FEWEST_ROWS, ROWS_BELOW = 3, 8


@dataclass(frozen=True, slots=True)
class Band:
    """What is between two pieces that cross a gutter, on its left and right."""

    left: list[TextLine]
    right: list[TextLine]


def parts_of(pieces: Sequence[TextLine], strokes: Sequence[Stroke]) -> list[list[TextLine]]:
    """The pieces in groups that are read one after the other, each of them a single column."""
    backwards = is_right_to_left(" ".join([piece.text for piece in pieces]))
    level = [stroke for stroke in strokes if abs(stroke.y1 - stroke.y2) < 2]
    return list(_cut(list(pieces), level, backwards=backwards))


def _cut(pieces: list[TextLine], strokes: Sequence[Stroke], *, backwards: bool) -> Iterator[list[TextLine]]:
    """The parts of a part: one section after the other, and in each of them one column after the other."""
    if start := section_start(pieces):
        yield from _cut([piece for piece in pieces if piece.centre < start], strokes, backwards=backwards)
        yield from _cut([piece for piece in pieces if piece.centre >= start], strokes, backwards=backwards)
        return
    bands = _best_bands(pieces, strokes)
    if bands is None:
        yield pieces
        return
    across: list[TextLine] = []
    for band in bands:
        if isinstance(band, Band):
            if across:
                yield from _cut(across, strokes, backwards=backwards)
            across = []
            sides = (band.right, band.left) if backwards else (band.left, band.right)
            for side in sides:
                yield from _cut(side, strokes, backwards=backwards)
        else:
            across += band
    if across:
        yield from _cut(across, strokes, backwards=backwards)


def _best_bands(pieces: list[TextLine], strokes: Sequence[Stroke]) -> list[Band | list[TextLine]] | None:
    """The part cut along the gutter that has most text beside it, or None if it is one column."""
    if len(pieces) < 2 * LEAST_LINES:
        return None
    size, ordered = body_size(pieces), sorted(pieces, key=attrgetter("centre"))
    best, most = None, (0, 0)
    for at in _gutters(rows_of(pieces), size):
        bands = _split_into_bands(ordered, at, size, strokes)
        # Of gutters with as much text beside them, the one that fewer pieces cross is in the middle of the gap.
        beside = sum(_weight(band) for band in bands if isinstance(band, Band))
        weight = (beside // 2 if _is_crossed_beside_text(ordered, at, size) else beside), -len(bands)
        if weight[0] and weight > most:
            best, most = bands, weight
    return best


def _is_crossed_beside_text(pieces: Sequence[TextLine], at: float, size: float) -> bool:
    """Whether a headline over some of the columns crosses a gutter, with text of other columns beside it."""
    heads = [piece for piece in pieces if piece.size > HEADLINE * size and piece.left < at < piece.right]
    return any(
        head.top < piece.centre < head.bottom for head in heads for piece in pieces if piece not in heads
    )


def _weight(band: Band) -> int:
    return min(sum(len(piece.text) for piece in side) for side in (band.left, band.right))


def _gutters(rows: Sequence[Row], size: float) -> list[float]:
    """The places where most rows have a gap, the commonest first."""
    seen: Counter[int] = Counter()
    for row in rows:
        ordered = sorted(row, key=lambda piece: piece.left)
        for one, other in pairwise(ordered):
            if other.left - one.right >= LEAST_GUTTER * size:
                seen.update(_buckets(one.right, other.left, size))
    found = [bucket * BUCKET_POINTS for bucket, _ in seen.most_common(MOST_GUTTERS)]
    return [*found, *(place for place in _edge_gutters(rows, size) if place not in found)]


def _edge_gutters(rows: Sequence[Row], size: float) -> list[float]:
    """The places left of where many lines begin: columns whose lines are not level have no gaps in rows."""
    pieces = [piece for row in rows for piece in row]
    edges = Counter(round(piece.left / BUCKET_POINTS) for piece in pieces)
    first = min(piece.left for piece in pieces)
    return [
        bucket * BUCKET_POINTS - size / 2
        for bucket, count in edges.most_common(MOST_EDGES)
        if count >= LEAST_LINES and bucket * BUCKET_POINTS > first + 2 * size
    ]


def _buckets(start: float, end: float, size: float) -> set[int]:
    """The middle of a gap and its two ends: lines that are short move the middle, not the end at the next column."""
    inset = LEAST_GUTTER * size / 2
    return {round(place / BUCKET_POINTS) for place in ((start + end) / 2, start + inset, end - inset)}


def _split_into_bands(
    pieces: list[TextLine], at: float, size: float, strokes: Sequence[Stroke]
) -> list[Band | list[TextLine]]:
    """The pieces, given from top to bottom, in bands with text left and right of a gutter, and what is across or alone."""
    low, high = at - 0.15 * size, at + 0.15 * size
    across: list[TextLine] = []
    rest: list[TextLine] = []
    for piece in pieces:
        (across if piece.left < low and piece.right > high else rest).append(piece)
    edges = sorted([*(piece.centre for piece in across), *_rules_across(strokes, at, pieces)])
    bands: list[Band | list[TextLine]] = []
    heights = [piece.centre for piece in rest]
    start = crossed = 0
    for edge in [*edges, float("inf")]:
        end = bisect_left(heights, edge)
        if end > start:
            bands += _as_bands(rest[start:end], at)
        start = end
        while crossed < len(across) and across[crossed].centre <= edge:
            bands.append([across[crossed]])
            crossed += 1
    return bands


def _rules_across(strokes: Sequence[Stroke], at: float, pieces: Sequence[TextLine]) -> list[float]:
    """The heights of level lines that run over a gutter well into both columns."""
    if not strokes:
        return []
    left, right = min([piece.left for piece in pieces]), max([piece.right for piece in pieces])
    top, bottom = min([piece.top for piece in pieces]), max([piece.bottom for piece in pieces])
    return [
        stroke.y1
        for stroke in strokes
        if top < stroke.y1 < bottom
        and min(stroke.x1, stroke.x2) < at - (at - left) / 2
        and max(stroke.x1, stroke.x2) > at + (right - at) / 2
    ]


def _as_bands(pieces: list[TextLine], at: float) -> list[Band | list[TextLine]]:
    band = Band(
        [piece for piece in pieces if (piece.left + piece.right) / 2 < at],
        [piece for piece in pieces if (piece.left + piece.right) / 2 >= at],
    )
    return [band] if _is_columns(band) else [pieces]


def _is_columns(band: Band) -> bool:
    """Whether the two sides are read one after the other, and not row by row as a table is."""
    if _is_side_head(band.left, band.right) or _is_side_head(band.right, band.left):
        return True
    if min(len(band.left), len(band.right)) < LEAST_LINES:
        return False
    prose = _is_prose(band.left) + _is_prose(band.right)
    apart = (prose and _has_long_lines(band)) or _is_stack(band.left) or _is_stack(band.right)
    if not prose and not apart:
        return False
    left, right = rows_of(band.left), rows_of(band.right)
    if min(len(left), len(right)) < LEAST_LINES:
        return False
    if prose == 2 or (prose and _runs_on(band.left) and _runs_on(band.right)):
        return True
    return bool(apart) and _level_share(left, right) < LEVEL_SHARE


def _runs_on(pieces: Sequence[TextLine]) -> bool:
    """Whether many lines start in the middle of a sentence, as cells hardly ever do."""
    started = sum(piece.text[0].islower() for piece in pieces if piece.text)
    return len(pieces) >= STACK_LINES and started >= RUNNING_SHARE * len(pieces)


def _is_stack(pieces: Sequence[TextLine]) -> bool:
    """Whether many lines follow closely under each other at one edge: a narrow column of text."""
    if len(pieces) < STACK_LINES:
        return False
    edge, size = median(piece.left for piece in pieces), median(piece.size for piece in pieces)
    even = sum(abs(piece.left - edge) < 0.6 * size for piece in pieces)
    words = sum(any(character.isalpha() for character in piece.text) for piece in pieces)
    if min(even, words) < 0.8 * len(pieces):
        return False
    steps = [lower.centre - upper.centre for upper, lower in pairwise(pieces)]
    return min(steps) > 0.5 * size and max(steps) < STACK_STEP * size


def _has_long_lines(band: Band) -> bool:
    """Whether one side has lines that are too long and too many for cells."""
    return any(
        sum(breadth(piece.text) >= LONG_CHARACTERS for piece in side) > LEAST_LINES
        for side in (band.left, band.right)
    )


def _is_side_head(few: Sequence[TextLine], many: Sequence[TextLine]) -> bool:
    """Whether a few words in another font size are in the margin of a text."""
    if not few or len(many) < 2 * LEAST_LINES or len(few) > LEAST_LINES or not _is_prose(many):
        return False
    one, other = median_size(few), median_size(many)
    return max(one, other) > OTHER_SIZE * min(one, other) and sum(len(piece.text) for piece in few) > 3


def _is_prose(pieces: Sequence[TextLine]) -> bool:
    """Whether most characters and half of the pieces, or of the rows of a column with a table in it, are those of long lines."""
    lengths = [breadth(piece.text) for piece in pieces]
    long_ones = [length for length in lengths if length >= PROSE_CHARACTERS]
    if sum(long_ones) < PROSE_SHARE * sum(lengths):
        return False
    if 2 * len(long_ones) >= len(lengths):
        return True
    rows = rows_of(pieces)
    return 2 * sum(len(row) == 1 and breadth(row[0].text) >= PROSE_CHARACTERS for row in rows) >= len(rows)


def _level_share(left: Sequence[Row], right: Sequence[Row]) -> float:
    """The share of the rows of the side with fewer of them that have a row beside them at the same height."""
    fewer, more = sorted((left, right), key=len)
    heights = [row[0].centre for row in more]
    level = sum(any(abs(row[0].centre - y) < 0.25 * row[0].size for y in heights) for row in fewer)
    return level / len(fewer)


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
    return len(large) > 1 or _begins_columns(head, pieces, size)


def _begins_columns(head: TextLine, pieces: Sequence[TextLine], size: float) -> bool:
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
