"""The engine's tables: which of them are true, and which of the words around them are theirs."""

from collections import Counter
from collections.abc import Sequence, Set
from operator import itemgetter

from pagemill.model.pages import Block, Box, Kind, box_around
from pagemill.reading.layout.tables.lines import character_height, lines_of
from pagemill.reading.layout.tables.loose import is_running, is_tabular
from pagemill.reading.layout.tables.word_index import WordIndex
from pagemill.reading.page.tokens import Token

# Lines without a gap between their words aren't in columns.
RUNNING_SHARE = 0.5
FEWEST_ROWS = 3
# A head and a single row have no more lines than this.
MOST_LINES = 6
TEXT_KINDS = (Kind.PARAGRAPH, Kind.HEADING, Kind.LIST_ITEM, Kind.CAPTION, Kind.FOOTNOTE)


def true_tables(blocks: Sequence[Block], word_index: WordIndex) -> list[Block]:
    """The engine's tables, without words of a chart and lines of text that it takes for tables."""
    texts = [block.box for block in blocks if block.box and block.kind in TEXT_KINDS]
    tables = [block for block in blocks if block.kind is Kind.TABLE]
    return [table for table in tables if not _is_false(table, _own_words(table, word_index, texts))]


def holds_any(table: Block, taken: Set[int], word_index: WordIndex) -> bool:
    """Whether words that other tables have taken, by their ids, are in the box of a table."""
    return (
        any(id(token) in taken for token in word_index.under(_whole_box(table, table.box)))
        if table.box
        else False
    )


def _whole_box(table: Block, box: Box) -> Box:
    """The box of a table with all of its cells: the engine's own may leave some out."""
    return box_around([box, *[cell.box for cell in table.cells if cell.box]])


def _own_words(table: Block, word_index: WordIndex, texts: Sequence[Box]) -> list[Token]:
    """The words that a table of the engine holds itself: another block may reach into its box.

    Of words that are spelt alike, those that are in a text are the last to be the table's.
    """
    tokens = word_index.under(_whole_box(table, table.box), 1.0) if table.box else []
    text = " ".join(cell.text for cell in table.cells)
    spelt, glued = Counter(text.split()), "".join(text.split())
    own: set[int] = set()
    for amid, token in sorted([(_is_amid(token, texts), token) for token in tokens], key=itemgetter(0)):
        if spelt[token.text] > 0 or (not amid and token.text not in spelt and token.text in glued):
            own.add(id(token))
        spelt[token.text] -= token.text in spelt
    return [token for token in tokens if id(token) in own]


def _is_amid(token: Token, texts: Sequence[Box]) -> bool:
    """Whether the middle of a word is in one of the boxes."""
    x, y = (token.left + token.right) / 2, (token.top + token.bottom) / 2
    return any(box.x <= x <= box.right and box.y <= y <= box.bottom for box in texts)


def _is_false(table: Block, words: Sequence[Token]) -> bool:
    """Whether a table is a single row, a few that aren't in columns, or lines of text."""
    if not words:
        return False
    lines, height = lines_of(words), character_height(words)
    if sum(len(line.pieces) == 1 and is_running(line) for line in lines) >= RUNNING_SHARE * len(lines):
        return True
    rows = len(table.rows) + bool(table.header)
    return rows < 2 or (rows < FEWEST_ROWS and (len(lines) > MOST_LINES or not is_tabular(lines, height)))
