"""Turning an image so that its lines of text are upright and level."""

import numpy

from pagemill.reading.ocr.models import ORIENTATION, run
from pagemill.reading.ocr.raster import EVENED, grey, planes, resize, rotation, transform
from pagemill.reading.ocr.recogniser import Floats, Pixels

# The side of the squares that the network looks at, and of the page that they are cut from.
SQUARE_PIXELS = 224
SMALL_PAGE_PIXELS = 800
MOST_SQUARES = 3
# Ink is this much darker than the paper, in steps of 255.
INK_DEPTH = 40
# The outermost ink is often a shadow or a speck.
STRAY_PERCENT = 1.0
MARGIN_PIXELS = 24


def lying(pixels: Pixels) -> tuple[int, float]:
    """By how many degrees clockwise the picture has been turned from upright, and how sure that is."""
    squares = _squares(crop_to_ink(shrunk(pixels, SMALL_PAGE_PIXELS)))
    shares = numpy.mean([run(ORIENTATION, _tensor(square))[0] for square in squares], axis=0)
    best = int(shares.argmax())
    return best * 90, float(shares[best])


def shrunk(pixels: Pixels, longest_side: int) -> Pixels:
    """The picture, made smaller if it is larger than that."""
    scale = longest_side / max(pixels.shape[:2])
    if scale >= 1:
        return pixels
    size = max(1, round(pixels.shape[1] * scale)), max(1, round(pixels.shape[0] * scale))
    return resize(pixels, size)


def crop_to_ink(pixels: Pixels) -> Pixels:
    """The part of the picture that has ink on it."""
    brightness = grey(pixels)
    dark = brightness < numpy.median(brightness) - INK_DEPTH
    # Ink is at least two pixels wide and high; what is smaller is dirt.
    rows, columns = numpy.nonzero(dark[:-1, :-1] & dark[1:, :-1] & dark[:-1, 1:] & dark[1:, 1:])
    if not len(rows):
        return pixels
    top, bottom = numpy.percentile(rows, [STRAY_PERCENT, 100 - STRAY_PERCENT]).astype(int)
    left, right = numpy.percentile(columns, [STRAY_PERCENT, 100 - STRAY_PERCENT]).astype(int)
    return pixels[
        max(0, top - MARGIN_PIXELS) : bottom + MARGIN_PIXELS,
        max(0, left - MARGIN_PIXELS) : right + MARGIN_PIXELS,
    ]


def _squares(pixels: Pixels) -> list[Pixels]:
    height, width = pixels.shape[:2]
    side, longest = min(height, width), max(height, width)
    count = min(MOST_SQUARES, max(1, round(longest / side)))
    starts = numpy.linspace(0, longest - side, count + 2 if count == 1 else count).astype(int)
    starts = starts[1:2] if count == 1 else starts
    if height > width:
        return [pixels[start : start + side] for start in starts]
    return [pixels[:, start : start + side] for start in starts]


def _tensor(square: Pixels) -> Floats:
    small = resize(square, (SQUARE_PIXELS, SQUARE_PIXELS))
    # This network takes red first.
    return planes(small[:, :, ::-1], EVENED)[None]


def turn_picture(pixels: Pixels, degrees: int) -> Pixels:
    """The picture turned clockwise by a multiple of 90 degrees."""
    return numpy.ascontiguousarray(numpy.rot90(pixels, -degrees // 90)) if degrees % 360 else pixels


def level_picture(pixels: Pixels, degrees: float) -> Pixels:
    """The picture turned clockwise by a few degrees about its middle, as large as before, filled with white."""
    height, width = pixels.shape[:2]
    return transform(pixels, rotation((width / 2, height / 2), -degrees), (width, height))
