"""Tables of a page, ruled and unruled."""

from collections.abc import Sequence

from pagemill.model.pages import Block
from pagemill.reading.sheet import Token
from pagemill.reading.tables.doubts import without_false
from pagemill.reading.tables.finding import drafts_of
from pagemill.reading.tables.placing import with_tables
from pagemill.reading.tables.rules import Rules
from pagemill.reading.tables.word_index import WordIndex


def tables_among(blocks: Sequence[Block], tokens: Sequence[Token], rules: Rules) -> list[Block]:
    """The blocks with the tables that the words and rules make in the place of what they were made of."""
    word_index = WordIndex(tokens)
    drafts = drafts_of(blocks, word_index, rules)
    return with_tables(without_false(blocks, word_index), drafts, word_index)
