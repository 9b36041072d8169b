"""Words of a large heading beside a text, which the engine read into the lines of the text."""

import re
from collections.abc import Sequence
from dataclasses import replace

from pagemill.model.pages import Block, Kind
from pagemill.reading.structure.lines import Large
from pagemill.reading.structure.pieces import around, part_of, together

# So much larger than the text around it is no word of the text.
LEAST_RATIO = 1.6
SAME_LEFT_POINTS = 6.0
SAME_SIZE = 1.06
# In formulas, shorter words than this are set in all sizes.
SHORTEST = 3


def without_strays(blocks: Sequence[Block], large: Sequence[Large]) -> list[Block]:
    """The blocks, with large words that got into smaller text put back into headings."""
    words = [one for one in large if len(one.text) >= SHORTEST and one.text.isalpha()]
    if not words:
        return list(blocks)
    result: list[Block] = []
    for block in blocks:
        text = block
        for word in words:
            if match := _found(word, text):
                text = _without(text, match)
                _put(result, Block("", Kind.HEADING, word.box, word.text, level=1, font_size=word.size))
        result.append(text)
    return result


def _found(word: Large, block: Block) -> re.Match[str] | None:
    """Where a large word stands within the text of a paragraph that is not large."""
    if block.kind is not Kind.PARAGRAPH or block.box is None or not block.font_size:
        return None
    if word.size < LEAST_RATIO * block.font_size or not block.box.y - 1 <= word.box.y <= block.box.bottom:
        return None
    inside = block.box.x - 1 <= word.box.x and word.box.right <= block.box.right + 1
    return re.search(rf"(?<=\s){re.escape(word.text)}\s", block.text) if inside else None


def _without(block: Block, match: re.Match[str]) -> Block:
    before = part_of(block, 0, match.start(), block.box)
    return together(before, part_of(block, match.end(), len(block.text), block.box))


def _put(result: list[Block], word: Block) -> None:
    """Add a heading, or the next line of the one that stands right above."""
    last = result[-1] if result else None
    if last is None or last.kind is not Kind.HEADING or not _is_below(last, word):
        result.append(word)
    else:
        whole = around(last.box, word.box)
        result[-1] = replace(last, text=f"{last.text} {word.text}", box=whole)


def _is_below(upper: Block, lower: Block) -> bool:
    a, b = upper.box, lower.box
    if a is None or b is None or not upper.font_size or not lower.font_size:
        return False
    alike = max(upper.font_size, lower.font_size) <= SAME_SIZE * min(upper.font_size, lower.font_size)
    return alike and abs(a.x - b.x) < SAME_LEFT_POINTS and 0 <= b.y - a.y < 2 * lower.font_size
