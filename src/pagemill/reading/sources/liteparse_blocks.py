"""LiteParse's blocks as ours."""

from collections.abc import Sequence
from dataclasses import dataclass

from pagemill.model.pages import Block, Box, Cell, Kind
from pagemill.reading.clean import clean
from pagemill.reading.sources.inline import plain_and_spans
from pagemill.reading.sources.liteparse_native import NativeBlock, NativeCell
from pagemill.reading.sources.sizes import Sizes
from pagemill.reading.sources.text_layer import box_of


@dataclass(frozen=True, slots=True)
class Printed:
    """What the texts of a page show about its blocks: their sizes, and what only looks like a link."""

    sizes: Sizes
    literal_links: frozenset[str] = frozenset()


def block_of(native: NativeBlock, page: Printed) -> Block:
    """Our block; it has no id yet."""
    box = box_of(native.bbox) if native.bbox else None
    match native.kind:
        case "table":
            rows = tuple([_cells(row) for row in native.rows or ()])
            return Block("", Kind.TABLE, box, header=_cells(native.header or ()), rows=rows)
        case "figure" | "rule":
            return Block("", Kind(native.kind), box)
        case "code" | "grid_fallback":
            # The latter are lines that only make sense in their columns: as code they keep them.
            return Block("", Kind.CODE, box, clean("\n".join(native.lines or ())), lang=native.lang)
        case _:
            return _text_block(native, box, page)


def _text_block(native: NativeBlock, box: Box | None, page: Printed) -> Block:
    """A heading, an item of a list or a paragraph."""
    size = page.sizes.at(box.x, box.y, box.width) if box else None
    text = clean(native.text or "\n".join(native.lines or ()))
    if native.kind == "heading":
        level = min(max(native.level or 1, 1), 6)
        return Block("", Kind.HEADING, box, text, level, native.bold, font_size=size)
    plain, spans = plain_and_spans(text, page.literal_links)
    style = native.bold, native.italic
    if native.kind == "list_item":
        marker = clean(native.marker or "") or None
        listed = native.level or 0, *style, bool(native.ordered), marker
        return Block("", Kind.LIST_ITEM, box, plain, *listed, font_size=size, spans=spans)
    return Block("", Kind.PARAGRAPH, box, plain, None, *style, font_size=size, spans=spans)


def _cells(row: Sequence[NativeCell]) -> tuple[Cell, ...]:
    return tuple([Cell(clean(cell.text), box_of(cell.bbox) if cell.bbox else None) for cell in row])
