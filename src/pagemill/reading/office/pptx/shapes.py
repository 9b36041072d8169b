"""The shapes of a slide, with their boxes in points."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pagemill.model.pages import Block, Box, Cell, Kind, Origin
from pagemill.reading.office.charts import chart_blocks
from pagemill.reading.office.diagrams import diagram_blocks
from pagemill.reading.office.docx.runs import choose
from pagemill.reading.office.package import EXTERNAL, Package
from pagemill.reading.office.pptx.placeholders import (
    RUNNING,
    TITLES,
    Ancestry,
    Placeholder,
    placeholder_of,
)
from pagemill.reading.office.pptx.slide_text import SlideText
from pagemill.reading.office.shape_frame import ShapeFrame
from pagemill.reading.office.writing import table, tidy
from pagemill.reading.office.xml_parts import Element, attribute, child, children, descendants, local, number

EMU_PER_POINT = 12_700
EMBEDDED, HIDDEN = "embedded_files", "hidden_text"
WIDEST_SPAN = 200


@dataclass(frozen=True, slots=True)
class Shape:
    """The blocks of a shape, where it is on the slide, and the largest font size that its text names."""

    blocks: list[Block]
    box: Box | None
    title: bool = False
    font_size: int | None = None


@dataclass(frozen=True, slots=True)
class ShapeReader:
    """Reads the shapes of one slide."""

    package: Package
    part: str
    ancestry: Ancestry

    def shapes(self, tree: Element, frame: ShapeFrame = ShapeFrame()) -> Iterator[Shape]:  # noqa: B008
        """All shapes in the order in which they are drawn, those of groups one by one."""
        for one in children(tree):
            match local(one):
                case "AlternateContent":
                    chosen = choose(one)
                    if chosen is not None:
                        yield from self.shapes(chosen, frame)
                case "grpSp":
                    yield from self.shapes(one, group_frame(one, frame))
                case "sp" | "cxnSp":
                    yield from self._text_shape(one, frame)
                case "pic":
                    yield from self._picture(one, frame)
                case "graphicFrame":
                    yield from self._graphic(one, frame)
                case "contentPart":
                    self.package.warn(EMBEDDED)

    def _text_shape(self, shape: Element, frame: ShapeFrame) -> Iterator[Shape]:
        own = placeholder_of(shape)
        body = child(shape, "txBody")
        if body is None or _is_running(own, body):
            return
        if _is_hidden(shape):
            self.package.warn(HIDDEN)
            return
        text = SlideText(self.package, self.part)
        if own is not None and own.kind in TITLES:
            words = " ".join(text.words(body).split())
            yield Shape([Block("", Kind.HEADING, text=words)], self._box(shape, own, frame), title=True)
        else:
            blocks = list(text.blocks(body, list(self.ancestry.list_styles(shape, own))))
            yield Shape(blocks, self._box(shape, own, frame), font_size=_largest_font_size(body))

    def _picture(self, shape: Element, frame: ShapeFrame) -> Iterator[Shape]:
        blip = next(descendants(shape, "blip"), None)
        if attribute(blip, "link"):
            self.package.warn(EXTERNAL)
        part = self.package.target(self.part, attribute(blip, "embed"))
        if part is not None and self.package.has(part):
            figure = Block("", Kind.FIGURE, text=alternative_text(shape), origin=Origin(part=part))
            yield Shape([figure], self._box(shape, placeholder_of(shape), frame))

    def _graphic(self, shape: Element, frame: ShapeFrame) -> Iterator[Shape]:
        inside = child(shape, "graphic", "graphicData")
        if inside is None:
            return
        blocks = [block for one in children(inside) for block in self._graphic_blocks(one)]
        yield Shape(blocks, self._box(shape, placeholder_of(shape), frame))

    def _graphic_blocks(self, element: Element) -> list[Block]:
        match local(element):
            case "tbl":
                made = self._table(element)
                return [made] if made else []
            case "chart":
                return chart_blocks(self.package, self.package.target(self.part, attribute(element, "id")))
            case "relIds":
                return diagram_blocks(self.package, self.package.target(self.part, attribute(element, "dm")))
            case "AlternateContent":
                chosen = choose(element)
                return (
                    [block for one in children(chosen) for block in self._graphic_blocks(one)]
                    if chosen is not None
                    else []
                )
            case "oleObj":
                self.package.warn(EMBEDDED)
                return [
                    block
                    for one in descendants(element, "pic")
                    for shape in self._picture(one, ShapeFrame())
                    for block in shape.blocks
                ]
        return []

    def _table(self, element: Element) -> Block | None:
        text = SlideText(self.package, self.part)
        rows = [[_cell(one, text) for one in children(row, "tc")] for row in children(element, "tr")]
        first = attribute(child(element, "tblPr"), "firstRow") in ("1", "true")
        return table(rows, header_rows=1 if first else 0)

    def _box(self, shape: Element, own: Placeholder | None, frame: ShapeFrame) -> Box | None:
        """Where a shape is; a placeholder that does not say so is where its layout puts it."""
        for at, one in enumerate((shape, *self.ancestry.parents(own))):
            box = _transform_box(one)
            if box is not None:
                return (frame if at == 0 else ShapeFrame()).place(box)
        return None


def _is_running(own: Placeholder | None, body: Element) -> bool:
    """Whether a placeholder shows the date, the number or the footer of every slide.

    What an author typed into the place of the date and is no date says something of this slide alone.
    """
    if own is None or own.kind not in RUNNING:
        return False
    typed = "".join(one.text or "" for one in descendants(body, "t"))
    is_date = any(map(str.isdigit, typed)) or next(descendants(body, "fld"), None) is not None
    return own.kind != "dt" or is_date


def _largest_font_size(body: Element) -> int | None:
    """The largest size that runs of a text name, in hundredths of a point."""
    sizes = (attribute(one, "sz") for one in descendants(body, "rPr"))
    return max((number(size) for size in sizes if size), default=None)


def _cell(element: Element, text: SlideText) -> Cell:
    if attribute(element, "hMerge") in ("1", "true") or attribute(element, "vMerge") in ("1", "true"):
        return Cell("")
    rows = min(max(number(attribute(element, "rowSpan"), 1), 1), WIDEST_SPAN)
    columns = min(max(number(attribute(element, "gridSpan"), 1), 1), WIDEST_SPAN)
    body = child(element, "txBody")
    return Cell(text.words(body), row_span=rows, column_span=columns, href=text.only_link(body))


def _transform_box(shape: Element) -> Box | None:
    transform = child(shape, "spPr", "xfrm")
    if transform is None:
        transform = child(shape, "xfrm")
    offset, size = child(transform, "off"), child(transform, "ext")
    if offset is None or size is None:
        return None
    sides = (attribute(offset, "x"), attribute(offset, "y"), attribute(size, "cx"), attribute(size, "cy"))
    return Box(*(number(side) / EMU_PER_POINT for side in sides))


def group_frame(group: Element, outer: ShapeFrame) -> ShapeFrame:
    """The frame of a group inside of another."""
    transform = child(group, "grpSpPr", "xfrm")
    parts = [child(transform, name) for name in ("off", "ext", "chOff", "chExt")]
    if any(part is None for part in parts):
        return outer
    offset, size, inner_offset, inner_size = parts
    scale_x = _ratio(attribute(size, "cx"), attribute(inner_size, "cx"))
    scale_y = _ratio(attribute(size, "cy"), attribute(inner_size, "cy"))
    x = number(attribute(offset, "x")) - number(attribute(inner_offset, "x")) * scale_x
    y = number(attribute(offset, "y")) - number(attribute(inner_offset, "y")) * scale_y
    return ShapeFrame(
        scale_x * outer.scale_x,
        scale_y * outer.scale_y,
        x / EMU_PER_POINT * outer.scale_x + outer.x,
        y / EMU_PER_POINT * outer.scale_y + outer.y,
    )


def _ratio(outer: str | None, inner: str | None) -> float:
    return number(outer) / number(inner) if number(inner) else 1.0


def alternative_text(shape: Element) -> str:
    """What the author says that a picture shows."""
    for one in descendants(shape, "cNvPr"):
        if words := attribute(one, "descr") or attribute(one, "title"):
            return tidy(words)
    return ""


def _is_hidden(shape: Element) -> bool:
    return any(attribute(one, "hidden") in ("1", "true") for one in descendants(shape, "cNvPr"))


def with_box(shape: Shape) -> list[Block]:
    """The blocks of a shape, each with the shape's box."""
    return [replace(block, box=shape.box) for block in shape.blocks]
