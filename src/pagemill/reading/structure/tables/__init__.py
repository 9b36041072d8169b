"""Tables of a page, ruled and unruled."""

from collections.abc import Sequence

from pagemill.model.pages import Block, Kind
from pagemill.reading.sheet import NativeSheet, Token
from pagemill.reading.structure.tables.doubts import without_false
from pagemill.reading.structure.tables.finding import drafts_of
from pagemill.reading.structure.tables.gate import may_have_tables
from pagemill.reading.structure.tables.placing import with_tables
from pagemill.reading.structure.tables.rules import Rules, rules_of
from pagemill.reading.structure.tables.shelf import Shelf


def tabled(blocks: Sequence[Block], sheet: NativeSheet) -> list[Block]:
    """The blocks with the tables of the page made whole."""
    seen = any(block.kind is Kind.TABLE for block in blocks)
    if not seen and not may_have_tables(sheet.native.text_items, sheet.width):
        return list(blocks)
    rules = rules_of(sheet.strokes, sheet.width, sheet.height)
    return tables_among(blocks, sheet.tokens, rules)


def tables_among(blocks: Sequence[Block], tokens: Sequence[Token], rules: Rules) -> list[Block]:
    """The blocks with the tables that the words and rules make in the place of what they were made of."""
    shelf = Shelf(tokens)
    drafts = drafts_of(blocks, shelf, rules)
    return with_tables(without_false(blocks, shelf), drafts, shelf)
