"""Finding lines of text in an image."""

import math
from dataclasses import dataclass

import numpy

from pagemill.reading.ocr.components import Components, PixelRuns, components, level_runs
from pagemill.reading.ocr.models import DETECTOR, run
from pagemill.reading.ocr.raster import EVENED, Mask, planes, resize
from pagemill.reading.ocr.recogniser import Floats, Pixels
from pagemill.reading.ocr.rectangles import Point, smallest_rectangle

# The network halves the picture five times.
SIDE_STEP = 32
LEAST_INK = 0.3
LEAST_SCORE = 0.5
# The network marks the core of a line; characters reach this much further, as a share of area by outline.
GROWTH = 1.6
LEAST_SIDE_PIXELS = 3
MOST_LINES = 3000


@dataclass(frozen=True, slots=True)
class DetectedLine:
    """A line of text: its middle, its length and thickness in pixels, and its slope in degrees clockwise."""

    x: float
    y: float
    length: float
    thickness: float
    slope: float

    @property
    def is_upended(self) -> bool:
        """Whether it runs up or down the picture."""
        return abs(self.slope) > 45


def found_lines(pixels: Pixels, longest_side: int) -> list[DetectedLine]:
    """The lines of text, looked for in an image that is made no larger than that."""
    height, width = pixels.shape[:2]
    scale = min(1.0, longest_side / max(height, width))
    size = _step_size(width * scale), _step_size(height * scale)
    small = pixels if size == (width, height) else resize(pixels, size)
    ink = run(DETECTOR, planes(small, EVENED)[None])[0, 0]
    return outline_lines(ink, width / size[0], height / size[1])


def _step_size(side: float) -> int:
    return max(SIDE_STEP, round(side / SIDE_STEP) * SIDE_STEP)


def outline_lines(ink: Floats, across: float, down: float) -> list[DetectedLine]:
    """The lines in a map of ink, where a pixel of the map is so many of the picture."""
    runs = level_runs(_thicken(ink > LEAST_INK))
    parts = components(runs)
    scores = _scores(ink, runs, parts)
    inked = [
        points for points, score in zip(_outlines(runs, parts), scores, strict=True) if score >= LEAST_SCORE
    ]
    lines = [_line(points, across, down) for points in inked[:MOST_LINES]]
    return [line for line in lines if line]


def _thicken(mask: Mask) -> Mask:
    """The mask, each set pixel with its neighbours to the right and below."""
    wide = mask.copy()
    wide[:, 1:] |= mask[:, :-1]
    wide[1:] |= wide[:-1].copy()
    return wide


def _scores(ink: Floats, runs: PixelRuns, parts: Components) -> Floats:
    """How much ink there is in each part, on average over its pixels."""
    padded = numpy.pad(ink, ((0, 0), (0, 1)))
    ends = numpy.stack([runs.starts, runs.stops], axis=1) + (runs.rows * padded.shape[1])[:, None]
    sums = numpy.add.reduceat(padded.ravel(), ends.ravel())[::2] if len(runs) else runs.rows
    return (numpy.bincount(parts.labels, sums, len(parts)) / parts.area).astype(numpy.float32)


def _outlines(runs: PixelRuns, parts: Components) -> list[list[Point]]:
    """The first and the last pixel of each run, by the part that it belongs to."""
    points: list[list[Point]] = [[] for _ in range(len(parts))]
    ends = zip(
        parts.labels.tolist(), runs.rows.tolist(), runs.starts.tolist(), runs.stops.tolist(), strict=True
    )
    for label, row, start, stop in ends:
        points[label] += ((start, row), (stop - 1, row))
    return points


def _line(points: list[Point], across: float, down: float) -> DetectedLine | None:
    around = smallest_rectangle(points)
    width, height, degrees = around.width, around.height, around.degrees
    if min(width, height) < LEAST_SIDE_PIXELS:
        return None
    grown = width * height * GROWTH / (2 * (width + height))
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    width = (width + 2 * grown) * math.hypot(cosine * across, sine * down)
    height = (height + 2 * grown) * math.hypot(sine * across, cosine * down)
    if width < height:
        width, height, degrees = height, width, degrees + 90
    return DetectedLine(around.x * across, around.y * down, width, height, math.remainder(degrees, 180))
