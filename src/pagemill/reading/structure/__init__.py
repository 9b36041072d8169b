"""Structure: the engine's blocks, mended with a look at the words and lines of the page."""

from collections.abc import Sequence
from dataclasses import replace

from pagemill.model.pages import Block, Kind
from pagemill.reading.sheet import NativeSheet
from pagemill.reading.sideways import is_sideways
from pagemill.reading.sizes import Sizes
from pagemill.reading.structure.outline import outlined
from pagemill.reading.structure.tables import tabled


def structured(blocks: Sequence[Block], sheet: NativeSheet) -> list[Block]:
    """The blocks of a page with its tables made whole and its text put into headings, lists and paragraphs.

    What stands on its side in the margin comes last: it belongs to nothing else on the page.
    """
    aside = [block for block in blocks if is_sideways(block, sheet.width)]
    rest = [block for block in blocks if block not in aside] if aside else blocks
    return [*outlined(_sized(tabled(rest, sheet), sheet), sheet), *aside]


def _sized(blocks: list[Block], sheet: NativeSheet) -> list[Block]:
    """The blocks, with the sizes of paragraphs that were made of single words."""
    if not any(_lacks_size(block) for block in blocks):
        return blocks
    sizes = Sizes.of(sheet.texts)
    return [
        replace(block, font_size=sizes.at(block.box.x, block.box.y, block.box.width))
        if block.box and _lacks_size(block)
        else block
        for block in blocks
    ]


def _lacks_size(block: Block) -> bool:
    return block.kind is Kind.PARAGRAPH and block.font_size is None and block.box is not None
