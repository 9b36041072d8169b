"""Straight lines that are drawn in a picture: the borders of tables, mostly."""

import cv2
import numpy
from numpy.typing import NDArray

from pagemill.model.pages import Box
from pagemill.reading.ocr.recogniser import Pixels
from pagemill.reading.page.sheet import Stroke

# Longer than the bars of letters.
LEAST_LENGTH_POINTS = 24.0
MOST_THICKNESS_POINTS = 5.0
# A thicker bar for its length is a blot.
LEAST_SLENDERNESS = 8.0
WINDOW_PIXELS = 25
DEPTH = 12
MOST_STROKES = 2000


def strokes(pixels: Pixels, points_per_pixel: float) -> list[Stroke]:
    """The level and the upright strokes in a picture, in points from its top left."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    dark = cv2.adaptiveThreshold(
        grey, 1, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, WINDOW_PIXELS, DEPTH
    )
    ink = numpy.asarray(dark, numpy.uint8)
    level = [_level(bar) for bar in _bars(ink, points_per_pixel)]
    upright = [_mirrored(_level(bar)) for bar in _bars(numpy.ascontiguousarray(ink.T), points_per_pixel)]
    return (level + upright)[:MOST_STROKES]


def _bars(ink: NDArray[numpy.uint8], points_per_pixel: float) -> list[Box]:
    """Level bars of ink; those that are broken or a little aslant are closed first."""
    least = max(8, round(LEAST_LENGTH_POINTS / points_per_pixel))
    joined = cv2.dilate(ink, numpy.ones((3, 1), numpy.uint8))
    kept = cv2.morphologyEx(joined, cv2.MORPH_OPEN, numpy.ones((1, least), numpy.uint8))
    _, _, blots, _ = cv2.connectedComponentsWithStats(kept)
    boxes = [Box(*(float(side) * points_per_pixel for side in blot[:4])) for blot in blots[1:]]
    return [box for box in boxes if _slender(box)]


def _slender(box: Box) -> bool:
    return box.height <= MOST_THICKNESS_POINTS and box.width >= LEAST_SLENDERNESS * box.height


def _level(box: Box) -> Stroke:
    middle = round(box.y + box.height / 2, 2)
    return Stroke(round(box.x, 2), middle, round(box.right, 2), middle)


def _mirrored(stroke: Stroke) -> Stroke:
    return Stroke(stroke.y1, stroke.x1, stroke.y2, stroke.x2)
