"""LiteParse's blocks as ours."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pagemill.model.pages import Block, Box, Cell, Kind
from pagemill.reading.clean import clean
from pagemill.reading.sources.inline import plain_and_spans
from pagemill.reading.sources.liteparse_native import NativeBlock, NativeCell, NativeRect
from pagemill.reading.sources.sizes import Sizes
from pagemill.reading.sources.text_layer import box_of


@dataclass(frozen=True, slots=True)
class Printed:
    """What the texts of a page show about its blocks: their sizes, and what only looks like a link."""

    sizes: Sizes
    literal_links: frozenset[str] = frozenset()


def block_of(native: NativeBlock, page: Printed) -> Block:
    """Our block; it has no id yet."""
    rect = native.bbox
    box = box_of(rect) if rect else None
    return _MAKERS.get(native.kind, _paragraph)(native, box, page)


def _size(box: Box | None, page: Printed) -> float | None:
    return page.sizes.at(box.x, box.y, box.width) if box else None


def _heading(native: NativeBlock, box: Box | None, page: Printed) -> Block:
    return Block(
        "",
        Kind.HEADING,
        box,
        clean(native.text or ""),
        level=min(max(native.level or 1, 1), 6),
        bold=native.bold,
        font_size=_size(box, page),
    )


def _paragraph(native: NativeBlock, box: Box | None, page: Printed) -> Block:
    text, spans = plain_and_spans(clean(native.text or "\n".join(native.lines or ())), page.literal_links)
    return Block(
        "",
        Kind.PARAGRAPH,
        box,
        text,
        bold=native.bold,
        italic=native.italic,
        font_size=_size(box, page),
        spans=spans,
    )


def _list_item(native: NativeBlock, box: Box | None, page: Printed) -> Block:
    text, spans = plain_and_spans(clean(native.text or ""), page.literal_links)
    return Block(
        "",
        Kind.LIST_ITEM,
        box,
        text,
        level=native.level or 0,
        bold=native.bold,
        italic=native.italic,
        ordered=bool(native.ordered),
        marker=clean(native.marker or "") or None,
        font_size=_size(box, page),
        spans=spans,
    )


def _table(native: NativeBlock, box: Box | None, _: Printed) -> Block:
    header, rows = _cells(native.header or ()), tuple(_cells(row) for row in native.rows or ())
    return Block("", Kind.TABLE, box, header=header, rows=rows)


def _cells(row: Sequence[NativeCell]) -> tuple[Cell, ...]:
    return tuple([_cell(cell.text, cell.bbox) for cell in row])


def _cell(text: str, rect: NativeRect | None) -> Cell:
    return Cell(clean(text), box_of(rect) if rect else None)


def _code(native: NativeBlock, box: Box | None, _: Printed) -> Block:
    return Block("", Kind.CODE, box, clean("\n".join(native.lines or ())), lang=native.lang)


def _figure(_: NativeBlock, box: Box | None, __: Printed) -> Block:
    return Block("", Kind.FIGURE, box)


def _rule(_: NativeBlock, box: Box | None, __: Printed) -> Block:
    return Block("", Kind.RULE, box)


_MAKERS: dict[str, Callable[[NativeBlock, Box | None, Printed], Block]] = {
    "heading": _heading,
    "paragraph": _paragraph,
    "list_item": _list_item,
    "table": _table,
    "code": _code,
    # Lines that only make sense in their columns: as code they keep them.
    "grid_fallback": _code,
    "figure": _figure,
    "rule": _rule,
}
