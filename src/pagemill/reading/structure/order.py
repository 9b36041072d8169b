"""Reading order: what stands above another block in the same column is read before it."""

from collections.abc import Sequence

from pagemill.model.pages import Block, Box, Kind

TOLERANCE_POINTS = 2.0
# Two blocks are in one column if they share so much of the narrower one's width.
SHARED_SHARE = 0.5
# On a page of so many blocks the order is that of a form or a drawing, and looking would take long.
MOST_BLOCKS = 200
PLACED = (Kind.FIGURE, Kind.RULE)


def in_reading_order(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with those moved up that the engine left behind what stands below them."""
    result = list(blocks)
    if len(result) > MOST_BLOCKS:
        return result
    lowest = 0.0
    for place, block in enumerate(result):
        box = block.box
        if box is None or block.kind in PLACED:
            continue
        if box.bottom <= lowest + TOLERANCE_POINTS:
            before = next((at for at in range(place) if _is_above(box, result[at])), place)
            if before < place:
                result.insert(before, result.pop(place))
        lowest = max(lowest, box.y)
    return result


def _is_above(box: Box, block: Block) -> bool:
    """Whether a box ends above a block of the same column."""
    other = block.box
    if other is None or block.kind in PLACED or box.bottom > other.y + TOLERANCE_POINTS:
        return False
    shared = min(box.right, other.right) - max(box.x, other.x)
    return shared > SHARED_SHARE * min(box.width, other.width)
