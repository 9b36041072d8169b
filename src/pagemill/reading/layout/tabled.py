"""Tables that were found before the lines are laid out, and the lines that they hold."""

from collections import Counter
from collections.abc import Sequence
from unicodedata import normalize

from pagemill.model.pages import Block, Box
from pagemill.reading.layout.judging import Judged
from pagemill.reading.layout.lines import TextLine, standing_for
from pagemill.reading.layout.pieces import body_size, is_in_box, lines_in
from pagemill.reading.layout.tables.rules import has_grid

# The words of a line are in a table if it has so many of their characters.
HELD_SHARE = 0.6
# How likely it must be that the lines of a table are those of one: less where they are as short as cells are, in characters
# on average, and where cells are drawn. Chosen on pages of the benchmark and of papers, so it is a guess for others.
LIKELY, LIKELY_SHORT, LIKELY_DRAWN = 0.2, 0.1, 0.04
SHORT_CELL = 20
# A line of so many characters, which is so unlikely to be one of a table, is a line of prose.
PROSE_CHARACTERS, UNLIKELY = 30, 0.1


def with_held(lines: Sequence[TextLine], tables: Sequence[Block], judged: Judged) -> list[TextLine]:
    """The lines that are in no table, and one that holds the place of each table that is none of prose."""
    free = list(lines)
    held: list[TextLine] = []
    size = body_size(lines)
    for table in tables:
        if table.box and is_likely(table.box, lines_in(free, table.box), judged):
            words = _words(table)
            free = [line for line in free if not (is_in_box(line, table.box) and _is_held(line, words))]
            held.append(standing_for(table, table.box, size))
    return free + held


def may_have_tables(judged: Judged) -> bool:
    """Whether the file or the engine tells of a table, or a line is likely to be that of one, or a grid is drawn.

    If no line is likely enough, whatever is found would be refused: the search takes longer than all the rest.
    """
    if any(tag.cells for tag in judged.sheet.tags):
        return True
    highest = judged.highest("table")
    if highest < LIKELY_DRAWN:
        return False
    seen = any(hint.kind == "table" for hint in judged.sheet.hints)
    if highest >= LIKELY or (seen and highest >= LIKELY_SHORT):
        return True
    return has_grid(Box(0, 0, judged.sheet.width, judged.sheet.height), judged.sheet.strokes, 0.0)


def is_likely(box: Box, lines: Sequence[TextLine], judged: Judged) -> bool:
    """Whether the lines in a box are likely to be those of a table, longer ones counting for more."""
    chance = judged.mean_chance(lines, "table")
    short = sum(len(line.text) for line in lines) <= SHORT_CELL * len(lines)
    if not lines or chance >= (LIKELY_SHORT if short else LIKELY) or _is_tagged(box, judged):
        return True
    return chance >= LIKELY_DRAWN and has_grid(box, judged.sheet.strokes)


def is_prose(line: TextLine, judged: Judged) -> bool:
    """Whether a line is a longer one that is unlikely to be a part of a table."""
    return len(line.text) >= PROSE_CHARACTERS and judged.chance(line, "table") < UNLIKELY


def _is_tagged(box: Box, judged: Judged) -> bool:
    """Whether the file calls what is in a box a table, and its cells are to be seen."""
    tagged = any(
        tag.cells
        and box.x <= tag.box.x + tag.box.width / 2 <= box.right
        and box.y <= tag.box.y + tag.box.height / 2 <= box.bottom
        for tag in judged.sheet.tags
    )
    return tagged and has_grid(box, judged.sheet.strokes)


def _words(table: Block) -> str:
    return "".join(_plain(cell.text) for cell in table.cells)


def _is_held(line: TextLine, words: str) -> bool:
    """Whether a table says what a line says; a line that it lacks must not be lost."""
    parts = [_plain(word.text) for word in line.words]
    found = Counter({True: 0, False: 0})
    for part in parts:
        found[part in words] += len(part)
    return found[True] >= HELD_SHARE * (found[True] + found[False])


def _plain(text: str) -> str:
    """The letters and digits of a text, raised ones as others: a cell may have characters of their own for them."""
    return "".join(filter(str.isalnum, text if text.isascii() else normalize("NFKC", text)))
