"""What recognised lines say that the text layer of a page does not say."""

import re
from collections.abc import Iterable, Sequence

from pagemill.model.pages import Block, Line
from pagemill.reading.page.block_parts import printed_words
from pagemill.reading.page.geometry import is_near

# A line that has most of its characters in the text layer at the same place is the same line.
REPEATED_SHARE = 0.6

_WORDS = re.compile(r"\w+")


def news(lines: Iterable[Line], blocks: Sequence[Block]) -> list[Line]:
    """The lines that say what the text layer does not say at their place."""
    return [line for line in lines if not is_repeated(line, blocks)]


def is_repeated(line: Line, blocks: Sequence[Block]) -> bool:
    """Whether the text layer has what a line says where it is."""
    words = _WORDS.findall(line.text.lower())
    characters = sum(map(len, words))
    if not characters:
        return True
    near = printed_words(block for block in blocks if is_near(line.box, block.box))
    there, squeezed = set(_WORDS.findall(near.lower())), "".join(_WORDS.findall(near.lower()))
    known = sum(len(word) for word in words if word in there or (len(word) > 3 and word in squeezed))
    return known >= REPEATED_SHARE * characters
