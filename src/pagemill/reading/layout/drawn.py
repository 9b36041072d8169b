"""What is drawn on a page and is no text: the strokes that may part its texts."""

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pagemill.reading.layout.lines import TextLine
from pagemill.reading.page.sheet import Stroke

Floats = NDArray[np.float64]
SHORTEST_POINTS = 8.0
# A page with more lines than this is a drawing.
MOST_STROKES = 800
# A level line further than this from the rim of a box is in its text; an upright one is if it is no higher.
TEXT_RIM, TEXT_HEIGHT = 0.2, 2.5


def straight(strokes: Sequence[Stroke], pieces: Sequence[TextLine]) -> list[Stroke]:
    """The strokes that may part cells: level or upright, longer than characters, not through them; or none if too many."""
    if not strokes:
        return []
    x1, y1, x2, y2 = np.fromiter(chain.from_iterable(strokes), np.float64, 4 * len(strokes)).reshape(-1, 4).T
    left, right, top, bottom = np.minimum(x1, x2), np.maximum(x1, x2), np.minimum(y1, y2), np.maximum(y1, y2)
    across, down = right - left, bottom - top
    fit = np.flatnonzero((np.minimum(across, down) < 2) & (np.maximum(across, down) >= SHORTEST_POINTS))
    if len(fit) > MOST_STROKES:
        return []
    in_text = _are_in_text(np.stack([left, right, top, bottom])[:, fit], pieces)
    return [strokes[at] for at, is_one in zip(fit.tolist(), in_text.tolist(), strict=True) if not is_one]


def _are_in_text(strokes: Floats, pieces: Sequence[TextLine]) -> NDArray[np.bool_]:
    """Which of what was taken for drawn lines is part of a piece's characters, or of the ground between them."""
    left, right, top, bottom = strokes[:, :, None]
    edges = np.array([(p.left, p.right, p.top, p.bottom, p.size) for p in pieces]).T
    start, end, upper, lower, size = edges
    high = lower - upper
    touching = (bottom >= upper) & (top <= lower)
    inside = np.minimum(right, end) - np.maximum(left, start)
    rim = TEXT_RIM * high
    level = (inside > 0.5 * (right - left)) & (upper + rim < top) & (top < lower - rim)
    within = (start + 0.5 * size < left) & (right < end - 0.5 * size)
    upright = within & (bottom - top < TEXT_HEIGHT * high)
    found = touching & np.where(right - left > bottom - top, level, upright)
    return np.asarray(found.any(1))
