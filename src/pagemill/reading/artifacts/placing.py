"""From boxes on the upright page to the coordinates that a PDF draws in.

A page as a reader sees it may have been turned twice: by its own /Rotate, and by us to be upright.
"""

from dataclasses import dataclass
from typing import Self

from pagemill.model.pages import Box, Page


@dataclass(frozen=True, slots=True)
class Matrix:
    """An affine map: x' = ax + cy + e and y' = bx + dy + f."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def then(self, after: Self) -> "Matrix":
        """This map, followed by another."""
        return Matrix(
            self.a * after.a + self.b * after.c,
            self.a * after.b + self.b * after.d,
            self.c * after.a + self.d * after.c,
            self.c * after.b + self.d * after.d,
            self.e * after.a + self.f * after.c + after.e,
            self.e * after.b + self.f * after.d + after.f,
        )

    def inverse(self) -> "Matrix":
        """The map that undoes this one."""
        scale = 1 / (self.a * self.d - self.b * self.c)
        a, b, c, d = self.d * scale, -self.b * scale, -self.c * scale, self.a * scale
        return Matrix(a, b, c, d, -(self.e * a + self.f * c), -(self.e * b + self.f * d))

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Where a point goes."""
        return x * self.a + y * self.c + self.e, x * self.b + y * self.d + self.f


@dataclass(frozen=True, slots=True)
class ShownPage:
    """The part of a page that is shown, in the coordinates of the PDF, and how far it is rotated clockwise."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int


def turn(degrees: int, width: float, height: float) -> Matrix:
    """Where the points of a sheet of that size go when it is turned clockwise, seen from its top left."""
    match degrees % 360:
        case 90:
            return Matrix(0, 1, -1, 0, height, 0)
        case 180:
            return Matrix(-1, 0, 0, -1, width, height)
        case 270:
            return Matrix(0, -1, 1, 0, 0, width)
        case _:
            return Matrix(1, 0, 0, 1, 0, 0)


def placing(page: Page, sheet: ShownPage) -> Matrix:
    """The map from the upright page, in points from its top left, to the coordinates of the PDF."""
    width, height = sheet.right - sheet.left, sheet.top - sheet.bottom
    seen = (height, width) if sheet.rotation % 180 else (width, height)
    upright = (seen[1], seen[0]) if page.turned % 180 else seen
    across, down = upright[0] / (page.width or upright[0]), upright[1] / (page.height or upright[1])
    as_seen = turn(page.turned, *seen).inverse()
    unrotated = turn(sheet.rotation, width, height).inverse()
    flipped = Matrix(1, 0, 0, -1, sheet.left, sheet.top)
    return Matrix(across, 0, 0, down, 0, 0).then(as_seen).then(unrotated).then(flipped)


def bounds(matrix: Matrix, box: Box) -> tuple[float, float, float, float]:
    """The smallest rectangle around a box that was mapped: left, bottom, width, height."""
    corners = [matrix.point(x, y) for x in (box.x, box.right) for y in (box.y, box.bottom)]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)
