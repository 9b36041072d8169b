"""What is drawn in a Word document: images, text boxes, charts, diagrams and embedded objects."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

from pagemill.model.pages import Block, Kind, Origin
from pagemill.reading.office.charts import chart_blocks
from pagemill.reading.office.diagrams import diagram_blocks
from pagemill.reading.office.docx.runs import RunContext, choose
from pagemill.reading.office.package import EXTERNAL
from pagemill.reading.office.writing import tidy
from pagemill.reading.office.xml_parts import Element, attribute, children, descendants, local

EMBEDDED = "embedded_files"


class DrawingReader(Protocol):
    """Reads text boxes, and knows the document."""

    source: RunContext

    def read_apart(self, element: Element) -> list[Block]:
        """The blocks of a text box."""
        ...


def read_drawing(element: Element, reader: DrawingReader) -> list[Block]:
    """The blocks of a drawing in the order of the file."""
    alt = _alternative_text(element)
    found = list(_walk(element, reader))
    figures = [at for at, block in enumerate(found) if block.kind is Kind.FIGURE]
    if alt and len(figures) == 1:
        found[figures[0]] = replace(found[figures[0]], text=alt)
    return found


def _walk(element: Element, reader: DrawingReader) -> Iterator[Block]:
    source = reader.source
    for one in children(element):
        match local(one):
            case "AlternateContent":
                chosen = choose(one)
                if chosen is not None:
                    yield from _walk(chosen, reader)
            case "txbxContent":
                yield from (_text_box(block) for block in reader.read_apart(one))
            case "blip" | "imagedata":
                yield from _figure(one, source)
            case "chart":
                yield from chart_blocks(
                    source.package, source.package.target(source.part, attribute(one, "id"))
                )
            case "relIds":
                yield from diagram_blocks(
                    source.package, source.package.target(source.part, attribute(one, "dm"))
                )
            case "textpath":
                yield Block("", Kind.PARAGRAPH, text=tidy(attribute(one, "string") or ""), role="text_box")
            case "OLEObject":
                source.package.warn(EMBEDDED)
            case _:
                yield from _walk(one, reader)


def _text_box(block: Block) -> Block:
    return replace(block, role=block.role or "text_box")


def _figure(element: Element, source: RunContext) -> Iterator[Block]:
    """An image of the package; one from outside is not fetched."""
    if attribute(element, "link"):
        source.package.warn(EXTERNAL)
    part = source.package.target(source.part, attribute(element, "embed") or attribute(element, "id"))
    if part is not None and source.package.has(part):
        yield Block("", Kind.FIGURE, origin=Origin(part=part))


def _alternative_text(element: Element) -> str:
    for one in descendants(element, "docPr"):
        if words := attribute(one, "descr") or attribute(one, "title"):
            return tidy(words)
    for one in descendants(element, "shape"):
        if words := attribute(one, "alt"):
            return tidy(words)
    return ""
