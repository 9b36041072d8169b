"""The smallest rectangle around points, in any direction."""

import math
from dataclasses import dataclass

import numpy
from numpy.typing import NDArray

Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle by its middle, its sides, and the direction of its width in degrees clockwise."""

    x: float
    y: float
    width: float
    height: float
    degrees: float


def smallest_rectangle(points: list[Point]) -> Rectangle:
    """The rectangle of least area around points; one of its sides runs along their hull."""
    hull = numpy.array(convex_hull(points), numpy.float64)
    if len(hull) == 1:
        return Rectangle(float(hull[0, 0]), float(hull[0, 1]), 0.0, 0.0, 0.0)
    sides = numpy.roll(hull, -1, axis=0) - hull
    along = sides / numpy.hypot(sides[:, 0], sides[:, 1])[:, None]
    across = numpy.stack([-along[:, 1], along[:, 0]], axis=1)
    return _least_area(hull, along, across)


def _least_area(
    hull: NDArray[numpy.float64], along: NDArray[numpy.float64], across: NDArray[numpy.float64]
) -> Rectangle:
    length, breadth = hull @ along.T, hull @ across.T
    left, right = length.min(axis=0), length.max(axis=0)
    top, bottom = breadth.min(axis=0), breadth.max(axis=0)
    best = int(((right - left) * (bottom - top)).argmin())
    middle = (left[best] + right[best]) / 2 * along[best] + (top[best] + bottom[best]) / 2 * across[best]
    degrees = math.degrees(math.atan2(along[best, 1], along[best, 0]))
    width, height = right[best] - left[best], bottom[best] - top[best]
    return Rectangle(float(middle[0]), float(middle[1]), float(width), float(height), degrees)


def convex_hull(points: list[Point]) -> list[Point]:
    """The corners of the hull of points, without those on its sides."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered
    return _half_hull(ordered)[:-1] + _half_hull(ordered[::-1])[:-1]


def _half_hull(points: list[Point]) -> list[Point]:
    hull: list[Point] = []
    for x, y in points:
        while len(hull) > 1:
            (ax, ay), (bx, by) = hull[-2], hull[-1]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                break
            hull.pop()
        hull.append((x, y))
    return hull
