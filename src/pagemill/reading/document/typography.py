"""Signs of print written with the characters of a keyboard, on request: quotes, dashes, dots, ligatures."""

import re
from dataclasses import replace
from itertools import accumulate

from pagemill.model.pages import Block, Cell, Page
from pagemill.reading.page.block_parts import with_cells

_WRITTEN = {
    **dict.fromkeys("‘’‚‛′", "'"),
    **dict.fromkeys("“”„‟«»″", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("\u00a0\u2002\u2003\u2007\u2009\u200a\u202f", " "),
    "…": "...",
    "ﬀ": "ff",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "ﬃ": "ffi",
    "ﬄ": "ffl",
    "ﬅ": "st",
    "ﬆ": "st",
}
_SIGNS = re.compile(f"[{''.join(_WRITTEN)}]")


def ascii_page(page: Page) -> Page:
    """The page with signs of print replaced in all of its texts."""
    return replace(page, blocks=tuple(_block(block) for block in page.blocks))


def ascii_text(text: str) -> str:
    """The text with signs of print replaced; characters of other scripts stay as they are."""
    return _SIGNS.sub(lambda sign: _WRITTEN[sign[0]], text)


def _block(block: Block) -> Block:
    if block.rows or block.header:
        return with_cells(replace(block, text=ascii_text(block.text)), _cell)
    if not _SIGNS.search(block.text):
        return block
    # Where each character of the text begins afterwards.
    starts = [0, *accumulate(len(_WRITTEN.get(character, character)) for character in block.text)]
    spans = tuple(replace(span, start=starts[span.start], end=starts[span.end]) for span in block.spans)
    return replace(block, text=ascii_text(block.text), spans=spans)


def _cell(cell: Cell) -> Cell:
    return replace(cell, text=ascii_text(cell.text))
