"""Structure: the engine's blocks, mended with a look at the words and lines of the page."""

from collections.abc import Sequence

from pagemill.model.pages import Block
from pagemill.reading.sheet import Sheet
from pagemill.reading.structure.outline import outlined
from pagemill.reading.structure.tables import tabled


def structured(blocks: Sequence[Block], sheet: Sheet) -> list[Block]:
    """The blocks of a page with its tables made whole and its text put into headings, lists and paragraphs."""
    return outlined(tabled(blocks, sheet), sheet)
