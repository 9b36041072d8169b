"""Tables of a page, ruled and unruled."""

from collections.abc import Sequence

from pagemill.model.pages import Block
from pagemill.reading.sheet import Token
from pagemill.reading.tables.doubts import true_tables, without_false
from pagemill.reading.tables.finding import drafts_of
from pagemill.reading.tables.frame import table_block
from pagemill.reading.tables.placing import holds_any, with_tables
from pagemill.reading.tables.rules import Rules
from pagemill.reading.tables.word_index import WordIndex


def tables_of(blocks: Sequence[Block], tokens: Sequence[Token], rules: Rules) -> list[Block]:
    """The tables of a page: those of the engine that are in columns, and those that the words and rules make.

    One that reaches over the words of a later one is left out.
    """
    word_index = WordIndex(tokens)
    tables = true_tables(blocks, word_index)
    for draft in drafts_of(blocks, word_index, rules):
        taken = {id(token) for token in draft.tokens}
        tables = [table for table in tables if not holds_any(table, taken, word_index)]
        tables.append(table_block(draft))
    return tables


def tables_among(blocks: Sequence[Block], tokens: Sequence[Token], rules: Rules) -> list[Block]:
    """The blocks with the tables that the words and rules make in the place of what they were made of."""
    word_index = WordIndex(tokens)
    drafts = drafts_of(blocks, word_index, rules)
    return with_tables(without_false(blocks, word_index), drafts, word_index)
