"""Tables of a page, ruled and unruled."""

from collections.abc import Sequence

from pagemill.model.pages import Block, Box
from pagemill.reading.layout.tables.doubts import holds_any, true_tables
from pagemill.reading.layout.tables.finding import FEWEST_ROWS, drafts_of
from pagemill.reading.layout.tables.frame import table_block
from pagemill.reading.layout.tables.rules import Rules, rules_in, rules_of
from pagemill.reading.layout.tables.word_index import WordIndex
from pagemill.reading.page.sheet import Precision, Sheet
from pagemill.reading.page.tokens import Token, tokens_in, without_leaders

# How far characters reach above and below the baseline, in sizes.
ABOVE_BASELINE, BELOW_BASELINE = 0.75, 0.25
# A recogniser may read the head of a table as one piece, so that it is no row.
RECOGNISED_ROWS = FEWEST_ROWS - 1


def sheet_tables(
    sheet: Sheet,
    within: Box | None = None,
    *,
    blocks: Sequence[Block] = (),
    prose: Sequence[Box] = (),
    tokens: Sequence[Token] | None = None,
) -> list[Block]:
    """The tables of a sheet, or those that a part of it would have by itself.

    The engine's blocks help to find them, and where prose is; without tokens, the upright words of the sheet are looked at.
    """
    tokens = without_leaders(_tokens_of(sheet) if tokens is None else tokens)
    rules = rules_of(sheet.strokes, sheet.width, sheet.height)
    rows = RECOGNISED_ROWS if sheet.precision is Precision.RECOGNISED else FEWEST_ROWS
    if within:
        return tables_of((), tokens_in(tokens, within), rules_in(rules, within), prose, rows)
    return tables_of(blocks, tokens, rules, prose, rows)


def _tokens_of(sheet: Sheet) -> list[Token]:
    """The upright words, as high as their characters are: a recogniser's boxes reach into the rows above and below."""
    return [
        Token(
            word.text,
            word.left,
            word.baseline - ABOVE_BASELINE * word.size,
            word.right,
            word.baseline + BELOW_BASELINE * word.size,
        )
        for word in sheet.words
        if not word.rotation
    ]


def tables_of(
    blocks: Sequence[Block],
    tokens: Sequence[Token],
    rules: Rules,
    prose: Sequence[Box] = (),
    fewest_rows: int = FEWEST_ROWS,
) -> list[Block]:
    """The tables of a page: those of the engine that are in columns, and those that the words and rules make.

    One that reaches over the words of a later one is left out.
    """
    word_index = WordIndex(tokens)
    tables = true_tables(blocks, word_index)
    for draft in drafts_of(blocks, word_index, rules, prose, fewest_rows):
        taken = {id(token) for token in draft.tokens}
        tables = [table for table in tables if not holds_any(table, taken, word_index)]
        tables.append(table_block(draft))
    return tables
