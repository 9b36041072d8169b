"""A page, or a part of it, as a picture that a recogniser can read."""

import math
from dataclasses import dataclass

import numpy
import pypdfium2
import pypdfium2.raw as pdfium

from pagemill.errors import PageUnreadable
from pagemill.model.pages import Box
from pagemill.reading.ocr.recogniser import Pixels
from pagemill.reading.pdf.render import POINTS_PER_INCH, fitting_dpi, load_page

USUAL_DPI = 200.0
# A picture with fewer is enlarged: characters of a few pixels are not found.
LEAST_DPI = 150.0
# An A4 page at 400 dpi has 15 million.
MOST_PIXELS = 16_000_000
# A picture that covers less of the page says nothing about the rest.
COVERING_SHARE = 0.5
# Pictures inside forms inside forms are not looked for.
MOST_DEPTH = 3
# A page with more objects is a drawing, not a scan, and looking at each would take seconds.
MOST_OBJECTS = 20_000


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """A drawn page or part of one, and where the part is on the page, in points."""

    pixels: Pixels
    dpi: float
    part: Box
    whole: bool = True

    @property
    def points_per_pixel(self) -> float:
        """How large a pixel is on the page."""
        return POINTS_PER_INCH / self.dpi


class Drawing:
    """An opened page that can be drawn at several resolutions."""

    def __init__(self, document: pypdfium2.PdfDocument, page: int, region: Box | None) -> None:
        self.number = page
        self._page = load_page(document, page)
        self.width, self.height = self._page.get_size()
        self.whole = region is None
        self.part = _within(region, self.width, self.height)

    def own_dpi(self) -> float | None:
        """The resolution of the picture that covers most of the part, None if there is no such picture."""
        if pdfium.FPDFPage_CountObjects(self._page.raw) > MOST_OBJECTS:
            return None
        covered = self.part.width * self.part.height * COVERING_SHARE
        try:
            pictures = self._page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,), max_depth=MOST_DEPTH)
            return max([_resolution(one) for one in pictures if _area(one) >= covered], default=None)
        except pypdfium2.PdfiumError:
            # A picture that PDFium can't measure is left out of the drawing as well.
            return None

    def fitting(self, dpi: float) -> float:
        """That resolution, or a lower one if the part would have too many pixels."""
        return fitting_dpi(self.part.width, self.part.height, dpi, MOST_PIXELS)

    def drawn(self, dpi: float) -> DrawnPage:
        """The part at that resolution, or at a lower one if it would have too many pixels."""
        dpi = self.fitting(dpi)
        rest = (
            self.part.x,
            self.height - self.part.bottom,
            self.width - self.part.right,
            self.part.y,
        )
        try:
            bitmap = self._page.render(
                scale=dpi / POINTS_PER_INCH, crop=rest, rev_byteorder=True, draw_annots=True
            )
        except (pypdfium2.PdfiumError, ValueError) as error:
            raise PageUnreadable(f"page {self.number} can't be drawn") from error
        return DrawnPage(numpy.ascontiguousarray(bitmap.to_numpy()[:, :, :3]), dpi, self.part, self.whole)


def usual_dpi(own: float | None) -> float:
    """A resolution that suits print of usual size: that of the picture itself unless it has more than needed."""
    return min(max(own, LEAST_DPI), USUAL_DPI) if own else USUAL_DPI


def _within(region: Box | None, width: float, height: float) -> Box:
    if region is None:
        return Box(0.0, 0.0, width, height)
    left, top = min(max(region.x, 0.0), width - 1), min(max(region.y, 0.0), height - 1)
    right, bottom = max(min(region.right, width), left + 1), max(min(region.bottom, height), top + 1)
    return Box(left, top, right - left, bottom - top)


def _area(picture: pypdfium2.PdfImage) -> float:
    left, bottom, right, top = picture.get_bounds()
    return float(abs((right - left) * (top - bottom)))


def _resolution(picture: pypdfium2.PdfImage) -> float:
    across, down = picture.get_px_size()
    return math.sqrt(across * down / max(_area(picture), 1.0)) * POINTS_PER_INCH
