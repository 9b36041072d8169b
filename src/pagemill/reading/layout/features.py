"""Features of lines: what the models decide by.

A line is described by its type beside that of the page's body text, its place, its text, what is drawn around it, the engine's
opinion, and the same of the lines above, below and beside it. All are relative to the page, so that size and paper don't matter.
What a source can't say is NaN until the models replace it by the mean of what they were trained on.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

from pagemill.reading.layout.line_text import TEXT_NAMES, text_features
from pagemill.reading.layout.lines import TextLine
from pagemill.reading.page.sheet import Precision, Sheet

Floats = NDArray[np.float32]
Places = NDArray[np.intp]
HINTS = ("paragraph", "heading", "list_item", "table", "code", "grid_fallback")
FAR = 20.0
# The distance of two lines, in points, is taken for at least this.
LEAST_PITCH = 0.1
STYLE_NAMES = tuple(
    (
        "size size_rank style_share style_lines bold italic mono bold_beside_page other_font other_colour "
        "raised_start mixed_sizes confidence turned"
    ).split()
)
PLACE_NAMES = tuple(
    (
        "left right centre top bottom width width_beside_long same_left same_right same_centre from_first "
        "from_last rank is_first is_last in_row row_before row_after indent"
    ).split()
)
DRAWN_NAMES = tuple(
    (
        "rule_above rule_below rule_above_width wall_left wall_right in_picture under_picture over_picture"
    ).split()
)
HINT_NAMES = (*(f"hint_{kind}" for kind in HINTS), "hint_level", "hint_lines", "hint_none")
PAGE_NAMES = tuple(
    ("page_lines page_shape page_digits page_tables page_wide page_bold page_short recognised").split()
)
PARTS = (STYLE_NAMES, PLACE_NAMES, DRAWN_NAMES, HINT_NAMES, TEXT_NAMES)
BASE_NAMES = tuple(name for names in PARTS for name in names)
# The features that are taken of a neighbour.
SHOWN = tuple(
    (
        "size bold italic style_share width_beside_long left indent in_row letters_log upper digits "
        "letter_share maths starts_upper starts_lower ends_sentence ends_hyphen bullet numbered caption "
        "footnote subsection leader numeric imprint hint_heading hint_list_item hint_table in_picture "
        "rule_above"
    ).split()
)


def _slices(*parts: Sequence[str]) -> list[slice]:
    """Where the columns of each part are, if the parts are side by side."""
    ends = list(accumulate(map(len, parts)))
    return [slice(end - len(part), end) for part, end in zip(parts, ends, strict=True)]


NEIGHBOURS = ("above", "below", "above2", "below2", "before", "after")
GAP_NAMES = tuple(
    (
        "gap_above gap_below gap_ratio gap_above_beside_page gap_below_beside_page aligned_above "
        "aligned_below size_above size_below same_hint_above same_hint_below"
    ).split()
)
_STYLE, _PLACE, _DRAWN, _HINT, _WORDED = _slices(*PARTS)
AROUND_NAMES = tuple(f"{place}_{name}" for place in NEIGHBOURS for name in SHOWN)
NAMES = (*BASE_NAMES, *PAGE_NAMES, *GAP_NAMES, *AROUND_NAMES)
_OWN, _PAGE, _GAPS, _AROUND = _slices(BASE_NAMES, PAGE_NAMES, GAP_NAMES, AROUND_NAMES)
_HINT_PLACES = {kind: at for at, kind in enumerate(HINTS)}
_MEANT = [BASE_NAMES.index(name) for name in ("digits", "hint_table", "width", "bold")]
_SHOWN_AT = np.array([BASE_NAMES.index(name) for name in SHOWN])


@dataclass(frozen=True, slots=True)
class Edges:
    """Where lines are on a page, and the size of its body text."""

    left: Floats
    top: Floats
    right: Floats
    bottom: Floats
    body: float

    @property
    def height(self) -> Floats:
        """How high the lines are."""
        return self.bottom - self.top


@dataclass(frozen=True, slots=True)
class LineArrays(Edges):
    """Lines as arrays: edges and sizes, and the neighbours of each line; -1 where there is none."""

    size: Floats
    hint: Places
    pitch: float
    above: Places
    below: Places
    before: Places
    after: Places
    base: Floats
    page: Floats


def frame_of(sheet: Sheet, lines: Sequence[TextLine]) -> LineArrays:
    """The arrays that all features are made of."""
    edges = np.array(
        [(line.left, line.top, line.right, line.bottom, line.size, line.rotation) for line in lines],
        np.float32,
    )
    left, top, right, bottom, size, rotation = edges.T
    texts = [line.text for line in lines]
    characters = np.array([len(text) for text in texts], np.float32)
    hint = np.array([line.hint for line in lines], np.intp)
    body = _weighted_median(size, characters)
    at = Edges(left, top, right, bottom, body)
    row = _rows(at)
    above, below = _vertical(at)
    before, after = _horizontal(at, row)
    pitches = (top - top[above])[(above >= 0) & (np.abs(size - size[above]) < 0.5)]
    pitch = max(_quantile(pitches, 0.5), LEAST_PITCH) if len(pitches) else 1.25 * body
    base = np.empty((len(lines), len(BASE_NAMES)), np.float32)
    _fill_style(base[:, _STYLE], lines, at, size=size, characters=characters, rotation=rotation)
    _fill_place(base[:, _PLACE], sheet, at, row=row, before=before, after=after)
    _fill_drawn(base[:, _DRAWN], sheet, at)
    _fill_hints(base[:, _HINT], sheet, hint)
    base[:, _WORDED] = text_features(texts)
    page = _page(sheet, base, characters)
    return LineArrays(
        left, top, right, bottom, body, size, hint, pitch, above, below, before, after, base, page
    )


def line_features(sheet: Sheet, lines: Sequence[TextLine], frame: LineArrays | None = None) -> Floats:
    """The features of each line, in the order of NAMES."""
    if not lines:
        return np.zeros((0, len(NAMES)), np.float32)
    frame = frame or frame_of(sheet, lines)
    count, shown = len(lines), np.empty((len(lines) + 1, len(SHOWN)), np.float32)
    shown[:-1] = frame.base[:, _SHOWN_AT]
    # The last row is that of a neighbour which is not there, whose place is -1.
    shown[-1] = -1.0
    above, below = np.append(frame.above, -1), np.append(frame.below, -1)
    around = np.stack(
        [frame.above, frame.below, above[frame.above], below[frame.below], frame.before, frame.after], 1
    )
    result = np.empty((count, len(NAMES)), np.float32)
    result[:, _OWN] = frame.base
    result[:, _PAGE] = frame.page
    _fill_gaps(result[:, _GAPS], frame)
    result[:, _AROUND] = shown[around].reshape(count, -1)
    return result


def _weighted_median(values: Floats, weights: Floats) -> float:
    """The size of the character in the middle, if all were sorted by size."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return max(float(values[order][np.searchsorted(reached, reached[-1] / 2)]), 1.0)


def _rows(at: Edges) -> NDArray[np.bool_]:
    """Which pairs of lines are beside each other."""
    overlap = np.minimum(at.bottom[:, None], at.bottom) - np.maximum(at.top[:, None], at.top)
    low = np.minimum(at.height, at.height[:, None])
    beside: NDArray[np.bool_] = overlap > 0.5 * low
    np.fill_diagonal(beside, False)
    return beside


def _vertical(at: Edges) -> tuple[Places, Places]:
    """The nearest line above and below each line, of those that overlap it in width."""
    overlap = np.minimum(at.right[:, None], at.right) - np.maximum(at.left[:, None], at.left)
    width, height = at.right - at.left, at.height
    over = overlap > 0.2 * np.minimum(width, width[:, None])
    middle = (at.top + at.bottom) / 2
    distance = middle[:, None] - middle
    lower = over & (distance > 0.3 * np.minimum(height, height[:, None]))
    return _nearest(np.where(lower, distance, np.inf)), _nearest(np.where(lower.T, distance.T, np.inf))


def _horizontal(at: Edges, row: NDArray[np.bool_]) -> tuple[Places, Places]:
    """The nearest line to the left and to the right of each line in its row."""
    middle = (at.left + at.right) / 2
    distance = middle[:, None] - middle
    return _nearest(np.where(row & (distance > 0), distance, np.inf)), _nearest(
        np.where(row & (distance < 0), -distance, np.inf)
    )


def _nearest(distances: Floats) -> Places:
    places = np.argmin(distances, axis=1)
    return np.where(np.isfinite(distances[np.arange(len(places)), places]), places, -1)


def _fill_style(
    out: Floats, lines: Sequence[TextLine], at: Edges, *, size: Floats, characters: Floats, rotation: Floats
) -> None:
    first = [line.words[0] for line in lines]
    known = any(word.bold is not None for word in first)
    type_ = np.array([(line.bold, line.italic, line.mono) for line in lines], np.float32) if known else np.nan
    out[:, 4:7] = type_
    bold = out[:, 4]
    fonts = [word.font for word in first]
    styles = list(zip(np.round(size * 2).tolist(), (bold > 0.5).tolist(), fonts, strict=True))
    shares: dict[tuple[float, bool, str], float] = {}
    for style, count in zip(styles, characters.tolist(), strict=True):
        shares[style] = shares.get(style, 0.0) + count
    counted = Counter(styles)
    total = max(float(characters.sum()), 1.0)
    main = max(shares, key=shares.__getitem__)
    colours = [word.colour for word in first]
    main_colour = max(dict.fromkeys(colours), key=colours.count)
    order = np.argsort(-size, kind="stable")
    larger = np.searchsorted(-size[order], -size - 0.25)
    reached = np.zeros(len(lines) + 1, np.float32)
    np.cumsum(characters[order], out=reached[1:])
    out[:, 0] = np.log(np.maximum(size, 1.0) / at.body)
    out[:, 1] = reached[larger] / total
    out[:, 2] = [shares[style] / total for style in styles]
    out[:, 3] = np.log1p([counted[style] for style in styles])
    out[:, 7] = bold - (float((bold * characters).sum()) / total if known else 0.0)
    out[:, 8] = [font != main[2] for font in fonts] if known else np.nan
    out[:, 9] = [colour != main_colour for colour in colours] if main_colour is not None else np.nan
    out[:, 10] = [len(line.words) > 1 and line.words[0].size < 0.8 * line.size for line in lines]
    out[:, 11] = [line.smallest < 0.85 * line.size for line in lines]
    out[:, 12] = [line.confidence for line in lines]
    out[:, 13] = rotation != 0


def _fill_place(
    out: Floats, sheet: Sheet, at: Edges, *, row: NDArray[np.bool_], before: Places, after: Places
) -> None:
    left, top, right, bottom, body = at.left, at.top, at.right, at.bottom, at.body
    count, width, centre = len(left), right - left, (left + right) / 2
    long = max(_quantile(width, 0.8), 1.0)
    near = 0.25 * body + 1.0
    rank = np.argsort(np.argsort(top, kind="stable"), kind="stable")
    beside = np.abs(left[:, None] - left)
    column_left = np.where((beside < 6 * body) & (width > 0.5 * long), left, np.inf).min(1)
    indent = np.where(np.isfinite(column_left), left - column_left, 0.0) / body
    out[:, 0] = left / sheet.width
    out[:, 1] = right / sheet.width
    out[:, 2] = np.abs(centre - sheet.width / 2) / sheet.width
    out[:, 3] = top / sheet.height
    out[:, 4] = bottom / sheet.height
    out[:, 5] = width / sheet.width
    out[:, 6] = width / long
    out[:, 7] = _how_many(beside < near) / count
    out[:, 8] = _how_many(np.abs(right[:, None] - right) < near) / count
    out[:, 9] = _how_many(np.abs(centre[:, None] - centre) < near) / count
    out[:, 10] = (top - top.min()) / sheet.height
    out[:, 11] = (bottom.max() - bottom) / sheet.height
    out[:, 12] = rank / max(count - 1, 1)
    out[:, 13] = top <= bottom.min()
    out[:, 14] = bottom >= top.max()
    out[:, 15] = np.log1p(_how_many(row))
    out[:, 16] = np.where(before >= 0, np.minimum((left - right[before]) / body, FAR), FAR)
    out[:, 17] = np.where(after >= 0, np.minimum((left[after] - right) / body, FAR), FAR)
    out[:, 18] = np.clip(indent, -FAR, FAR)


def _how_many(those: NDArray[np.bool_]) -> Places:
    return np.asarray(np.count_nonzero(those, axis=1), np.intp)


def _quantile(values: Floats, share: float) -> float:
    """The value below which a share of all values is, between two of them if need be."""
    ordered = np.sort(values).tolist()
    place = share * (len(ordered) - 1)
    lower = int(place)
    upper = min(lower + 1, len(ordered) - 1)
    return float(ordered[lower] + (place - lower) * (ordered[upper] - ordered[lower]))


def _fill_drawn(out: Floats, sheet: Sheet, at: Edges) -> None:
    """Rules and walls near each line, and pictures around it."""
    out[:, :5], out[:, 2], out[:, 5], out[:, 6:] = FAR, 0.0, 0.0, FAR
    if sheet.strokes:
        _fill_ruled(out, sheet, at)
    if sheet.pictures:
        _fill_pictured(out, sheet, at)


def _fill_ruled(out: Floats, sheet: Sheet, at: Edges) -> None:
    left, top, right, bottom, body = at.left, at.top, at.right, at.bottom, at.body
    strokes = np.fromiter(chain.from_iterable(sheet.strokes), np.float32).reshape(-1, 4)
    x1, x2 = np.minimum(strokes[:, 0], strokes[:, 2]), np.maximum(strokes[:, 0], strokes[:, 2])
    y1, y2 = np.minimum(strokes[:, 1], strokes[:, 3]), np.maximum(strokes[:, 1], strokes[:, 3])
    flat, upright = (x2 - x1 > 10) & (y2 - y1 < 3), (y2 - y1 > 5) & (x2 - x1 < 3)
    if flat.any():
        start, height, end = x1[flat], y1[flat], x2[flat]
        over = (np.minimum(right[:, None], end) - np.maximum(left[:, None], start)) > 0
        up, down = top[:, None] - height, height - bottom[:, None]
        rising = np.where(over & (up > -0.4 * body), up, np.inf)
        out[:, 0] = _closest(rising, body)
        out[:, 1] = _closest(np.where(over & (down > -0.4 * body), down, np.inf), body)
        wide = (end - start)[np.argmin(rising, axis=1)] / sheet.width
        out[:, 2] = np.where(out[:, 0] < FAR, wide, 0.0)
    if upright.any():
        place, upper, lower = x1[upright], y1[upright], y2[upright]
        middle = ((top + bottom) / 2)[:, None]
        beside = (upper <= middle) & (lower >= middle)
        lefts, rights = left[:, None] - place, place - right[:, None]
        out[:, 3] = _closest(np.where(beside & (lefts >= -1), lefts, np.inf), body)
        out[:, 4] = _closest(np.where(beside & (rights >= -1), rights, np.inf), body)


def _closest(distances: Floats, body: float) -> Floats:
    if not distances.shape[1]:
        return np.full(len(distances), FAR, np.float32)
    return np.asarray(np.minimum(distances.min(1) / body, FAR), np.float32)


def _fill_pictured(out: Floats, sheet: Sheet, at: Edges) -> None:
    left, top, right, bottom, body = at.left, at.top, at.right, at.bottom, at.body
    boxes = np.array([(b.x, b.y, b.right, b.bottom) for b in sheet.pictures], np.float32)
    large = boxes[(boxes[:, 2] - boxes[:, 0] > 3 * body) & (boxes[:, 3] - boxes[:, 1] > 3 * body)]
    x, y = ((left + right) / 2)[:, None], ((top + bottom) / 2)[:, None]
    across = (x > large[:, 0]) & (x < large[:, 2])
    inside = across & (y > large[:, 1]) & (y < large[:, 3])
    covered = (large[:, 2] - large[:, 0]) * (large[:, 3] - large[:, 1]) < 0.7 * sheet.width * sheet.height
    under = np.where(across & (top[:, None] > large[:, 3] - body), top[:, None] - large[:, 3], np.inf)
    over = np.where(across & (bottom[:, None] < large[:, 1] + body), large[:, 1] - bottom[:, None], np.inf)
    out[:, 5] = (inside & covered).any(1)
    out[:, 6] = _closest(under, body)
    out[:, 7] = _closest(over, body)


def _fill_hints(out: Floats, sheet: Sheet, hint: Places) -> None:
    """The engine's opinion of each line; NaN where the sheet has none at all."""
    if not sheet.hints:
        out[:] = np.nan
        return
    kinds = np.array([_HINT_PLACES.get(one.kind, -1) for one in sheet.hints] + [-1])
    levels = [float(one.level or 0) if one.kind == "heading" else 0.0 for one in sheet.hints] + [0.0]
    lines = np.bincount(hint + 1, minlength=len(kinds))
    out[:, : len(HINTS)] = kinds[hint][:, None] == np.arange(len(HINTS))
    out[:, -3] = np.array(levels, np.float32)[hint]
    out[:, -2] = np.log1p(lines)[hint + 1]
    out[:, -1] = hint < 0


def _page(sheet: Sheet, base: Floats, characters: Floats) -> Floats:
    """What holds for the page as a whole."""
    total = max(float(characters.sum()), 1.0)
    digits, tables, width, bold = ((base[:, _MEANT] * characters[:, None]).sum(0) / total).tolist()
    return np.array(
        [
            np.log1p(len(base)),
            sheet.width / max(sheet.height, 1.0),
            digits,
            tables,
            width,
            bold,
            np.count_nonzero(characters < 15) / len(characters),
            sheet.precision is Precision.RECOGNISED,
        ],
        np.float32,
    )


def _fill_gaps(out: Floats, frame: LineArrays) -> None:
    """Distances to the lines above and below, and how far these are alike."""
    above, below, body = frame.above, frame.below, frame.body
    upper, lower = above >= 0, below >= 0
    up = np.where(upper, (frame.top - frame.bottom[above]) / body, FAR)
    down = np.where(lower, (frame.top[below] - frame.bottom) / body, FAR)
    up, down = np.clip(up, -2, FAR), np.clip(down, -2, FAR)
    out[:, 0], out[:, 1], out[:, 2] = up, down, up - down
    out[:, 3] = np.clip(np.where(upper, (frame.top - frame.top[above]) / frame.pitch, FAR), 0, FAR)
    out[:, 4] = np.clip(np.where(lower, (frame.top[below] - frame.top) / frame.pitch, FAR), 0, FAR)
    for at, others, there in ((5, above, upper), (6, below, lower)):
        shift = np.clip((frame.left - frame.left[others]) / body, -FAR, FAR)
        out[:, at] = np.where(there, shift, FAR)
        out[:, at + 2] = np.where(there, np.log(frame.size / frame.size[others]), 0.0)
        out[:, at + 4] = there & (frame.hint == frame.hint[others]) & (frame.hint >= 0)
