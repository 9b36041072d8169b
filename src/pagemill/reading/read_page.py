"""How a page is read: it was parsed and routed; its words become a sheet, and the sheet is laid out in blocks."""

from collections.abc import Sequence
from functools import partial

from pypdfium2 import PdfPage

from pagemill.model.pages import Block, Box, Kind, Page
from pagemill.reading.layout import laid_out
from pagemill.reading.layout.figures import with_alternative_texts, with_figures_and_labels
from pagemill.reading.layout.tables import sheet_tables
from pagemill.reading.layout.tables.tagged import with_tagged_cells
from pagemill.reading.page.sheet import Hint, Precision, Sheet
from pagemill.reading.relined import is_misread, reline, turn_of
from pagemill.reading.routing.look import Look
from pagemill.reading.routing.route import OCR_LAYER
from pagemill.reading.sources.links import mark_links, page_links, with_linked_cells
from pagemill.reading.sources.native_sheet import NativeSheet
from pagemill.reading.sources.notes import with_signs
from pagemill.reading.sources.printed import all_words_printed, with_printed_cells, words_as_printed
from pagemill.reading.sources.tags import FIGURE, page_tags
from pagemill.reading.sources.text_layer import sheet_of


def arrange_blocks(page: Page, native: NativeSheet, look: Look) -> list[Block]:
    """The blocks of a routed page, of which the engine's are given."""
    drawn = look.page(native.number)
    tags = page_tags(drawn) if drawn else []
    figures = [block for block in page.blocks if block.kind is Kind.FIGURE]
    blocks = with_signs(_laid_out(page, native, drawn, tags))
    shown = with_alternative_texts(figures, [tag for tag in tags if tag.kind == FIGURE])
    return with_figures_and_labels(blocks, shown)


def _laid_out(page: Page, native: NativeSheet, drawn: PdfPage | None, tags: Sequence[Hint]) -> list[Block]:
    turn = turn_of(native.texts)
    if drawn and (turn or is_misread(native.texts)) and (lined := reline(drawn, native.strokes, turn or 0)):
        return lined
    if is_turned(native):
        return [block for block in page.blocks if block.kind is not Kind.FIGURE]
    if page.reason == OCR_LAYER:
        layer = sheet_of(native.native, native.texts, Precision.RECOGNISED)
        mark_links(layer.words, page_links(drawn) if drawn else ())
        return [with_linked_cells(block, layer.words) for block in laid_out(layer)]
    sheet = sheet_of(native.native, native.texts)
    sheet.tags = tags
    sheet.strokes = with_tagged_cells(sheet.strokes, tags)
    if drawn and native.is_whole:
        sheet.words, native.has_unseen_words = all_words_printed(drawn, native.texts, sheet.words)
    elif drawn:
        # What can't be seen was left out, and is not to come back.
        sheet.words = words_as_printed(drawn, native.texts, sheet.words)
    mark_links(sheet.words, page_links(drawn) if drawn else ())
    return laid_out(sheet, partial(_tables, page.blocks, native, sheet))


def _tables(
    blocks: Sequence[Block], native: NativeSheet, sheet: Sheet, within: Box | None = None
) -> list[Block]:
    """The tables of a page, or those that a part of it would have by itself, as they are printed."""
    found = sheet_tables(sheet, within, blocks=blocks, tokens=native.tokens)
    return [with_linked_cells(with_printed_cells(table, sheet.words), sheet.words) for table in found]


def is_turned(native: NativeSheet) -> bool:
    """Whether most characters of a page are printed on their side."""
    turned = sum(len(text.text) for text in native.texts if text.rotation)
    return turned * 2 > sum(len(text.text) for text in native.texts)
