"""Words as they were meant: leaders without gaps, no marks that only a drawn line left, no space before a full stop."""

import re
from collections.abc import Sequence

from pagemill.model.pages import Block, Kind
from pagemill.reading.sheet import NativeSheet
from pagemill.reading.structure.pieces import is_text, reworded

_LEADER = re.compile(r"(?<=\.) +(?=\.(?: ?\.){2})|(?<=\. \. \.) +(?=\.)|(?<=\. \.) +(?=\.(?!\.\w))")
_STRUCK = re.compile(r"~~(.+?)~~")
_STRUCK_FIGURES = re.compile(r"~~([^~A-Za-z]+?)~~")
_LOOSE_STOP = re.compile(r"(?<=[^\W_]|[)\]”’]) +(?=[.,](?:\s|$))(?![.,] ?[.,])")


def worded(blocks: Sequence[Block], sheet: NativeSheet, *, gridlines: bool) -> list[Block]:
    """The blocks with their texts mended; where there are gridlines, a line through a text says nothing."""
    return [_mended(block, sheet, gridlines) if is_text(block) else block for block in blocks]


def _mended(block: Block, sheet: NativeSheet, gridlines: bool) -> Block:
    text = block.text
    if ". . ." in text:
        block = reworded(block, _LEADER, "")
    if "~~" in text and not any("~~" in run.text for run in sheet.texts):
        block = reworded(block, _STRUCK if gridlines else _STRUCK_FIGURES, r"\1")
    if (" ." in text or " ," in text) and block.kind is not Kind.CODE:
        block = reworded(block, _LOOSE_STOP, "")
    return block
