"""Cutting lines out of a picture."""

import cv2
import numpy

from pagemill.reading.ocr.detect import Found
from pagemill.reading.ocr.recogniser import Pixels

# The height for which the readers were trained.
CROP_HEIGHT = 48
# Less than this is cut straight; the reader does not mind it.
STRAIGHT_DEGREES = 0.7


def crop(pixels: Pixels, line: Found) -> Pixels:
    """The line alone, lying level, as high as the readers want it."""
    slope = line.slope
    width = max(8, round(line.length * CROP_HEIGHT / max(line.thickness, 1.0)))
    if abs(slope) < STRAIGHT_DEGREES:
        return _sliced(pixels, line, width)
    scale = CROP_HEIGHT / max(line.thickness, 1.0)
    turn = cv2.getRotationMatrix2D((line.x, line.y), slope, scale)
    turn[0, 2] += width / 2 - line.x
    turn[1, 2] += CROP_HEIGHT / 2 - line.y
    cut = cv2.warpAffine(
        pixels, turn, (width, CROP_HEIGHT), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return numpy.asarray(cut, numpy.uint8)


def _sliced(pixels: Pixels, line: Found, width: int) -> Pixels:
    left, right = line.x - line.length / 2, line.x + line.length / 2
    top, bottom = line.y - line.thickness / 2, line.y + line.thickness / 2
    part = pixels[max(0, round(top)) : max(1, round(bottom)), max(0, round(left)) : max(1, round(right))]
    method = cv2.INTER_AREA if part.shape[0] > CROP_HEIGHT else cv2.INTER_LINEAR
    return numpy.asarray(cv2.resize(part, (width, CROP_HEIGHT), interpolation=method), numpy.uint8)
