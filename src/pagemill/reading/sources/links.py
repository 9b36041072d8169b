"""Links: the words of a page that are in the rectangles that its file makes links of."""

import ctypes
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium

from pagemill.model.pages import Block, Box, Cell, Kind
from pagemill.reading.clean import solid_length
from pagemill.reading.page.block_parts import with_cells
from pagemill.reading.page.noted_words import NotedWords, middle_of
from pagemill.reading.page.safe_links import safe_link
from pagemill.reading.page.sheet import TypedRun, Word
from pagemill.reading.page.turning import FULL_TURN, upright_box

# A link over more of the page than this is no one's words.
LARGEST_SHARE = 0.5
# Brackets and stops that may be beside a link, in one word with it; they are out of it if they are so far out, in sizes.
_BEFORE, _AFTER, OUTSIDE = re.compile(r"^[(\[\"“‘«]+"), re.compile(r"[)\].,;:!?\"”’»]+$"), 0.1
# How much of a word is in the rectangle of a link.
LEAST_COVERED = 0.5

# A cell is a link if so much of its text is one.
MOST_OF_CELL = 0.5


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
    return safe_link(href) if href.isprintable() else None


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
    """Note with the words of a sheet which of them are links; of links over each other the last holds."""
    if not links:
        return
    ordered = sorted(words, key=middle_of)
    heights = list(map(middle_of, ordered))
    edges = np.array([(word.left, word.right) for word in ordered]).reshape(-1, 2)
    # A damaged file has thousands of links over each other: each word is parted only once.
    link_of = np.full(len(ordered), -1)
    for number, (box, _) in enumerate(links):
        band = slice(bisect_left(heights, box.y), bisect_right(heights, box.bottom))
        left, right = edges[band].T
        covered = np.minimum(right, box.right) - np.maximum(left, box.x)
        link_of[band][covered >= LEAST_COVERED * (right - left)] = number
    for word, number in zip(ordered, link_of.tolist(), strict=True):
        if number >= 0:
            word.printed = tuple(_link_runs(word, *links[number]))


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
    linked = NotedWords((word, href) for word in words if word.printed and (href := _href_of(word)))
    if not linked:
        return block
    return with_cells(block, lambda cell: _linked_cell(cell, linked))


def _href_of(word: Word) -> str | None:
    return next((run.href for run in word.printed if run.href), None)


def _linked_cell(cell: Cell, linked: NotedWords[str]) -> Cell:
    """A cell with the first link in it, if most of its text is linked."""
    inside = linked.within(cell.box) if cell.text and cell.box else []
    if not inside or sum(len(word.text) for word, _ in inside) < MOST_OF_CELL * solid_length(cell.text):
        return cell
    return replace(cell, href=inside[0][1])
