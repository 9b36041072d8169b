"""How boxes are to each other."""

from collections.abc import Sequence
from typing import Protocol

from pagemill.model.pages import Box, box_around

# Boxes that share no more than this have but an edge in common.
EDGE_POINTS = 1.0
# Boxes of recognised lines and of printed text differ by about that much; nearer ones touch.
NEAR_POINTS = 6.0


class Edged(Protocol):
    """What has edges on a page: words, lines, characters."""

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


def is_near(one: Box, other: Box | None) -> bool:
    """Whether two boxes touch or nearly do; a block without a box may be anywhere."""
    if other is None:
        return True
    return (
        one.x < other.right + NEAR_POINTS
        and other.x < one.right + NEAR_POINTS
        and one.y < other.bottom + NEAR_POINTS
        and other.y < one.bottom + NEAR_POINTS
    )


def shared_area(one: Box, other: Box) -> float:
    """The share of the smaller box that is in the other."""
    across = min(one.right, other.right) - max(one.x, other.x)
    down = min(one.bottom, other.bottom) - max(one.y, other.y)
    smaller = min(one.width * one.height, other.width * other.height)
    return across * down / smaller if across > 0 and down > 0 and smaller else 0.0


def shift_box(box: Box, x: float, y: float) -> Box:
    """The box moved right and down."""
    return Box(round(box.x + x, 2), round(box.y + y, 2), box.width, box.height)


def apart(boxes: Sequence[Box]) -> list[Box]:
    """The boxes, with those that overlap made one, so that nothing is read twice."""
    result: list[Box] = []
    for box in boxes:
        over = [other for other in result if shared_area(box, other) > 0]
        result = [other for other in result if other not in over]
        result.append(box_around([box, *over]))
    return result
