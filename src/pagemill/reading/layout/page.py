"""The layout of a page: lines, roles, tables, columns and order, paragraphs, blocks."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby, pairwise
from operator import attrgetter

from pagemill.model.pages import Block, Box, Kind
from pagemill.reading.layout.blocks import Leaf, blocks_of
from pagemill.reading.layout.certainty import table_certainty
from pagemill.reading.layout.columns import parts_of
from pagemill.reading.layout.drawn import straight
from pagemill.reading.layout.dropcaps import with_drop_caps
from pagemill.reading.layout.judging import Judged
from pagemill.reading.layout.lines import TextLine, gap_between, lines_of, together
from pagemill.reading.layout.markers import is_lone_number
from pagemill.reading.layout.paragraphs import paragraphs_of, with_whole_headings
from pagemill.reading.layout.pieces import Row, body_size, confidence_of, lines_in, rows_of, runs_of
from pagemill.reading.layout.raised import with_raised_words
from pagemill.reading.layout.scattered import cluster_labels
from pagemill.reading.layout.settling import is_noted_sentence
from pagemill.reading.layout.spread_lines import with_spread_lines
from pagemill.reading.layout.tabled import is_prose, may_have_tables, with_held
from pagemill.reading.layout.tables import sheet_tables
from pagemill.reading.layout.trimming import without_prose, without_titles
from pagemill.reading.layout.wording import Vocabulary
from pagemill.reading.page.geometry import hull
from pagemill.reading.page.sheet import Precision, Sheet

# Finds the tables of a page, or those in a box of it.
FindTables = Callable[[Box | None], Sequence[Block]]
FURNITURE = ("header", "footer", "page_number")
# Pieces of a row further apart than this are two texts, as a title on one side and the page's number on the other.
TWO_TEXTS = 3.0

Parts = list[list[TextLine]]


def laid_out(sheet: Sheet, find_tables: FindTables | None = None) -> list[Block]:
    """The blocks of a page in reading order; they have no ids yet.

    Tables are found by the given function, or among the words of the sheet, if there may be any.
    """
    recognised = sheet.precision is Precision.RECOGNISED
    lines = with_drop_caps(lines_of(sheet))
    lines = with_spread_lines(lines) if recognised else with_raised_words(lines)
    upright = [line for line in lines if not line.rotation]
    if not upright:
        return aside_blocks(lines)
    judged = Judged(sheet, lines)
    strokes = straight(sheet.strokes, upright)
    leaf = Leaf(sheet.width, sheet.height, body_size(upright), Vocabulary([line.text for line in upright]))
    if not find_tables:
        prose = [line.box for line in upright if is_prose(line, judged)]
        find_tables = partial(sheet_tables, replace(sheet, strokes=strokes), prose=prose)
    free = _with_tables(upright, judged, find_tables)
    head, rest, foot = _without_furniture(free, judged, sheet.height)
    parts = [*head, *parts_of(rest, strokes), *foot]
    groups = _seen_groups(parts, judged) if recognised else _exact_groups(parts, judged)
    return [*blocks_of(groups, judged, leaf), *aside_blocks(lines)]


def _with_tables(lines: Sequence[TextLine], judged: Judged, find_tables: FindTables) -> list[TextLine]:
    """The lines, those of each table that is found replaced by one that holds its place."""
    tables = find_tables(None) if may_have_tables(judged) else ()
    untitled = [part for table in tables for part in without_titles(table, lines, judged, find_tables)]
    trimmed = [part for table in untitled for part in without_prose(table, lines, judged, find_tables)]
    return with_held(lines, [_rate_table(table, lines, judged) for table in trimmed], judged)


def _exact_groups(parts: Parts, judged: Judged) -> list[Sequence[TextLine]]:
    """The lines of each block, by the model of joins."""
    sequence = [line for part in parts for row in cluster_labels(rows_of(part)) for line in row]
    return [group for run in runs_of(sequence) for group in ([run] if run[0].block else judged.groups(run))]


def _seen_groups(parts: Parts, judged: Judged) -> list[Sequence[TextLine]]:
    """The lines of each block of a recognised page, by rules: the model of joins glues short lines whose boxes waver."""
    groups: list[Sequence[TextLine]] = []
    for part in parts:
        rows = cluster_labels(rows_of(part))
        for run in runs_of([together(text) for row in rows for text in _read_texts(row)]):
            if run[0].block:
                groups.append(run)
            else:
                found = [part for group in paragraphs_of(run) for part in judged.without_heading(group)]
                groups += with_whole_headings(found, judged)
    return groups


def _rate_table(table: Block, lines: Sequence[TextLine], judged: Judged) -> Block:
    """The table with how likely it is to be one; of a recognised page, with how sure its characters are."""
    if table.box is None:
        return table
    if judged.sheet.precision is Precision.RECOGNISED:
        return replace(table, confidence=confidence_of(lines_in(lines, table.box)))
    return replace(table, confidence=round(table_certainty(table.box, judged.lines, judged), 3))


def aside_blocks(lines: Sequence[TextLine]) -> list[Block]:
    """What is printed on its side: it belongs to nothing else on the page and comes last."""
    turned = groupby([line for line in lines if line.rotation], key=attrgetter("rotation"))
    groups = [list(group) for _, group in turned]
    return [Block("", Kind.PARAGRAPH, hull(group), " ".join(line.text for line in group)) for group in groups]


def _without_furniture(
    lines: Sequence[TextLine], judged: Judged, height: float
) -> tuple[Parts, list[TextLine], Parts]:
    """The running header, the rest, and the running footer with the number of the page."""
    running = [
        line
        for line in lines
        if not line.block and judged.chance(line, *FURNITURE) > 0.5 and not is_noted_sentence(line, judged)
    ]
    rest = [line for line in lines if line not in running]
    upper = [line for line in running if line.centre < height / 2]
    lower = [line for line in running if line.centre >= height / 2]
    return _parts_of_edge(rows_of(upper)), rest, _parts_of_edge(rows_of(lower))


def _texts_of(row: Row) -> list[Row]:
    """The pieces of a row, those of one text together."""
    texts = [row[:1]]
    for before, piece in pairwise(row):
        start, end = gap_between(before, piece)
        if end - start < TWO_TEXTS * piece.size:
            texts[-1].append(piece)
        else:
            texts.append([piece])
    return texts


def _read_texts(row: Row) -> list[Row]:
    """The texts of a row; a number at its end goes on with the one before, as the entries of contents do."""
    *texts, last = _texts_of(row)
    if texts and is_lone_number(last[0].text):
        return [*texts[:-1], texts[-1] + last]
    return [*texts, last]


def _parts_of_edge(rows: Sequence[Row]) -> Parts:
    """The texts of a header, each a part of its own; a single piece under another may go on with it."""
    parts: Parts = []
    for number, row in enumerate(rows):
        if number and len(row) == len(rows[number - 1]) == 1:
            parts[-1] += row
        else:
            parts += _texts_of(row)
    return parts
