"""Blocks that the engine glued together out of lines from two columns, cut where the text jumps."""

from collections.abc import Sequence
from itertools import pairwise

from pagemill.model.pages import Block, Box, Kind
from pagemill.reading.structure.lines import Line, Runs, box_around, styled_as, traced
from pagemill.reading.structure.pieces import is_text, part_of

# A block is looked at if it covers so much of another.
OVERLAP_SHARE = 0.25
# The next line of a text is not further down than so many lines.
FARTHEST_LINES = 3.0

# Left, right, top and bottom.
Place = tuple[float, float, float, float]


def unglued(blocks: Sequence[Block], runs: Runs) -> list[Block]:
    """The blocks, with those that lie upon others cut into what stands together."""
    places = [
        (block.box.x, block.box.right, block.box.y, block.box.bottom)
        for block in blocks
        if block.box and is_text(block)
    ]
    result: list[Block] = []
    for block in blocks:
        if block.kind is Kind.PARAGRAPH and block.box and _covers(block.box, places):
            result += _pieces(block, block.box, runs)
        else:
            result.append(block)
    return result


def _covers(box: Box, places: Sequence[Place]) -> bool:
    """Whether a box covers much of another one than itself."""
    left, right, top, bottom = box.x, box.right, box.y, box.bottom
    area = box.width * box.height
    near = [p for p in places if p[0] < right and left < p[1] and p[2] < bottom and top < p[3]]
    return (
        len(near) > 1
        and sum(
            (min(right, r) - max(left, x)) * (min(bottom, b) - max(top, t))
            > OVERLAP_SHARE * min(area, (r - x) * (b - t))
            for x, r, t, b in near
        )
        > 1
    )


def _pieces(block: Block, box: Box, runs: Runs) -> list[Block]:
    """The parts of a block between the jumps in its text; the block itself if there are none."""
    found = traced(block.text, runs.fragments_in(box))
    jumps = [place for place, (a, b) in enumerate(pairwise(found), 1) if _is_jump(a[1], b[1])]
    if not jumps:
        return [block]
    edges = [0, *jumps, len(found)]
    starts = [start for start, _ in found] + [len(block.text)]
    lines = [line for _, line in found]
    return [
        styled_as(
            part_of(block, starts[first], starts[last], box_around(lines[first:last])), lines[first:last]
        )
        for first, last in pairwise(edges)
    ]


def _is_jump(before: Line, line: Line) -> bool:
    """Whether a line can't follow another because it stands elsewhere and looks different."""
    height = max(before.bottom - before.top, 1.0)
    near = -height / 2 < line.top - before.top < FARTHEST_LINES * height
    return not near and (before.bold, before.family) != (line.bold, line.family)
