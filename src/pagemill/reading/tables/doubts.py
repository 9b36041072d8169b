"""Tables that the engine saw where there are none: words of a chart, spread lines of justified text."""

from collections.abc import Sequence

from pagemill.model.pages import Block, Box, Kind
from pagemill.reading.sheet import Token
from pagemill.reading.tables.lines import TokenLine, letter_height, lines_of
from pagemill.reading.tables.loose import is_running, is_spread, is_tabular
from pagemill.reading.tables.placing import own_words, paragraphs_of, texts_of, whole_box
from pagemill.reading.tables.word_index import WordIndex

# Lines without a gap between their words aren't in columns.
RUNNING_SHARE = 0.5
FEWEST_ROWS = 3
# A head and a single row have no more lines than this.
MOST_LINES = 6


def without_false(blocks: Sequence[Block], word_index: WordIndex) -> list[Block]:
    """The blocks with the engine's tables that aren't in columns made paragraphs."""
    texts = texts_of(blocks)
    false = {id(block): words for block in blocks if (words := _false_words(block, word_index, texts))}
    return [
        part
        for block in blocks
        for part in (paragraphs_of(false[id(block)]) if id(block) in false else [block])
    ]


def true_tables(blocks: Sequence[Block], word_index: WordIndex) -> list[Block]:
    """The engine's tables that are in columns."""
    texts = texts_of(blocks)
    return [
        block for block in blocks if block.kind is Kind.TABLE and not _false_words(block, word_index, texts)
    ]


def _false_words(block: Block, word_index: WordIndex, texts: Sequence[Box]) -> list[Token]:
    """The words of a table that is none; none of one that is."""
    if block.kind is not Kind.TABLE or block.box is None:
        return []
    inside = own_words(block, word_index.under(whole_box(block, block.box), 1.0), texts)
    return inside if inside and _is_false(block, lines_of(inside), letter_height(inside)) else []


def _is_false(block: Block, lines: Sequence[TokenLine], height: float) -> bool:
    """Whether a table is a single row, a few that aren't in columns, or lines of text, perhaps spread."""
    if sum(len(line.pieces) == 1 and is_running(line) for line in lines) >= RUNNING_SHARE * len(lines):
        return True
    rows = len(block.rows) + bool(block.header)
    if rows < FEWEST_ROWS:
        return rows < 2 or len(lines) > MOST_LINES or not is_tabular(lines, height)
    return is_spread(lines) and not is_tabular(lines, height)
