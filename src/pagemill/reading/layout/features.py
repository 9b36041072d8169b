"""Features of lines: what the models decide by.

A line is described by its type beside that of the page's body text, its place, its letters, what is drawn around it, the engine's
opinion, and the same of the lines above, below and beside it. All are relative to the page, so that size and paper don't matter.
What a source can't say is NaN until the models replace it by the mean of what they were trained on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pagemill.reading.layout.line_text import TEXT_NAMES, text_features
from pagemill.reading.layout.lines import TextLine
from pagemill.reading.page.sheet import Precision, Sheet

Floats = NDArray[np.float32]
Places = NDArray[np.intp]
HINTS = ("paragraph", "heading", "list_item", "table", "code", "grid_fallback")
FAR = 20.0
STYLE_NAMES = (
    "size", "size_rank", "style_share", "style_lines", "bold", "italic", "mono", "bold_beside_page", "other_font",
    "other_colour", "raised_start", "mixed_sizes", "confidence", "turned",
)  # fmt: skip
PLACE_NAMES = (
    "left", "right", "centre", "top", "bottom", "width", "width_beside_long", "same_left", "same_right",
    "same_centre", "from_first", "from_last", "rank", "is_first", "is_last", "in_row", "row_before", "row_after",
    "indent",
)  # fmt: skip
DRAWN_NAMES = (
    "rule_above", "rule_below", "rule_above_width", "wall_left", "wall_right", "in_picture", "under_picture",
    "over_picture",
)  # fmt: skip
HINT_NAMES = (*(f"hint_{kind}" for kind in HINTS), "hint_level", "hint_lines", "hint_none")
PAGE_NAMES = (
    "page_lines",
    "page_shape",
    "page_digits",
    "page_tables",
    "page_wide",
    "page_bold",
    "page_short",
    "recognised",
)
BASE_NAMES = (*STYLE_NAMES, *PLACE_NAMES, *DRAWN_NAMES, *HINT_NAMES, *TEXT_NAMES)
# What is told of a neighbour.
SHOWN = (
    "size", "bold", "italic", "style_share", "width_beside_long", "left", "indent", "in_row", "letters_log",
    "upper", "digits", "letter_share", "maths", "starts_upper", "starts_lower", "ends_sentence", "ends_hyphen",
    "bullet", "numbered", "caption", "footnote", "subsection", "leader", "numeric", "imprint", "hint_heading",
    "hint_list_item", "hint_table", "in_picture", "rule_above",
)  # fmt: skip
NEIGHBOURS = ("above", "below", "above2", "below2", "before", "after")
GAP_NAMES = (
    "gap_above", "gap_below", "gap_ratio", "gap_above_beside_page", "gap_below_beside_page", "aligned_above",
    "aligned_below", "size_above", "size_below", "same_hint_above", "same_hint_below"
)  # fmt: skip
NAMES = (*BASE_NAMES, *PAGE_NAMES, *GAP_NAMES, *(f"{place}_{name}" for place in NEIGHBOURS for name in SHOWN))
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
class Frame:
    """Lines as arrays: edges, sizes and letters, and the neighbours of each line; -1 where there is none."""

    left: Floats
    top: Floats
    right: Floats
    bottom: Floats
    size: Floats
    letters: Floats
    hint: Places
    body: float
    pitch: float
    above: Places
    below: Places
    before: Places
    after: Places
    base: Floats
    page: Floats

    @property
    def width(self) -> Floats:
        """How long the lines are."""
        return self.right - self.left


def frame_of(sheet: Sheet, lines: Sequence[TextLine]) -> Frame:
    """The arrays that all features are made of."""
    edges = np.array(
        [(line.left, line.top, line.right, line.bottom, line.size, line.rotation) for line in lines],
        np.float32,
    )
    left, top, right, bottom, size, rotation = edges.T
    texts = [line.text for line in lines]
    letters = np.array([len(text) for text in texts], np.float32)
    hint = np.array([line.hint for line in lines], np.intp)
    body = _weighted_median(size, letters)
    at = Edges(left, top, right, bottom, body)
    row = _rows(at)
    above, below = _vertical(at)
    before, after = _horizontal(at, row)
    pitches = (top - top[above])[(above >= 0) & (np.abs(size - size[above]) < 0.5)]
    pitch = float(np.median(pitches)) if len(pitches) else 1.25 * body
    worded = text_features(texts)
    style = _style(lines, size, letters, body, rotation)
    place = _place(sheet, at, row, before, after)
    hints = _hints(sheet, hint)
    base = np.column_stack([style, place, _drawn(sheet, at), hints, worded])
    page = _page(sheet, base, letters)
    return Frame(
        left, top, right, bottom, size, letters, hint, body, pitch, above, below, before, after, base, page
    )


def line_features(sheet: Sheet, lines: Sequence[TextLine], frame: Frame | None = None) -> Floats:
    """The features of each line, in the order of NAMES."""
    if not lines:
        return np.zeros((0, len(NAMES)), np.float32)
    frame = frame or frame_of(sheet, lines)
    shown = np.vstack([frame.base[:, _SHOWN_AT], np.full((1, len(SHOWN)), -1.0, np.float32)])
    above2 = np.where(frame.above >= 0, frame.above[frame.above], -1)
    below2 = np.where(frame.below >= 0, frame.below[frame.below], -1)
    around = [
        shown[places] for places in (frame.above, frame.below, above2, below2, frame.before, frame.after)
    ]
    page = np.broadcast_to(frame.page, (len(lines), len(PAGE_NAMES)))
    return np.column_stack([frame.base, page, _gaps(frame), *around]).astype(np.float32)


def _weighted_median(values: Floats, weights: Floats) -> float:
    """The size of the letter in the middle, if all were sorted by size."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return max(float(values[order][np.searchsorted(reached, reached[-1] / 2)]), 1.0)


def _rows(at: Edges) -> NDArray[np.bool_]:
    """Which pairs of lines stand beside each other."""
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


def _style(lines: Sequence[TextLine], size: Floats, letters: Floats, body: float, rotation: Floats) -> Floats:
    first = [line.words[0] for line in lines]
    known = any(word.bold is not None for word in first)
    bold, italic, mono = (
        np.array([getattr(line, name) if known else np.nan for line in lines], np.float32)
        for name in ("bold", "italic", "mono")
    )
    fonts = [word.font for word in first]
    styles = list(zip(np.round(size * 2), (bold > 0.5).tolist(), fonts, strict=True))
    shares: dict[object, tuple[float, int]] = {}
    for style, count in zip(styles, letters.tolist(), strict=True):
        so_far = shares.get(style, (0.0, 0))
        shares[style] = so_far[0] + count, so_far[1] + 1
    total = max(float(letters.sum()), 1.0)
    main = max(shares, key=lambda style: shares[style][0])
    colours = [word.colour for word in first]
    main_colour = max(set(colours), key=colours.count)
    order = np.argsort(-size, kind="stable")
    larger = np.searchsorted(-size[order], -size - 0.25)
    reached = np.concatenate([[0.0], np.cumsum(letters[order])])
    page_bold = float((np.nan_to_num(bold) * letters).sum()) / total
    return np.column_stack(
        [
            np.log(np.maximum(size, 1.0) / body),
            reached[larger] / total,
            [shares[style][0] / total for style in styles],
            np.log1p([shares[style][1] for style in styles]),
            bold, italic, mono,
            bold - page_bold,
            [font != main[2] if known else np.nan for font in fonts],  # type: ignore[index]
            [colour != main_colour if main_colour is not None else np.nan for colour in colours],
            [len(line.words) > 1 and line.words[0].size < 0.8 * line.size for line in lines],
            [min(word.size for word in line.words) < 0.85 * line.size for line in lines],
            [line.confidence for line in lines],
            rotation != 0,
        ]
    ).astype(np.float32)  # fmt: skip


def _place(sheet: Sheet, at: Edges, row: NDArray[np.bool_], before: Places, after: Places) -> Floats:
    left, top, right, bottom, body = at.left, at.top, at.right, at.bottom, at.body
    count, width, centre = len(left), right - left, (left + right) / 2
    long = max(float(np.percentile(width, 80)), 1.0)
    near = 0.25 * body + 1.0
    rank = np.argsort(np.argsort(top, kind="stable"), kind="stable")
    same_left = (np.abs(left[:, None] - left) < near).sum(1) / count
    column = np.abs(left[:, None] - left) < 6 * body
    column_left = np.where(column & (width > 0.5 * long), left, np.inf).min(1)
    indent = np.where(np.isfinite(column_left), left - column_left, 0.0) / body
    return np.column_stack(
        [
            left / sheet.width,
            right / sheet.width,
            np.abs(centre - sheet.width / 2) / sheet.width,
            top / sheet.height,
            bottom / sheet.height,
            width / sheet.width,
            width / long,
            same_left,
            (np.abs(right[:, None] - right) < near).sum(1) / count,
            (np.abs(centre[:, None] - centre) < near).sum(1) / count,
            (top - top.min()) / sheet.height,
            (bottom.max() - bottom) / sheet.height,
            rank / max(count - 1, 1),
            (top[:, None] > bottom).sum(1) == 0,
            (bottom[:, None] < top).sum(1) == 0,
            np.log1p(row.sum(1)),
            np.where(before >= 0, np.minimum((left - right[before]) / body, FAR), FAR),
            np.where(after >= 0, np.minimum((left[after] - right) / body, FAR), FAR),
            np.clip(indent, -FAR, FAR),
        ]
    ).astype(np.float32)


def _drawn(sheet: Sheet, at: Edges) -> Floats:
    """Rules and walls near each line, and pictures around it."""
    left, top, right, bottom, body = at.left, at.top, at.right, at.bottom, at.body
    strokes = np.array([(s.x1, s.y1, s.x2, s.y2) for s in sheet.strokes] or np.zeros((0, 4)), np.float32)
    x1, x2 = np.minimum(strokes[:, 0], strokes[:, 2]), np.maximum(strokes[:, 0], strokes[:, 2])
    y1, y2 = np.minimum(strokes[:, 1], strokes[:, 3]), np.maximum(strokes[:, 1], strokes[:, 3])
    flat, upright = (x2 - x1 > 10) & (y2 - y1 < 3), (y2 - y1 > 5) & (x2 - x1 < 3)
    rules, walls = (x1[flat], y1[flat], x2[flat]), (x1[upright], y1[upright], y2[upright])
    over = (np.minimum(right[:, None], rules[2]) - np.maximum(left[:, None], rules[0])) > 0
    up, down = top[:, None] - rules[1], rules[1] - bottom[:, None]
    rising = np.where(over & (up > -0.4 * body), up, np.inf)
    falling = np.where(over & (down > -0.4 * body), down, np.inf)
    middle = ((top + bottom) / 2)[:, None]
    beside = (walls[1] <= middle) & (walls[2] >= middle)
    lefts = np.where(beside & (walls[0] <= left[:, None] + 1), left[:, None] - walls[0], np.inf)
    rights = np.where(beside & (walls[0] >= right[:, None] - 1), walls[0] - right[:, None], np.inf)
    nearest = _closest(rising, body)
    rule = np.argmin(rising, axis=1) if rising.shape[1] else np.zeros(len(left), np.intp)
    wide = (rules[2] - rules[0])[rule] / sheet.width if rising.shape[1] else np.zeros(len(left))
    return np.column_stack(
        [nearest, _closest(falling, body), np.where(nearest < FAR, wide, 0.0), _closest(lefts, body), _closest(rights, body),
         *_pictured(sheet, at)]
    ).astype(np.float32)  # fmt: skip


def _closest(distances: Floats, body: float) -> Floats:
    if not distances.shape[1]:
        return np.full(len(distances), FAR, np.float32)
    return np.asarray(np.minimum(distances.min(1) / body, FAR), np.float32)


def _pictured(sheet: Sheet, at: Edges) -> tuple[Floats, Floats, Floats]:
    left, top, right, bottom, body = at.left, at.top, at.right, at.bottom, at.body
    boxes = np.array([(b.x, b.y, b.right, b.bottom) for b in sheet.pictures] or np.zeros((0, 4)), np.float32)
    large = boxes[(boxes[:, 2] - boxes[:, 0] > 3 * body) & (boxes[:, 3] - boxes[:, 1] > 3 * body)]
    x, y = ((left + right) / 2)[:, None], ((top + bottom) / 2)[:, None]
    across = (x > large[:, 0]) & (x < large[:, 2])
    inside = across & (y > large[:, 1]) & (y < large[:, 3])
    covered = (large[:, 2] - large[:, 0]) * (large[:, 3] - large[:, 1]) < 0.7 * sheet.width * sheet.height
    under = np.where(across & (top[:, None] > large[:, 3] - body), top[:, None] - large[:, 3], np.inf)
    over = np.where(across & (bottom[:, None] < large[:, 1] + body), large[:, 1] - bottom[:, None], np.inf)
    within = np.asarray((inside & covered).any(1), np.float32)
    return within, _closest(under, body), _closest(over, body)


def _hints(sheet: Sheet, hint: Places) -> Floats:
    """The engine's opinion of each line; NaN where the sheet has none at all."""
    if not sheet.hints:
        return np.full((len(hint), len(HINT_NAMES)), np.nan, np.float32)
    kinds = [HINTS.index(one.kind) if one.kind in HINTS else -1 for one in sheet.hints] + [-1]
    levels = [float(one.level or 0) if one.kind == "heading" else 0.0 for one in sheet.hints] + [0.0]
    found = np.array(kinds)[hint]
    lines = np.bincount(hint + 1, minlength=len(kinds))[hint + 1]
    return np.column_stack(
        [found[:, None] == np.arange(len(HINTS)), np.array(levels)[hint], np.log1p(lines), hint < 0]
    ).astype(np.float32)


def _page(sheet: Sheet, base: Floats, letters: Floats) -> Floats:
    """What holds for the page as a whole."""
    total = max(float(letters.sum()), 1.0)

    def mean(name: str) -> float:
        return float((base[:, BASE_NAMES.index(name)] * letters).sum() / total)

    short = float((letters < 15).mean())
    return np.array(
        [np.log1p(len(base)), sheet.width / max(sheet.height, 1.0), mean("digits"), mean("hint_table"),
         mean("width"), mean("bold"), short, sheet.precision is Precision.RECOGNISED],
        np.float32,
    )  # fmt: skip


def _gaps(frame: Frame) -> Floats:
    """Distances to the lines above and below, and how far these are alike."""
    above, below, body = frame.above, frame.below, frame.body
    up = np.where(above >= 0, (frame.top - frame.bottom[above]) / body, FAR)
    down = np.where(below >= 0, (frame.top[below] - frame.bottom) / body, FAR)
    up, down = np.clip(up, -2, FAR), np.clip(down, -2, FAR)
    pitch_up = np.where(above >= 0, (frame.top - frame.top[above]) / frame.pitch, FAR)
    pitch_down = np.where(below >= 0, (frame.top[below] - frame.top) / frame.pitch, FAR)
    return np.column_stack(
        [
            up, down, up - down, np.clip(pitch_up, 0, FAR), np.clip(pitch_down, 0, FAR),
            np.where(above >= 0, np.clip((frame.left - frame.left[above]) / body, -FAR, FAR), FAR),
            np.where(below >= 0, np.clip((frame.left - frame.left[below]) / body, -FAR, FAR), FAR),
            np.where(above >= 0, np.log(frame.size / frame.size[above]), 0.0),
            np.where(below >= 0, np.log(frame.size / frame.size[below]), 0.0),
            (above >= 0) & (frame.hint == frame.hint[above]) & (frame.hint >= 0),
            (below >= 0) & (frame.hint == frame.hint[below]) & (frame.hint >= 0),
        ]
    )  # fmt: skip
