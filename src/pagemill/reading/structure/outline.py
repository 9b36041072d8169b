"""Headings, paragraphs, lists, captions and footnotes of a page."""

from collections.abc import Sequence

from pagemill.model.pages import Block
from pagemill.reading.sheet import NativeSheet
from pagemill.reading.structure.body import body_of, unbolded
from pagemill.reading.structure.breaks import broken_up
from pagemill.reading.structure.columns import in_columns
from pagemill.reading.structure.contents import with_contents
from pagemill.reading.structure.dropcaps import with_drop_caps
from pagemill.reading.structure.flow import flowing
from pagemill.reading.structure.glued import unglued
from pagemill.reading.structure.lines import Runs
from pagemill.reading.structure.lists import with_depths
from pagemill.reading.structure.notes import with_notes
from pagemill.reading.structure.order import in_reading_order
from pagemill.reading.structure.rules import gridlines, without_stray_rules
from pagemill.reading.structure.strays import without_strays
from pagemill.reading.structure.titles import Setting, titled
from pagemill.reading.structure.wording import worded

# Type that is so much larger than the body is none of it.
LARGE = 1.6


def outlined(blocks: Sequence[Block], sheet: NativeSheet) -> list[Block]:
    """The blocks with their kinds settled, in reading order."""
    if not blocks:
        return []
    grid = gridlines(blocks)
    runs = Runs.of(sheet.texts)
    body = body_of(blocks)
    large = runs.larger_than(LARGE * body.size) if body.size else []
    whole = unglued(without_stray_rules(blocks, grid, sheet.width, sheet.height), runs)
    whole = broken_up(whole, runs)
    whole = in_columns(in_reading_order(whole if body.bold_stands_out else unbolded(whole)), sheet.width)
    whole = flowing(without_strays(with_drop_caps(whole, body.size, large), large))
    whole = with_contents(titled(whole, Setting(body, sheet.height)), runs, sheet.width)
    whole = worded(with_depths(whole), sheet, gridlines=bool(grid))
    return with_notes(whole, body.size, sheet.height)
