"""Words as they were meant: leaders without gaps, no space before a full stop."""

import re
from bisect import bisect_right
from dataclasses import replace

from pagemill.model.pages import Block, Kind

_LEADER = re.compile(r"(?<=\.) +(?=\.(?: ?\.){2})|(?<=\. \. \.) +(?=\.)|(?<=\. \.) +(?=\.(?!\.\w))")
_LOOSE_STOP = re.compile(r"(?<=[^\W_]|[)\]”’]) +(?=[.,](?:\s|$))(?![.,] ?[.,])")


def mend_text(block: Block) -> Block:
    """The block with its text mended."""
    text = block.text
    if block.kind in (Kind.CODE, Kind.TABLE):
        return block
    if ". . ." in text:
        block = replace_text(block, _LEADER, "")
    if " ." in text or " ," in text:
        block = replace_text(block, _LOOSE_STOP, "")
    return block


def replace_text(block: Block, pattern: re.Pattern[str], replacement: str) -> Block:
    """The block with every match of a pattern replaced, groups being named as in `re.sub`."""
    pieces: list[str] = []
    at, ends, shifts = 0, [0], [0]
    for match in pattern.finditer(block.text):
        new = match.expand(replacement)
        pieces += (block.text[at : match.start()], new)
        at = match.end()
        ends.append(at)
        shifts.append(shifts[-1] + len(new) - len(match[0]))
    if not pieces:
        return block
    pieces.append(block.text[at:])

    def shift(place: int) -> int:
        return max(0, place + shifts[bisect_right(ends, place) - 1])

    spans = tuple(replace(span, start=shift(span.start), end=shift(span.end)) for span in block.spans)
    return replace(block, text="".join(pieces), spans=tuple(span for span in spans if span.start < span.end))
