"""Drawing a page as an image."""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pypdfium2

from pagemill.errors import PageOutOfRange, PageTooLarge, PageUnreadable
from pagemill.model.visits import RenderAnswer, RenderRequest
from pagemill.reading.pdf.inspection import opened_again

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = {"png": "PNG", "webp": "WEBP", "jpeg": "JPEG"}
POINTS_PER_INCH = 72
# A page of which so little would be left is not worth drawing.
LEAST_DPI = 1.0


def render(request: RenderRequest) -> RenderAnswer:
    """Draw the page, at a lower resolution than asked if it would have too many pixels."""
    with opened_again(request.path, request.password) as document:
        with page_to_draw(document, request.page) as page:
            width, height = page.get_size()
            dpi = fitting_dpi(width, height, request.dpi, request.max_pixels)
            image = page.render(scale=dpi / POINTS_PER_INCH).to_pil()
        size_bytes = save_image(image, Path(request.scratch) / request.name, FORMATS[request.format])
        lowered = ("resolution_lowered",) if dpi < request.dpi else ()
        return RenderAnswer(image.width, image.height, round(dpi, 2), size_bytes, lowered)


def load_page(document: pypdfium2.PdfDocument, number: int) -> pypdfium2.PdfPage:
    """A page that is drawn with what is filled into the fields of its form."""
    if not 1 <= number <= len(document):
        raise PageOutOfRange(f"the document has {len(document)} pages, {number} is not one of them")
    try:
        # Fields are drawn on pages that are loaded afterwards; a second time nothing happens.
        document.init_forms()
        return document[number - 1]
    except pypdfium2.PdfiumError as error:
        raise PageUnreadable(f"page {number} can't be drawn") from error


@contextmanager
def page_to_draw(document: pypdfium2.PdfDocument, number: int) -> Iterator[pypdfium2.PdfPage]:
    """The same, closed at the end; PageUnreadable if PDFium can't draw it."""
    page = load_page(document, number)
    try:
        yield page
    except pypdfium2.PdfiumError as error:
        raise PageUnreadable(f"page {number} can't be drawn") from error
    page.close()


def save_image(image: "Image", file: Path, form: str) -> int:
    """Write the image under another name first, so that half of it is never read; its size in bytes."""
    # Two that draw the same page at once must not write into the same file.
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    image.convert("RGB").save(part, form)
    part.replace(file)
    return file.stat().st_size


def fitting_dpi(width: float, height: float, dpi: float, max_pixels: int) -> float:
    """The resolution at which the page has at most so many pixels."""
    inches = max(width, 1.0) * max(height, 1.0) / POINTS_PER_INCH**2
    fitting = min(float(dpi), math.sqrt(max_pixels / inches))
    if fitting < LEAST_DPI:
        raise PageTooLarge.because(f"The page has {width:.0f} by {height:.0f} points.")
    return fitting
