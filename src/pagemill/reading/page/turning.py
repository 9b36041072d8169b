"""Quarter turns: where things are on a page that is printed on its side once it is put upright, and back again."""

from collections.abc import Iterable, Sequence

from pagemill.model.pages import Block, Box
from pagemill.reading.page.block_parts import moved_block
from pagemill.reading.page.sheet import Stroke

QUARTER, FULL_TURN = 90, 360
# Text is on its side if it is off by no more than so many degrees.
SLANT_DEGREES = 1.0


def quarter_turn(rotation: float) -> int:
    """The quarter turns of a text in degrees, clockwise; 0 for one that is aslant."""
    nearest = round(rotation / QUARTER) * QUARTER
    return nearest % FULL_TURN if abs(rotation - nearest) < SLANT_DEGREES else 0


def upright_box(box: Box, turn: int, width: float, height: float) -> Box:
    """Where a box is once a page of this size, whose text is turned clockwise, is put upright."""
    right, bottom = width - box.right, height - box.bottom
    if turn == QUARTER:
        return Box(box.y, round(right, 2), box.height, box.width)
    if turn == 2 * QUARTER:
        return Box(round(right, 2), round(bottom, 2), box.width, box.height)
    return Box(round(bottom, 2), box.x, box.height, box.width) if turn else box


def upright_strokes(strokes: Iterable[Stroke], turn: int, width: float, height: float) -> list[Stroke]:
    """The strokes of a page that is put upright."""
    return [_upright_stroke(stroke, turn, width, height) for stroke in strokes]


def _upright_stroke(stroke: Stroke, turn: int, width: float, height: float) -> Stroke:
    left, top = min(stroke.x1, stroke.x2), min(stroke.y1, stroke.y2)
    box = Box(left, top, abs(stroke.x1 - stroke.x2), abs(stroke.y1 - stroke.y2))
    upright = upright_box(box, turn, width, height)
    return Stroke(upright.x, upright.y, upright.right, upright.bottom)


def as_printed(blocks: Sequence[Block], turn: int, width: float, height: float) -> list[Block]:
    """The blocks of an upright page where they are on the page of this size that is on its side."""
    seen = (height, width) if turn % (2 * QUARTER) else (width, height)
    return [moved_block(block, lambda box: upright_box(box, -turn % FULL_TURN, *seen)) for block in blocks]
