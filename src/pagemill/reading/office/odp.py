"""ODP: slides of OpenDocument, each a page, with the boxes of their frames."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pagemill.model.pages import Block, Box, Cell, Kind, Origin, Page
from pagemill.reading.office.package import Package
from pagemill.reading.office.pptx.deck import reading_order
from pagemill.reading.office.pptx.shapes import Shape
from pagemill.reading.office.writing import Text, TextLook, safe_link, table, text_block, tidy
from pagemill.reading.office.xml_parts import Element, attribute, child, children, descendants, local, number

PROVIDER, CONTENT = "office", "content.xml"
POINTS = {"cm": 72 / 2.54, "mm": 72 / 25.4, "in": 72.0, "pt": 1.0, "px": 0.75}
LENGTH = re.compile(r"(-?[\d.]+)(cm|mm|in|pt|px)")
# The usual size of a slide, where the file does not say how large its slides are.
USUAL_SIZE = (720.0, 540.0)

# What every slide repeats, and what stands in for what was not filled in.
RUNNING = ("header", "footer", "date-time", "page-number")
WIDEST_SPAN, DEEPEST = 200, 64
TABLE_PARTS = ("table-header-rows", "table-rows", "table-row-group")


@dataclass
class OdpDeck:
    """A presentation whose slides are read from one part."""

    package: Package

    @cached_property
    def slides(self) -> list[Element]:
        """The slides in order."""
        body = child(self.package.xml(CONTENT), "body", "presentation")
        return list(children(body, "page")) if body is not None else []

    @cached_property
    def size(self) -> tuple[float, float]:
        """Width and height of the slides in points."""
        styles = self.package.xml_if_any("styles.xml")
        for one in descendants(styles, "page-layout-properties") if styles is not None else ():
            wide, high = _points(one, "page-width"), _points(one, "page-height")
            if wide > 0 and high > 0:
                return round(wide, 2), round(high, 2)
        return USUAL_SIZE

    @property
    def total_pages(self) -> int:
        """How many slides there are."""
        return len(self.slides)

    def pages(self, numbers: Sequence[int]) -> Iterator[Page]:
        """The slides with these numbers."""
        for one in numbers:
            slide = self.slides[one - 1]
            shapes = reading_order(list(_shapes(slide)), self.size[1])
            blocks = [replace(block, box=shape.box) for shape in shapes for block in shape.blocks]
            named = (_name_block(block, one, at) for at, block in enumerate([*blocks, *_notes(slide)], 1))
            yield Page(one, *self.size, PROVIDER, tuple(named), attribute(slide, "name"))


def _shapes(parent: Element, depth: int = 0) -> Iterator[Shape]:
    """The frames and shapes of a slide, those of groups one by one."""
    for one in children(parent):
        name = local(one)
        if name == "g" and depth < DEEPEST:
            yield from _shapes(one, depth + 1)
        elif name not in ("notes", "forms", "animations") and attribute(one, "class") not in RUNNING:
            found = [block for block in _blocks(one) if block.text or block.rows or block.kind is Kind.FIGURE]
            title = attribute(one, "class") == "title"
            heads = [replace(b, kind=Kind.HEADING, level=None) if title else b for b in found]
            yield Shape(heads, _box(one), title=title)


def _blocks(shape: Element) -> Iterator[Block]:
    """The text, tables and images of a shape."""
    holder = child(shape, "text-box")
    for one in children(shape if holder is None else holder):
        match local(one):
            case "p" | "h":
                yield text_block(Kind.PARAGRAPH, _text(one))
            case "list":
                yield from _points_of(one)
            case "table":
                yield from _table(one)
            case "image":
                # A table or a chart has a picture beside it for programs that can't show it.
                target = attribute(one, "href") or ""
                if child(shape, "table") is None and not target.startswith(("http:", "https:")):
                    words = tidy("".join(_first_text(shape, "desc") or _first_text(shape, "title")))
                    yield Block("", Kind.FIGURE, text=words, origin=Origin(part=target.removeprefix("./")))


def _points_of(element: Element, level: int = 0) -> Iterator[Block]:
    """The points of a list, each with how deep it is."""
    for point in children(element, "list-item", "list-header"):
        for one in children(point):
            if local(one) == "list":
                yield from _points_of(one, level + 1) if level < DEEPEST else ()
            elif local(one) in ("p", "h"):
                yield text_block(Kind.LIST_ITEM, _text(one), level)


def _table(element: Element) -> Iterator[Block]:
    rows = [[cell for one in children(row) for cell in _cells(one)] for row in _rows(element)]
    made = table(rows, header_rows=1 if child(element, "table-header-rows") is not None else 0)
    if made is not None:
        yield made


def _rows(element: Element) -> Iterator[Element]:
    for one in children(element):
        if local(one) == "table-row":
            yield one
        elif local(one) in TABLE_PARTS:
            yield from _rows(one)


def _cells(cell: Element) -> Iterator[Cell]:
    """A cell; one that another covers is empty."""
    if local(cell) == "covered-table-cell":
        yield Cell("")
    elif local(cell) == "table-cell":
        words = "\n".join(_text(one).plain() for one in children(cell, "p", "h"))
        spans = (number(attribute(cell, f"number-{name}-spanned"), 1) for name in ("rows", "columns"))
        down, across = (min(max(span, 1), WIDEST_SPAN) for span in spans)
        yield Cell(words, row_span=down, column_span=across)


def _text(element: Element) -> Text:
    """The words of a paragraph with its links."""
    text = Text()
    _add(text, element, TextLook(), 0)
    return text


def _add(text: Text, element: Element, look: TextLook, depth: int) -> None:
    text.add((element.text or "").replace("\n", " "), look)
    for one in children(element):
        match local(one):
            case "s":
                text.add(" " * min(max(number(attribute(one, "c"), 1), 1), 100), look)
            case "tab":
                text.add(" ", look)
            case "line-break":
                text.add("\n", look)
            case "annotation" | "page-number" | "date":
                pass
            case "a":
                _add(text, one, replace(look, href=safe_link(attribute(one, "href"))), depth + 1)
            case _ if depth < DEEPEST:
                _add(text, one, look, depth + 1)
        text.add((one.tail or "").replace("\n", " "), look)


def _notes(slide: Element) -> Iterator[Block]:
    """The notes of the speaker."""
    for notes in children(slide, "notes"):
        for paragraph in descendants(notes, "p"):
            if words := _text(paragraph).plain():
                yield Block("", Kind.PARAGRAPH, text=words, role="speaker_notes")


def _box(shape: Element) -> Box | None:
    wide, high = _points(shape, "width"), _points(shape, "height")
    if wide <= 0 or high <= 0:
        return None
    return Box(*(round(side, 2) for side in (_points(shape, "x"), _points(shape, "y"), wide, high)))


def _points(element: Element, name: str) -> float:
    found = LENGTH.fullmatch(attribute(element, name) or "")
    return float(found[1]) * POINTS[found[2]] if found and found[1].count(".") < 2 else 0.0


def _first_text(element: Element, name: str) -> str:
    found = child(element, name)
    return "".join(found.itertext()) if found is not None else ""


def _name_block(block: Block, page: int, count: int) -> Block:
    level = (1 if page == 1 else 2) if block.kind is Kind.HEADING else block.level
    origin = block.origin or Origin(part=CONTENT)
    return replace(block, id=f"p{page}-b{count}", level=level, origin=replace(origin, index=count))
