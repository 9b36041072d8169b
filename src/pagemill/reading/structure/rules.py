"""Drawn lines: which of them part the text, and which belong to charts, forms, headers and footnotes."""

from collections import Counter
from collections.abc import Sequence

from pagemill.model.pages import Block, Box, Kind

# Three lines of one length at one place are the grid of a chart or the lines of a form.
GRID_LINES = 3
SAME_PLACE_POINTS = 4.0
EDGE_SHARE = 0.12
LEAST_WIDTH_SHARE = 0.3
THICKEST_POINTS = 6.0


def gridlines(blocks: Sequence[Block]) -> set[tuple[int, int]]:
    """Where and how long the lines are that are drawn again and again."""
    places = Counter(_place(block.box) for block in blocks if block.kind is Kind.RULE and block.box)
    return {place for place, count in places.items() if count >= GRID_LINES}


def without_stray_rules(
    blocks: Sequence[Block], grid: set[tuple[int, int]], width: float, height: float
) -> list[Block]:
    """The blocks with only those rules that part one text from the next."""
    if not any(block.kind is Kind.RULE for block in blocks):
        return list(blocks)
    return [b for b in blocks if b.kind is not Kind.RULE or _parts_text(b.box, grid, width, height)]


def _parts_text(box: Box | None, grid: set[tuple[int, int]], width: float, height: float) -> bool:
    if box is None or _place(box) in grid or box.height > THICKEST_POINTS:
        return False
    inside = EDGE_SHARE * height < box.y < (1 - EDGE_SHARE) * height
    return inside and box.width >= LEAST_WIDTH_SHARE * width


def _place(box: Box) -> tuple[int, int]:
    return round(box.x / SAME_PLACE_POINTS), round(box.width / SAME_PLACE_POINTS)
