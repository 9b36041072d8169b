"""What is above the cells of a sheet: charts, images, text boxes, and comments to cells."""

from collections.abc import Iterator

from pagemill.model.pages import Block, Kind, Origin
from pagemill.reading.office.charts import chart_blocks
from pagemill.reading.office.diagrams import diagram_blocks
from pagemill.reading.office.docx.runs import choose
from pagemill.reading.office.package import EXTERNAL, Package
from pagemill.reading.office.pptx.shapes import EMBEDDED, alternative_text
from pagemill.reading.office.pptx.slide_text import SlideText
from pagemill.reading.office.sheets.values import CellRange
from pagemill.reading.office.writing import Text
from pagemill.reading.office.xml_parts import Element, attribute, child, children, descendants, local, number


def drawing_blocks(package: Package, part: str) -> list[Block]:
    """The blocks of all drawings of a sheet, then its comments."""
    if package.related_parts(part, "oleObject") or package.related_parts(part, "package"):
        package.warn(EMBEDDED)
    return [*_drawings(package, part), *_comments(package, part)]


def _drawings(package: Package, part: str) -> Iterator[Block]:
    for drawing in package.related_parts(part, "drawing"):
        root = package.xml_if_any(drawing)
        for anchor in children(root) if root is not None else ():
            if local(anchor).endswith("Anchor"):
                yield from _shapes(anchor, package, drawing, _cells(anchor))


def _cells(anchor: Element) -> str | None:
    """The cells that a drawing covers."""
    first, last = child(anchor, "from"), child(anchor, "to")
    if first is None:
        return None
    last = first if last is None else last
    return CellRange(_at(first, "row"), _at(first, "col"), _at(last, "row"), _at(last, "col")).name()


def _at(corner: Element, name: str) -> int:
    found = child(corner, name)
    return max(number(found.text if found is not None else None), 0)


def _shapes(element: Element, package: Package, part: str, cells: str | None) -> Iterator[Block]:
    for one in children(element):
        match local(one):
            case "AlternateContent":
                chosen = choose(one)
                if chosen is not None:
                    yield from _shapes(chosen, package, part, cells)
            case "grpSp":
                yield from _shapes(one, package, part, cells)
            case "sp":
                text = SlideText(package, part).words(child(one, "txBody"))
                if text:
                    yield Block(
                        "", Kind.PARAGRAPH, text=text, role="text_box", origin=Origin(part=part, cells=cells)
                    )
            case "pic":
                yield from _picture(one, package, part, cells)
            case "graphicFrame":
                for chart in descendants(one, "chart"):
                    yield from chart_blocks(package, package.target(part, attribute(chart, "id")))
                for diagram in descendants(one, "relIds"):
                    yield from diagram_blocks(package, package.target(part, attribute(diagram, "dm")))


def _picture(shape: Element, package: Package, part: str, cells: str | None) -> Iterator[Block]:
    blip = next(descendants(shape, "blip"), None)
    if attribute(blip, "link"):
        package.warn(EXTERNAL)
    image = package.target(part, attribute(blip, "embed"))
    if image is not None and package.has(image):
        yield Block("", Kind.FIGURE, text=alternative_text(shape), origin=Origin(part=image, cells=cells))


def _comments(package: Package, part: str) -> Iterator[Block]:
    for comments in package.related_parts(part, "comments"):
        root = package.xml_if_any(comments)
        for one in descendants(root, "comment") if root is not None else ():
            cell, text = attribute(one, "ref"), Text()
            text.add(f"[{cell}] ")
            for piece in descendants(one, "t"):
                text.add(piece.text or "")
            yield Block(
                "", Kind.FOOTNOTE, text=text.plain(), role="comment", origin=Origin(part=comments, cells=cell)
            )
