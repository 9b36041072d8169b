"""How far the lines of a picture are from level."""

import numpy
from numpy.typing import NDArray

from pagemill.reading.ocr.components import components, level_runs
from pagemill.reading.ocr.raster import dark_marks
from pagemill.reading.ocr.recogniser import Pixels
from pagemill.reading.ocr.upright import shrunk

SIDE_PIXELS = 1000
MOST_DEGREES = 15.0
COARSE_STEP_DEGREES = 0.5
FINE_STEP_DEGREES = 0.05
# Less than this does no harm to lines of text.
LEAST_DEGREES = 0.2
# Larger blots are pictures, smaller ones dirt; neither shows the angle of the lines.
LARGEST_BLOT_SHARE = 0.08
LEAST_BLOT_PIXELS = 4
# So few marks can't show a slope.
LEAST_MARKS = 30
MOST_MARKS = 4000
# The rows must be this much sharper than without turning.
LEAST_GAIN = 1.1
WINDOW_PIXELS = 31
DEPTH = 15


def skew(pixels: Pixels) -> float:
    """By how many degrees clockwise the picture must be turned to be level; 0 if it is, or if that can't be measured."""
    marks = _marks(shrunk(pixels, SIDE_PIXELS))
    if len(marks) < LEAST_MARKS:
        return 0.0
    coarse = numpy.arange(-MOST_DEGREES, MOST_DEGREES + COARSE_STEP_DEGREES, COARSE_STEP_DEGREES)
    near = _sharpest(marks, coarse)
    fine = numpy.arange(near - COARSE_STEP_DEGREES, near + COARSE_STEP_DEGREES, FINE_STEP_DEGREES)
    best = _sharpest(marks, fine)
    worth = abs(best) >= LEAST_DEGREES and _sharpness(marks, best) > LEAST_GAIN * _sharpness(marks, 0.0)
    return round(best, 2) if worth else 0.0


def _marks(pixels: Pixels) -> NDArray[numpy.float64]:
    """Where the feet of characters are, as rows of x and y: lines of print are on one line, tops vary."""
    blots = components(level_runs(dark_marks(pixels, WINDOW_PIXELS, DEPTH)))
    largest = LARGEST_BLOT_SHARE * max(pixels.shape[:2])
    usable = (blots.area >= LEAST_BLOT_PIXELS) & (blots.width < largest) & (blots.height < largest)
    feet = numpy.stack([blots.left + blots.width / 2, blots.top + blots.height], axis=1)[usable]
    return numpy.asarray(feet[:: max(1, len(feet) // MOST_MARKS)], numpy.float64)


def _sharpest(marks: NDArray[numpy.float64], angles: NDArray[numpy.float64]) -> float:
    return float(max(angles, key=lambda angle: _sharpness(marks, float(angle))))


def _sharpness(marks: NDArray[numpy.float64], degrees: float) -> float:
    """How well the marks gather in few rows after a turn clockwise."""
    angle = numpy.radians(degrees)
    rows = marks[:, 0] * numpy.sin(angle) + marks[:, 1] * numpy.cos(angle)
    counts = numpy.bincount((rows - rows.min()).astype(int)).astype(numpy.float64)
    return float((counts * counts).sum())
