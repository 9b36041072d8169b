"""Second readers of our own, for ODT and EPUB files that anydoc refuses: words and structure, without looks."""

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote

from pagemill.model.pages import Block, Cell, Kind
from pagemill.reading.office.charset import decode
from pagemill.reading.office.docx.word_tables import cell_text
from pagemill.reading.office.flow import Flow
from pagemill.reading.office.package import Package
from pagemill.reading.office.web_pages import read_html
from pagemill.reading.office.writing import heading, paragraph, table
from pagemill.reading.office.xml_parts import Element, attribute, child, children, descendants, local, number

WIDEST_SPAN = 64
DEEPEST_LIST = 8
_BREAKS = {"tab": "\t", "s": " ", "line-break": "\n"}
_UNREAD = ("annotation", "tracked-changes", "note-citation")


def odt_flow(path: str) -> Flow:
    """The blocks of an OpenDocument text, as far as its XML can be followed."""
    package, flow = Package(path), Flow()
    body = child(package.xml("content.xml"), "body", "text")
    if body is not None:
        flow.add(*_odt_blocks(body, -1))
    return flow


def _odt_blocks(element: Element, depth: int) -> Iterator[Block]:
    """The blocks below an element; `depth` is that of the list around it."""
    for one in children(element):
        match local(one):
            case "h":
                yield heading(_words(one), number(attribute(one, "outline-level"), 1))
            case "p":
                made = paragraph(_words(one))
                yield made if depth < 0 else Block("", Kind.LIST_ITEM, text=made.text, level=depth)
            case "list":
                yield from _odt_blocks(one, min(depth + 1, DEEPEST_LIST))
            case "table":
                made_table = table(_odt_rows(one), header_rows=0)
                if made_table is not None:
                    yield made_table
            case name if name not in _UNREAD:
                yield from _odt_blocks(one, depth)


def _odt_rows(element: Element) -> Iterator[list[Cell]]:
    for row in descendants(element, "table-row"):
        yield [_odt_cell(cell) for cell in children(row, "table-cell", "covered-table-cell")]


def _odt_cell(cell: Element) -> Cell:
    width = min(max(number(attribute(cell, "number-columns-spanned"), 1), 1), WIDEST_SPAN)
    return Cell(cell_text(list(_odt_blocks(cell, -1))), column_span=width)


def _words(element: Element) -> str:
    """The text below an element in its order, without those of comments."""
    pieces = [element.text or ""]
    for one in children(element):
        name = local(one)
        if name not in _UNREAD:
            pieces.append(_BREAKS.get(name) or _words(one))
        pieces.append(one.tail or "")
    return "".join(pieces)


def epub_flow(path: str) -> Flow:
    """The chapters of a book in the order of its spine, each as a web page."""
    package, flow = Package(path), Flow()
    for part in _chapters(package):
        flow.break_page()
        flow.add(*read_html(decode(package.read(part))).blocks)
    return flow


def _chapters(package: Package) -> list[str]:
    """The parts of the spine; all web pages of the package if it can't be followed."""
    container = package.xml_if_any("META-INF/container.xml")
    rootfile = next(descendants(container, "rootfile"), None) if container is not None else None
    book = attribute(rootfile, "full-path")
    root = package.xml_if_any(book)
    pages = sorted(name for name in package.names if name.endswith((".xhtml", ".html", ".htm")))
    if root is None or book is None:
        return pages
    items = {attribute(one, "id"): attribute(one, "href") or "" for one in descendants(root, "item")}
    named = [items.get(attribute(one, "idref")) for one in descendants(root, "itemref")]
    folder = posixpath.dirname(book)
    spine = [posixpath.normpath(posixpath.join(folder, unquote(one))) for one in named if one]
    return [part for part in spine if package.has(part)] or pages
