"""Barcodes and two-dimensional codes, found in the picture of a page by ZXing."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pagemill.model.fact_types import Barcode
from pagemill.model.pages import Box

if TYPE_CHECKING:
    from PIL.Image import Image

# Codes that carry a check of what they say; others are found in rows of text as well.
SYMBOLOGIES = "QRCode|MicroQRCode|RMQRCode|DataMatrix|Aztec|PDF417|MaxiCode|Code128|EAN13|EAN8|UPCA|UPCE|Code39|Code93|ITF"
LEAST_CHARACTERS = {"Code39": 5, "ITF": 8, "EAN8": 8}


def find_barcodes(picture: "Image", page: int, scale: tuple[float, float]) -> Iterator[Barcode]:
    """The codes in a picture; `scale` is its pixels per point, across and down."""
    # Loaded with the first page that is looked at.
    import zxingcpp

    formats = zxingcpp.barcode_formats_from_str(SYMBOLOGIES)
    for found in zxingcpp.read_barcodes(picture, formats=formats, text_mode=zxingcpp.TextMode.Plain):
        symbology = str(found.format).replace(" ", "").replace("-", "")
        if found.valid and found.text and len(found.text) >= LEAST_CHARACTERS.get(symbology, 1):
            yield Barcode(symbology, found.text, page, box_of_corners(found.position, scale))


def box_of_corners(position: Any, scale: tuple[float, float]) -> Box:
    """The box around the corners of a code, in points."""
    corners = (position.top_left, position.top_right, position.bottom_left, position.bottom_right)
    left, right = min(one.x for one in corners) / scale[0], max(one.x for one in corners) / scale[0]
    top, bottom = min(one.y for one in corners) / scale[1], max(one.y for one in corners) / scale[1]
    # The corners of a row of bars may be all on one line.
    return Box(round(left, 2), round(top, 2), round(right - left, 2), round(max(bottom - top, 1.0), 2))
