"""How boxes are to each other."""

from collections.abc import Sequence
from typing import Protocol

from pagemill.model.pages import Box

# Boxes that share no more than this have but an edge in common.
EDGE_POINTS = 1.0


class Edged(Protocol):
    """What has edges on a page: words, lines, letters."""

    @property
    def left(self) -> float:
        """The left edge."""
        ...

    @property
    def top(self) -> float:
        """The upper edge."""
        ...

    @property
    def right(self) -> float:
        """The right edge."""
        ...

    @property
    def bottom(self) -> float:
        """The lower edge."""
        ...


def hull(things: Sequence[Edged]) -> Box:
    """The smallest box around things with edges, of which there is at least one."""
    left, top = min([one.left for one in things]), min([one.top for one in things])
    right, bottom = max([one.right for one in things]), max([one.bottom for one in things])
    return Box(round(left, 2), round(top, 2), round(right - left, 2), round(bottom - top, 2))


def is_inside(inner: Box, outer: Box) -> bool:
    """Whether the middle of a box is inside another."""
    x, y = inner.x + inner.width / 2, inner.y + inner.height / 2
    return outer.x <= x <= outer.right and outer.y <= y <= outer.bottom


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes have more than an edge in common."""
    across = min(one.right, other.right) - max(one.x, other.x)
    down = min(one.bottom, other.bottom) - max(one.y, other.y)
    return across > EDGE_POINTS and down > EDGE_POINTS
