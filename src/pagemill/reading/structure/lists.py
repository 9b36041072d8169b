"""Lists: how deep each of their entries stands, from how far it is set in."""

from collections.abc import Sequence
from dataclasses import replace

from pagemill.model.pages import Block, Kind

SAME_INDENT_POINTS = 5.0


def with_depths(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with the depths of list entries counted from 0, one for each step to the right."""
    result: list[Block] = []
    indents: list[float] = []
    for block in blocks:
        if block.kind is not Kind.LIST_ITEM or block.box is None:
            # A figure between two entries does not end a list, a paragraph does.
            indents = [] if block.kind is not Kind.FIGURE else indents
            result.append(block)
            continue
        while indents and block.box.x < indents[-1] - SAME_INDENT_POINTS:
            indents.pop()
        if not indents or block.box.x > indents[-1] + SAME_INDENT_POINTS:
            if indents and _is_other_column(block, result[-1]):
                indents = []
            indents.append(block.box.x)
        level = len(indents) - 1
        result.append(block if block.level == level else replace(block, level=level))
    return result


def _is_other_column(block: Block, before: Block) -> bool:
    """Whether an entry stands beside or above the one before it."""
    if block.box is None or before.box is None:
        return False
    return block.box.x >= before.box.right or block.box.bottom < before.box.y
