"""Columns: on a page of two columns where the engine went to and fro, each is read to its end."""

from collections.abc import Sequence
from itertools import groupby

from pagemill.model.pages import Block
from pagemill.reading.structure.pieces import is_text

# Where on the page the gutter may be, as shares of its width.
GUTTER = (0.35, 0.65)
# Each column holds at least this share of the words, and at least so many long paragraphs.
LEAST_SHARE = 0.2
LONG_CHARACTERS, FEWEST_LONG = 120, 2
# This share of the words may stand across the gutter, in titles and wide captions.
MOST_ACROSS = 0.25
LEFT, RIGHT, ACROSS = 0, 1, 2


def in_columns(blocks: Sequence[Block], width: float) -> list[Block]:
    """The blocks in the order of the columns; as they were if the page has none, or if they are in order."""
    gutter = _gutter(blocks, width)
    if gutter is None:
        return list(blocks)
    sides = [_side(block, gutter) for block in blocks]
    wide = [block for block, side in zip(blocks, sides, strict=True) if side == ACROSS]
    bands = [_band(block, wide) for block in blocks]
    places = list(range(len(blocks)))
    if not _goes_back(sides, bands):
        return list(blocks)
    places.sort(key=lambda place: (bands[place], sides[place], place))
    return [blocks[place] for place in places]


def _gutter(blocks: Sequence[Block], width: float) -> float | None:
    """The left edge of a second column, if there is one."""
    text = [block for block in blocks if is_text(block) and block.box]
    total = sum(len(block.text) for block in text)
    edges = {block.box.x for block in text if block.box and len(block.text) >= LONG_CHARACTERS}
    for edge in sorted(edges):
        if GUTTER[0] * width < edge < GUTTER[1] * width and _parts(text, edge - 1, total):
            return edge - 1
    return None


def _parts(text: Sequence[Block], gutter: float, total: int) -> bool:
    """Whether a gutter has columns of text on both sides."""
    count, long = [0, 0, 0], [0, 0, 0]
    for block in text:
        side = _side(block, gutter)
        count[side] += len(block.text)
        long[side] += len(block.text) >= LONG_CHARACTERS
    least = LEAST_SHARE * total
    return (
        min(count[LEFT], count[RIGHT]) >= least
        and min(long[LEFT], long[RIGHT]) >= FEWEST_LONG
        and count[ACROSS] <= MOST_ACROSS * total
    )


def _side(block: Block, gutter: float) -> int:
    if block.box is None or block.box.right <= gutter:
        return LEFT
    return RIGHT if block.box.x >= gutter else ACROSS


def _band(block: Block, wide: Sequence[Block]) -> int:
    """How many of the blocks that go across both columns stand above a block."""
    if block.box is None:
        return len(wide)
    middle = block.box.y + block.box.height / 2
    return sum(
        other is not block and other.box is not None and other.box.y + other.box.height / 2 < middle
        for other in wide
    )


def _goes_back(sides: Sequence[int], bands: Sequence[int]) -> bool:
    """Whether the left column is taken up again after the right one."""
    visits = [key for key, _ in groupby(zip(bands, sides, strict=True)) if key[1] != ACROSS]
    return any(visits.count((band, LEFT)) > 1 for band, _ in visits)
