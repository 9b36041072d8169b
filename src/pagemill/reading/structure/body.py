"""The body of a page: the type that most of its words are set in."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pagemill.model.pages import Block, Kind

# Where most of the text is bold, bold says nothing.
BOLD_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Body:
    """The size of the body in points (0 if there is no text), and whether bold stands out from it."""

    size: float
    bold_stands_out: bool


def body_of(blocks: Sequence[Block]) -> Body:
    """What most characters of paragraphs and lists are set in."""
    sizes, bold, total = Counter[float](), 0, 0
    for block in blocks:
        if block.kind not in (Kind.PARAGRAPH, Kind.LIST_ITEM):
            continue
        total += len(block.text)
        bold += len(block.text) if block.bold else 0
        if block.font_size:
            sizes[block.font_size] += len(block.text)
    size = min(sizes, key=lambda one: (-sizes[one], one), default=0.0)
    return Body(size, bold <= total * BOLD_SHARE)
