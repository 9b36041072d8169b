"""Operations on the pixels of a picture, done by Pillow and numpy."""

import math

import numpy
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from pagemill.reading.ocr.recogniser import Floats, Pixels

Mask = NDArray[numpy.bool_]
Matrix = NDArray[numpy.float64]

# Of the pictures that the networks were trained with, and what each value of a colour is beside them.
MEAN = numpy.array([0.485, 0.456, 0.406], numpy.float32) * 255
DEVIATION = numpy.array([0.229, 0.224, 0.225], numpy.float32) * 255
EVENED = (numpy.arange(256, dtype=numpy.float32) - MEAN[:, None]) / DEVIATION[:, None]
WHITE = (255, 255, 255)
IDENTITY_ROW = (0.0, 0.0, 1.0)


def resize(pixels: Pixels, size: tuple[int, int]) -> Pixels:
    """The picture in another width and height; each pixel is mixed from all that it covers."""
    picture = Image.fromarray(numpy.ascontiguousarray(pixels))
    # Of Pillow's filters, Hamming's comes nearest to the mean of what a smaller pixel covers.
    smaller = size[0] * size[1] < picture.width * picture.height
    method = Image.Resampling.HAMMING if smaller else Image.Resampling.BILINEAR
    return numpy.asarray(picture.resize(size, method))


def planes(pixels: Pixels, tables: Floats) -> Floats:
    """The picture as a network takes it: a plane each for blue, green and red, its values looked up in a table each."""
    return numpy.stack([tables[at].take(pixels[:, :, 2 - at]) for at in range(3)])


def grey(pixels: Pixels) -> Pixels:
    """The brightness of each pixel."""
    return numpy.asarray(Image.fromarray(pixels).convert("L"))


def dark_marks(pixels: Pixels, window: int, depth: int) -> Mask:
    """Which pixels are darker than the mean of the square window around them, by at least `depth`."""
    picture = Image.fromarray(pixels).convert("L")
    mean = numpy.asarray(picture.filter(ImageFilter.BoxBlur(window // 2)))
    marks: Mask = numpy.asarray(picture) <= numpy.maximum(mean, depth) - numpy.uint8(depth)
    return marks


def rotation(centre: tuple[float, float], degrees: float, scale: float = 1.0) -> Matrix:
    """The 3 x 3 matrix that turns counter-clockwise about a point and scales."""
    across = scale * math.cos(math.radians(degrees))
    down = scale * math.sin(math.radians(degrees))
    x, y = centre
    return numpy.array(
        [
            (across, down, (1 - across) * x - down * y),
            (-down, across, down * x + (1 - across) * y),
            IDENTITY_ROW,
        ]
    )


def translation(x: float, y: float) -> Matrix:
    """The 3 x 3 matrix that moves."""
    return numpy.array([(1.0, 0.0, x), (0.0, 1.0, y), IDENTITY_ROW])


def transform(pixels: Pixels, matrix: Matrix, size: tuple[int, int]) -> Pixels:
    """The picture moved by a matrix into one of that width and height; what it leaves open is white.

    Coordinates are those of the centres of pixels, which Pillow counts half a pixel further.
    """
    half = translation(0.5, 0.5)
    back = half @ numpy.linalg.inv(matrix) @ translation(-0.5, -0.5)
    picture = Image.fromarray(pixels)
    moved = picture.transform(
        size, Image.Transform.AFFINE, tuple(back[:2].ravel()), Image.Resampling.BILINEAR, fillcolor=WHITE
    )
    return numpy.asarray(moved)
