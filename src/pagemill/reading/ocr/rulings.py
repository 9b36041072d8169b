"""Straight lines that are drawn in a picture: the borders of tables, mostly."""

import numpy

from pagemill.model.pages import Box
from pagemill.reading.ocr.components import components, level_runs
from pagemill.reading.ocr.raster import Mask, dark_marks
from pagemill.reading.ocr.recogniser import Pixels
from pagemill.reading.page.sheet import Stroke

# Longer than the strokes of characters.
LEAST_LENGTH_POINTS = 24.0
MOST_THICKNESS_POINTS = 5.0
# A thicker bar for its length is a blot.
LEAST_SLENDERNESS = 8.0
WINDOW_PIXELS = 25
DEPTH = 12
MOST_STROKES = 2000


def strokes(pixels: Pixels, points_per_pixel: float) -> list[Stroke]:
    """The level and the upright strokes in a picture, in points from its top left."""
    ink = dark_marks(pixels, WINDOW_PIXELS, DEPTH)
    level = [_level(bar) for bar in _bars(ink, points_per_pixel)]
    upright = [_mirror(_level(bar)) for bar in _bars(numpy.ascontiguousarray(ink.T), points_per_pixel)]
    return (level + upright)[:MOST_STROKES]


def _bars(ink: Mask, points_per_pixel: float) -> list[Box]:
    """Level bars of ink; those that are broken or a little aslant are closed first."""
    least = max(8, round(LEAST_LENGTH_POINTS / points_per_pixel))
    joined = ink.copy()
    joined[1:] |= ink[:-1]
    joined[:-1] |= ink[1:]
    bars = components(level_runs(joined).longer_than(least))
    sides = numpy.stack([bars.left, bars.top, bars.width, bars.height], axis=1) * points_per_pixel
    boxes = [Box(*bar) for bar in sides.tolist()]
    return [box for box in boxes if _slender(box)]


def _slender(box: Box) -> bool:
    return box.height <= MOST_THICKNESS_POINTS and box.width >= LEAST_SLENDERNESS * box.height


def _level(box: Box) -> Stroke:
    middle = round(box.y + box.height / 2, 2)
    return Stroke(round(box.x, 2), middle, round(box.right, 2), middle)


def _mirror(stroke: Stroke) -> Stroke:
    return Stroke(stroke.y1, stroke.x1, stroke.y2, stroke.x2)
