"""The body of a page: the type that most of its words are set in."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pagemill.model.pages import Block, Kind

# Where most of the text is bold, bold says nothing.
BOLD_SHARE = 0.5
# A page with less text than this has no body.
LEAST_LETTERS = 600
ENDS = (".", "!", "?", ":", ";", "…")


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


def unbolded(blocks: Sequence[Block]) -> list[Block]:
    """The blocks of a page whose body is bold, or in a type that the engine takes for bold, as if it were not.

    A heading that goes on in the text after it was taken for one because of its type.
    """
    if sum(len(block.text) for block in blocks) < LEAST_LETTERS:
        return list(blocks)
    following = [block.text for block in blocks[1:]]
    return [_plain(block, after) for block, after in zip(blocks, [*following, ""], strict=True)]


def _plain(block: Block, after: str) -> Block:
    if block.kind is Kind.HEADING and after[:1].islower() and not block.text.endswith(ENDS):
        return replace(block, kind=Kind.PARAGRAPH, level=None, bold=False)
    if block.kind not in (Kind.PARAGRAPH, Kind.LIST_ITEM):
        return block
    spans = [replace(span, bold=False) for span in block.spans if span.italic or span.href]
    return replace(block, bold=False, spans=tuple(spans))
