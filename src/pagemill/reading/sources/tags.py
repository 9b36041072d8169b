"""What a tagged PDF says of a page itself: its headings, list items and tables, and what its figures show.

Tags are believed where they agree with the page (`layout/judging.py`, `layout/settling.py`, `tables/tagged.py`): programs that
write them often know less than they say.
"""

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pypdfium2
import pypdfium2.raw as pdfium

from pagemill.model.pages import Box, box_around
from pagemill.reading.clean import clean
from pagemill.reading.page.sheet import Hint
from pagemill.reading.pdf.page_objects import WHOLE, box_on_page

HEADING, FIGURE, LIST_ITEM, TABLE = "heading", "figure", "list_item", "table"
HEADINGS = {"Title": 1, "H": 1, **{f"H{level}": level for level in range(1, 7)}}
# Beyond so many elements or objects a page is read without its tags.
MOST_ELEMENTS, MOST_TAGGED_OBJECTS = 5_000, 10_000


@dataclass(frozen=True, slots=True)
class TaggedElement:
    """An element of the structure tree with its marks in the page, and those of the cells of each row if it is a table."""

    kind: str
    marks: frozenset[int]
    level: int | None = None
    text: str = ""
    rows: tuple[tuple[frozenset[int], ...], ...] = ()


def page_tags(page: pypdfium2.PdfPage) -> list[Hint]:
    """The headings, list items and tables of a page, and its figures with their alternative texts, as its tags have them."""
    tree = pdfium.FPDF_StructTree_GetForPage(page.raw)
    if not tree:
        return []
    try:
        elements = list(_elements(tree))
    finally:
        pdfium.FPDF_StructTree_Close(tree)
    return list(_hints(page, elements)) if elements else []


def _elements(tree: object) -> Iterator[TaggedElement]:
    count = pdfium.FPDF_StructTree_CountChildren(tree)
    stack = [pdfium.FPDF_StructTree_GetChildAtIndex(tree, at) for at in reversed(range(count))]
    left = MOST_ELEMENTS
    while stack and left:
        element, left = stack.pop(), left - 1
        if not element:
            continue
        kind = _kind(element)
        if kind == "Table":
            yield TaggedElement(TABLE, _marks(element), rows=_rows(element))
        if kind == "LI":
            yield TaggedElement(LIST_ITEM, _marks(element, without="L"))
        if kind in HEADINGS:
            yield TaggedElement(HEADING, _marks(element), HEADINGS[kind])
        elif kind == "Figure":
            if shown := clean(_string(pdfium.FPDF_StructElement_GetAltText, element)).strip():
                yield TaggedElement(FIGURE, _marks(element), text=shown)
        else:
            stack += reversed(_children(element))


def _children(element: object) -> list[object]:
    count = pdfium.FPDF_StructElement_CountChildren(element)
    found = (pdfium.FPDF_StructElement_GetChildAtIndex(element, at) for at in range(count))
    return [child for child in found if child]


def _kind(element: object) -> str:
    return _string(pdfium.FPDF_StructElement_GetType, element)


def _rows(table: object) -> tuple[tuple[frozenset[int], ...], ...]:
    """The marks of the cells of each row; rows may be in groups."""
    stack, rows, left = _children(table)[::-1], list[object](), MOST_ELEMENTS
    while stack and left:
        one, left = stack.pop(), left - 1
        if _kind(one) == "TR":
            rows.append(one)
        elif _kind(one) in ("THead", "TBody", "TFoot"):
            stack += reversed(_children(one))
    return tuple(
        tuple(_marks(cell) for cell in _children(row) if cell and _kind(cell) in ("TH", "TD")) for row in rows
    )


def _marks(element: object, without: str = "") -> frozenset[int]:
    """The marks of the content that an element and all below it have in the page, but for those of one kind below it."""
    marks: set[int] = set()
    stack, left = [element], MOST_ELEMENTS
    while stack and left:
        one, left = stack.pop(), left - 1
        if not one or (without and _kind(one) == without):
            continue
        count = pdfium.FPDF_StructElement_GetMarkedContentIdCount(one)
        marks.update(pdfium.FPDF_StructElement_GetMarkedContentIdAtIndex(one, at) for at in range(count))
        stack += _children(one)
    return frozenset(mark for mark in marks if mark >= 0)


def _hints(page: pypdfium2.PdfPage, elements: list[TaggedElement]) -> Iterator[Hint]:
    """The elements that have something on the page, with its box."""
    wanted = frozenset(mark for element in elements for mark in element.marks)
    boxes: dict[int, list[Box]] = {}
    for at in range(min(pdfium.FPDFPage_CountObjects(page.raw), MOST_TAGGED_OBJECTS)):
        drawn = pdfium.FPDFPage_GetObject(page.raw, at)
        mark = pdfium.FPDFPageObj_GetMarkedContentID(drawn)
        if mark in wanted and (box := box_on_page(page, drawn, WHOLE)):
            boxes.setdefault(mark, []).append(box)

    def box_of(marks: frozenset[int]) -> Box | None:
        own = [box for mark in marks for box in boxes.get(mark, ())]
        return box_around(own) if own else None

    for element in elements:
        if box := box_of(element.marks):
            cells = tuple(tuple(box_of(cell) for cell in row) for row in element.rows)
            yield Hint(element.kind, box, element.level, element.text, cells)


def _string(read: Callable[[object, object, int], int], element: object) -> str:
    """A text of PDFium, which says how many bytes it takes and then writes them, in UTF-16 with a zero at the end."""
    size_bytes = read(element, None, 0)
    if size_bytes <= 2:
        return ""
    buffer = ctypes.create_string_buffer(size_bytes)
    read(element, buffer, size_bytes)
    return buffer.raw[: size_bytes - 2].decode("utf-16-le", "replace")
