"""Finding lines of letters in a picture."""

import math
from dataclasses import dataclass

import cv2
import numpy
from numpy.typing import NDArray

from pagemill.reading.ocr.models import DETECTOR, Floats, run
from pagemill.reading.ocr.recogniser import Pixels

# The network halves the picture five times.
SIDE_STEP = 32
# In the order blue, green, red, as the network was trained.
MEAN = numpy.array([0.485, 0.456, 0.406], numpy.float32) * 255
DEVIATION = numpy.array([0.229, 0.224, 0.225], numpy.float32) * 255
LEAST_INK = 0.3
LEAST_SCORE = 0.5
# The network marks the core of a line; letters reach this much further, as a share of area by outline.
GROWTH = 1.6
LEAST_SIDE_PIXELS = 3
MOST_LINES = 3000


@dataclass(frozen=True, slots=True)
class Found:
    """A line of letters: its middle, its length and thickness in pixels, and its slope in degrees clockwise."""

    x: float
    y: float
    length: float
    thickness: float
    slope: float

    @property
    def upended(self) -> bool:
        """Whether it runs up or down the picture."""
        return abs(self.slope) > 45


def found_lines(pixels: Pixels, longest_side: int) -> list[Found]:
    """The lines of letters, looked for in a picture that is made no larger than that."""
    height, width = pixels.shape[:2]
    scale = min(1.0, longest_side / max(height, width))
    size = _stepped(width * scale), _stepped(height * scale)
    small = pixels if size == (width, height) else cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    tensor = (small[:, :, ::-1].astype(numpy.float32) - MEAN) / DEVIATION
    ink = run(DETECTOR, numpy.ascontiguousarray(tensor.transpose(2, 0, 1)[None]))[0, 0]
    return outlined(ink, width / size[0], height / size[1])


def _stepped(side: float) -> int:
    return max(SIDE_STEP, round(side / SIDE_STEP) * SIDE_STEP)


def outlined(ink: Floats, across: float, down: float) -> list[Found]:
    """The lines in a map of ink, where a pixel of the map is so many of the picture."""
    mask = cv2.dilate((ink > LEAST_INK).astype(numpy.uint8), numpy.ones((2, 2), numpy.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    lines = [
        _line(numpy.asarray(contour, numpy.int32), ink, across, down) for contour in contours[:MOST_LINES]
    ]
    return [line for line in lines if line]


def _line(contour: NDArray[numpy.int32], ink: Floats, across: float, down: float) -> Found | None:
    (x, y), (width, height), angle = cv2.minAreaRect(contour)
    if min(width, height) < LEAST_SIDE_PIXELS or _score(contour, ink) < LEAST_SCORE:
        return None
    grown = width * height * GROWTH / (2 * (width + height))
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    width = (width + 2 * grown) * math.hypot(cosine * across, sine * down)
    height = (height + 2 * grown) * math.hypot(sine * across, cosine * down)
    if width < height:
        width, height, angle = height, width, angle - 90
    slope = math.remainder(angle, 180)
    return Found(x * across, y * down, width, height, slope)


def _score(contour: NDArray[numpy.int32], ink: Floats) -> float:
    x, y, width, height = cv2.boundingRect(contour)
    mask = numpy.zeros((height, width), numpy.uint8)
    cv2.fillPoly(mask, [contour - (x, y)], (1,))
    return float(cv2.mean(ink[y : y + height, x : x + width], mask)[0])
