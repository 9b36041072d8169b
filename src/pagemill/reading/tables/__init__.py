"""Tables of a page, ruled and unruled."""

from collections.abc import Sequence

from pagemill.model.pages import Block, Box
from pagemill.reading.page.sheet import Sheet
from pagemill.reading.sheet import Token, tokens_in, without_leaders
from pagemill.reading.tables.doubts import holds_any, true_tables
from pagemill.reading.tables.finding import drafts_of
from pagemill.reading.tables.frame import table_block
from pagemill.reading.tables.rules import Rules, rules_in, rules_of
from pagemill.reading.tables.word_index import WordIndex


def sheet_tables(
    sheet: Sheet,
    within: Box | None = None,
    *,
    blocks: Sequence[Block] = (),
    tokens: Sequence[Token] | None = None,
) -> list[Block]:
    """The tables of a sheet, or those that a part of it would have by itself.

    The engine's blocks help to find them; without tokens, the upright words of the sheet are looked at.
    """
    tokens = without_leaders(_tokens_of(sheet) if tokens is None else tokens)
    rules = rules_of(sheet.strokes, sheet.width, sheet.height)
    if within:
        return tables_of((), tokens_in(tokens, within), rules_in(rules, within))
    return tables_of(blocks, tokens, rules)


def _tokens_of(sheet: Sheet) -> list[Token]:
    return [
        Token(word.text, word.left, word.top, word.right, word.bottom)
        for word in sheet.words
        if not word.rotation
    ]


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
