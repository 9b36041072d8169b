"""Links: the words of a page that are in the rectangles that its file makes links of."""

import ctypes
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from pagemill.model.pages import Block, Box, Cell, Kind
from pagemill.reading.clean import solid_length
from pagemill.reading.page.sheet import TypedRun, Word
from pagemill.reading.page.turning import FULL_TURN, upright_box

SAFE_LINK = re.compile(r"(?:https?|mailto|ftp):", re.IGNORECASE)
# A link over more of the page than this is no one's words.
LARGEST_SHARE = 0.5
# Brackets and stops that may be beside a link, in one word with it; they are out of it if they are so far out, in sizes.
_BEFORE, _AFTER, OUTSIDE = re.compile(r"^[(\[\"“‘«]+"), re.compile(r"[)\].,;:!?\"”’»]+$"), 0.1
# How much of a word is in the rectangle of a link.
LEAST_COVERED = 0.5

# A cell is a link if so much of its text is one.
MOST_OF_CELL = 0.5

# Where the middle of a linked word is, from the top and from the left, where it leads, and how long the word is.
LinkedPlace = tuple[float, float, str, int]
_height = itemgetter(0)


class Link(NamedTuple):
    """Where a link is on the page, and where it leads."""

    box: Box
    href: str


def page_links(page: pypdfium2.PdfPage, turn: int = 0) -> list[Link]:
    """The links of a page, where they are once it is turned upright by that much."""
    left, low, right, top = page.get_bbox()
    width, height = right - left, top - low
    turned = (turn - page.get_rotation()) % FULL_TURN
    links = []
    for link in _annotations(page):
        if href := _target(page, link):
            for x, bottom, end, upper in _areas(link):
                box = Box(x - left, top - upper, end - x, upper - bottom)
                if box.width * box.height <= LARGEST_SHARE * width * height:
                    links.append(Link(upright_box(box, turned, width, height), href))
    return links


def _annotations(page: pypdfium2.PdfPage) -> Iterator[object]:
    at, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    while pdfium.FPDFLink_Enumerate(page.raw, ctypes.byref(at), ctypes.byref(link)):
        yield link
        link = pdfium.FPDF_LINK()


def _target(page: pypdfium2.PdfPage, link: object) -> str | None:
    """The address that a link leads to, if it is outside of the document and safe."""
    action = pdfium.FPDFLink_GetAction(link)
    if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
        return None
    length = pdfium.FPDFAction_GetURIPath(page.pdf.raw, action, None, 0)
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFAction_GetURIPath(page.pdf.raw, action, buffer, length)
    href = "".join(buffer.value.decode("utf-8", "replace").split())
    return href if href.isprintable() and SAFE_LINK.match(href) else None


def _areas(link: object) -> Iterator[tuple[float, float, float, float]]:
    """The rectangles of a link, one for each of its lines if the file says so: left, bottom, right and top."""
    count = pdfium.FPDFLink_CountQuadPoints(link)
    for at in range(count):
        quad = pdfium.FS_QUADPOINTSF()
        if pdfium.FPDFLink_GetQuadPoints(link, at, ctypes.byref(quad)):
            xs, ys = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
            yield min(xs), min(ys), max(xs), max(ys)
    rect = pdfium.FS_RECTF()
    if not count and pdfium.FPDFLink_GetAnnotRect(link, ctypes.byref(rect)):
        yield rect.left, min(rect.bottom, rect.top), rect.right, max(rect.bottom, rect.top)


def mark_links(words: Sequence[Word], links: Sequence[Link]) -> None:
    """Note with the words of a sheet which of them are links."""
    if not links:
        return
    ordered = sorted(words, key=_middle)
    heights = list(map(_middle, ordered))
    for box, href in links:
        for word in ordered[bisect_left(heights, box.y) : bisect_right(heights, box.bottom)]:
            covered = min(word.right, box.right) - max(word.left, box.x)
            if covered >= LEAST_COVERED * word.width:
                word.printed = tuple(_link_runs(word, box, href))


def _middle(word: Word) -> float:
    return (word.top + word.bottom) / 2


def _link_runs(word: Word, box: Box, href: str) -> Iterator[TypedRun]:
    """The runs of a word as parts of a link, without the brackets and stops that are outside of it."""
    runs = word.printed or (TypedRun(word.text, bool(word.bold), bool(word.italic)),)
    text = "".join(run.text for run in runs)
    before, after = _BEFORE.search(text), _AFTER.search(text)
    out = OUTSIDE * word.size
    start = before.end() if before and box.x > word.left + out else 0
    end = after.start() if after and box.right < word.right - out else len(text)
    at = 0
    for run in runs:
        first, last = (min(max(edge - at, 0), len(run.text)) for edge in (start, end))
        pieces = ((run.text[:first], None), (run.text[first:last], href), (run.text[last:], None))
        yield from (run._replace(text=piece, href=link) for piece, link in pieces if piece)
        at += len(run.text)


def with_linked_cells(block: Block, words: Sequence[Word]) -> Block:
    """A block; the cells of a table are links where their words are."""
    if block.kind is not Kind.TABLE:
        return block
    linked = sorted([place for word in words if word.printed and (place := _linked_place(word))])
    if not linked:
        return block
    header, *rows = [tuple(_linked_cell(cell, linked) for cell in row) for row in (block.header, *block.rows)]
    return replace(block, header=header, rows=tuple(rows))


def _linked_place(word: Word) -> LinkedPlace | None:
    href = next((run.href for run in word.printed if run.href), None)
    return (_middle(word), (word.left + word.right) / 2, href, len(word.text)) if href else None


def _linked_cell(cell: Cell, linked: Sequence[LinkedPlace]) -> Cell:
    """A cell with the first link in it, if most of its text is linked; the places of links are given from the top down."""
    if not cell.text or cell.box is None:
        return cell
    box = cell.box
    first, end = bisect_left(linked, box.y, key=_height), bisect_right(linked, box.bottom, key=_height)
    inside = [one for one in linked[first:end] if box.x <= one[1] <= box.right]
    if sum(length for *_, length in inside) < MOST_OF_CELL * solid_length(cell.text):
        return cell
    return replace(cell, href=inside[0][2]) if inside else cell
