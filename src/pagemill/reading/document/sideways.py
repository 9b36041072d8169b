"""Text that is on its side in the margin: stamps of archives and publishers, turned running heads."""

from pagemill.model.pages import Block, Kind

# A line on its side is so much higher than wide.
LEAST_RATIO = 4.0
MARGIN_SHARE = 0.12


def is_sideways(block: Block, page_width: float) -> bool:
    """Whether a block is a line on its side in the margin; sizes are known of upright text only."""
    box = block.box
    if box is None or block.kind is not Kind.PARAGRAPH or block.font_size is not None:
        return False
    middle = box.x + box.width / 2
    inside = page_width * MARGIN_SHARE <= middle <= page_width * (1 - MARGIN_SHARE)
    return box.height > LEAST_RATIO * box.width and not inside
