"""Cutting lines out of a picture."""

import math

import numpy

from pagemill.reading.ocr.detect import DetectedLine
from pagemill.reading.ocr.raster import resize, rotation, transform, translation
from pagemill.reading.ocr.recogniser import Pixels

# The height for which the readers were trained.
CROP_HEIGHT = 48
# Less than this is cut straight; the reader does not mind it.
STRAIGHT_DEGREES = 0.7
# Pixels beyond the corners of a line that its edges are mixed from.
MARGIN_PIXELS = 2


def crop(pixels: Pixels, line: DetectedLine) -> Pixels:
    """The line alone, level, as high as the readers want it."""
    width = max(8, round(line.length * CROP_HEIGHT / max(line.thickness, 1.0)))
    return (_slice if abs(line.slope) < STRAIGHT_DEGREES else _level)(pixels, line, width)


def _slice(pixels: Pixels, line: DetectedLine, width: int) -> Pixels:
    left, right = line.x - line.length / 2, line.x + line.length / 2
    top, bottom = line.y - line.thickness / 2, line.y + line.thickness / 2
    part = pixels[max(0, round(top)) : max(1, round(bottom)), max(0, round(left)) : max(1, round(right))]
    return resize(part, (width, CROP_HEIGHT))


def _level(pixels: Pixels, line: DetectedLine, width: int) -> Pixels:
    part, left, top = _surroundings(pixels, line)
    x, y = line.x - left, line.y - top
    turn = rotation((x, y), line.slope, CROP_HEIGHT / max(line.thickness, 1.0))
    return transform(part, translation(width / 2 - x, CROP_HEIGHT / 2 - y) @ turn, (width, CROP_HEIGHT))


def _surroundings(pixels: Pixels, line: DetectedLine) -> tuple[Pixels, int, int]:
    """The picture around a line, its edge repeated beyond it, and where its left and its top are."""
    angle = math.radians(line.slope)
    across, down = abs(math.cos(angle)), abs(math.sin(angle))
    columns = _reach(line.x, line.length * across + line.thickness * down)
    rows = _reach(line.y, line.length * down + line.thickness * across)
    height, width = pixels.shape[:2]
    inside = numpy.ix_(rows.clip(0, height - 1), columns.clip(0, width - 1))
    return pixels[inside], int(columns[0]), int(rows[0])


def _reach(middle: float, extent: float) -> numpy.typing.NDArray[numpy.int64]:
    first = math.floor(middle - extent / 2) - MARGIN_PIXELS
    last = math.ceil(middle + extent / 2) + MARGIN_PIXELS
    return numpy.arange(first, last + 1)
