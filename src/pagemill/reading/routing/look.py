"""A look at what is drawn on a page, for pages whose text does not settle how they are to be read.

It opens the document a second time and costs as much as reading a page of text, so only suspicious pages get it.
"""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from types import TracebackType
from typing import TYPE_CHECKING, Self

import pypdfium2
import pypdfium2.raw as pdfium

from pagemill.errors import DocumentError
from pagemill.model.pages import Box
from pagemill.reading.pdf.inspection import open_pdf
from pagemill.reading.pdf.page_objects import box_on_page, object_bounds, page_objects

if TYPE_CHECKING:
    from PIL import Image

INVISIBLE = (pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP)
# On the longer side: a page number of two digits still leaves a score of dark pixels.
THUMBNAIL_PIXELS = 420
# How far from the paper a grey is ink; the noise of a scanner stays below.
INK_CONTRAST = 56
# Specks of dust are fewer pixels.
LEAST_INK_PIXELS = 12
# On a printed page most of the area is one colour, the paper; a photograph has no such colour.
PAPER_SHARE = 0.4
PAPER_SPREAD = 20
# Characters drawn as outlines are paths of such a size, and a page of words has many of them.
GLYPH_POINTS = (1.5, 40.0)
# White paper compresses to less in all formats, print and noise to more in most.
INKED_BYTES_PER_PIXEL = 0.03
# Drawing a larger picture, however small, could take all the memory there is.
MOST_PICTURE_PIXELS = 200_000_000

# So large a page is drawn to see whether single words are there, and so many steps of grey apart its characters are seen.
PIXELS_PER_POINT, LARGEST_SIDE_PIXELS, FAINT_CONTRAST = 2.0, 4000, 12


@dataclass(frozen=True, slots=True)
class PageContent:
    """What is drawn on a page: its pictures, how many pixels and bytes the largest has, how many runs of text there are,
    how many of them are invisible, also such with outlines, and how many small shapes.
    """

    pictures: tuple[Box, ...] = ()
    texts: int = 0
    invisible: int = 0
    hidden: int = 0
    glyphs: int = 0
    pixels: int = 0
    bytes: int = 0

    @property
    def is_inked(self) -> bool:
        """Whether the largest picture takes more bytes than an empty one could."""
        return self.bytes > INKED_BYTES_PER_PIXEL * self.pixels > 0


@dataclass(frozen=True, slots=True)
class Ink:
    """How many pixels of a thumbnail are not paper, and whether there is paper at all."""

    pixels: int
    on_paper: bool

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing but specks."""
        return self.on_paper and self.pixels < LEAST_INK_PIXELS


class Look:
    """The drawn side of a document, opened when it is first asked for."""

    def __init__(self, path: str, password: str | None) -> None:
        self._path, self._password = path, password
        self._document: pypdfium2.PdfDocument | None = None
        self._number, self._opened = 0, None
        self._content: PageContent | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._document is not None:
            self._document.close()

    def seen(self, number: int) -> PageContent | None:
        """What is drawn on a page, None if it can't be opened."""
        page = self.page(number)
        if page and self._content is None:
            self._content = _seen(page)
        return self._content

    def ink(self, number: int, box: Box | None = None, known: Sequence[Box] = ()) -> Ink | None:
        """How much is drawn on a page or in a box of it, beside known texts; None if that would take too long."""
        page = self.page(number)
        return _ink(page, box, known) if page and self._may_be_drawn(number) else None

    def blank(self, number: int, boxes: Sequence[Box]) -> list[bool]:
        """Whether nothing is drawn in each of some boxes of a page, which is drawn once; none is blank if it can't be."""
        page = self.page(number)
        if not page or not self._may_be_drawn(number):
            return [False] * len(boxes)
        scale = min(PIXELS_PER_POINT, LARGEST_SIDE_PIXELS / max(*page.get_size(), 1.0))
        drawn = page.render(scale=scale, grayscale=True).to_pil().convert("L")
        return [_is_even(drawn, box, scale) for box in boxes]

    def _may_be_drawn(self, number: int) -> bool:
        seen = self.seen(number)
        return seen is not None and seen.pixels <= MOST_PICTURE_PIXELS

    def page(self, number: int) -> pypdfium2.PdfPage | None:
        """A page itself, None if it can't be opened."""
        if number != self._number:
            self._number, self._opened, self._content = number, self._page(number), None
        return self._opened

    def _page(self, number: int) -> pypdfium2.PdfPage | None:
        try:
            if self._document is None:
                self._document = open_pdf(self._path, self._password)
                # Filled-in fields are part of what is seen.
                self._document.init_forms()
            return self._document[number - 1]
        except (DocumentError, pypdfium2.PdfiumError, IndexError):
            return None


def _seen(page: pypdfium2.PdfPage) -> PageContent:
    found = [(pdfium.FPDFPageObj_GetType(each), each, matrix) for each, matrix in page_objects(page)]
    images = [(each, matrix) for kind, each, matrix in found if kind == pdfium.FPDF_PAGEOBJ_IMAGE]
    texts = [each for kind, each, _ in found if kind == pdfium.FPDF_PAGEOBJ_TEXT]
    unseen = [each for each in texts if pdfium.FPDFTextObj_GetTextRenderMode(each) in INVISIBLE]
    boxes = [box_on_page(page, each, matrix) for each, matrix in images]
    pixels, _, largest = max(
        ((_pixels(each), at, each) for at, (each, _) in enumerate(images)), default=(0, 0, None)
    )
    return PageContent(
        tuple(box for box in boxes if box),
        len(texts),
        len(unseen),
        sum(map(_has_outlines, unseen)),
        sum(_is_glyph(each) for kind, each, _ in found if kind == pdfium.FPDF_PAGEOBJ_PATH),
        pixels,
        pdfium.FPDFImageObj_GetImageDataRaw(largest, None, 0) if largest else 0,
    )


def _has_outlines(text: object) -> bool:
    """Whether a run of text has a shape; spaces and the characters of recognisers have none."""
    _, bottom, _, top = object_bounds(text)
    return top > bottom


def _pixels(found: object) -> int:
    across, down = ctypes.c_uint(), ctypes.c_uint()
    pdfium.FPDFImageObj_GetImagePixelSize(found, across, down)
    return across.value * down.value


def _is_glyph(found: object) -> bool:
    """Whether a path may be a character: filled, as drawings seldom are, and small."""
    fill, stroked = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(found, fill, stroked)
    if not fill.value:
        return False
    left, bottom, right, top = object_bounds(found)
    least, most = GLYPH_POINTS
    return least < top - bottom < most and right - left < most


def _ink(page: pypdfium2.PdfPage, box: Box | None, known: Sequence[Box]) -> Ink:
    width, height = page.get_size()
    part = box or Box(0, 0, width, height)
    if min(part.width, part.height) <= 0:
        # A page that is cropped to nothing shows nothing.
        return Ink(0, on_paper=True)
    sides = (part.x, height - part.bottom, width - part.right, part.y)
    scale = THUMBNAIL_PIXELS / max(part.width, part.height, 1.0)
    crop = tuple(max(0.0, side) for side in sides)
    image = page.render(scale=scale, crop=crop, grayscale=True).to_pil().convert("L")
    greys = image.histogram()
    paper = max(range(256), key=greys.__getitem__)
    for text in known:
        # A file may put its text anywhere; what can't be compared is in no part of the page.
        left, top = max(text.x, part.x, 0.0), max(text.y, part.y, 0.0)
        right, bottom = min(text.right, part.right, width), min(text.bottom, part.bottom, height)
        if left < right and top < bottom:
            inside = Box(left - max(part.x, 0.0), top - max(part.y, 0.0), right - left, bottom - top)
            image.paste(paper, _pixels_around(inside, scale))
    greys = image.histogram() if known else greys
    spread = sum(greys[max(0, paper - PAPER_SPREAD) : paper + PAPER_SPREAD + 1])
    ink = sum(greys[: max(0, paper - INK_CONTRAST)]) + sum(greys[paper + INK_CONTRAST + 1 :])
    return Ink(ink, spread >= PAPER_SHARE * sum(greys))


def _is_even(drawn: "Image.Image", box: Box, scale: float) -> bool:
    """Whether all of a box has one shade, but for a few pixels."""
    greys = drawn.crop(_pixels_around(box, scale)).histogram()
    ground = max(range(256), key=greys.__getitem__)
    others = sum(greys) - sum(greys[max(0, ground - FAINT_CONTRAST) : ground + FAINT_CONTRAST + 1])
    return others < LEAST_INK_PIXELS


def _pixels_around(box: Box, scale: float) -> tuple[int, int, int, int]:
    """The pixels of a box, also those that are in it in part: left, top, right and bottom."""
    return (
        floor(box.x * scale),
        floor(box.y * scale),
        ceil(box.right * scale),
        ceil(box.bottom * scale),
    )
