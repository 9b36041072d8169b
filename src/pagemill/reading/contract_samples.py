"""A small document and a small picture for the contract tests, made on the spot."""

from collections.abc import Sequence
from io import BytesIO

import numpy
from PIL import Image, ImageDraw, ImageFont

from pagemill.reading.ocr.recogniser import Pixels
from pagemill.reading.remote.base import Picture

CHARACTER_PIXELS = 40
LINE_PIXELS = 90
MARGIN_PIXELS = 60
PIXELS_PER_POINT = 150 / 72


def three_pages() -> bytes:
    """A PDF of three pages, each with a heading and a sentence in Helvetica."""
    pages = [
        f"BT /F1 24 Tf 72 700 Td (Page {n}) Tj /F1 12 Tf 0 -40 Td (This is what page {n} says.) Tj ET"
        for n in (1, 2, 3)
    ]
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    parts = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, drawn in enumerate(pages):
        resources = "/Resources << /Font << /F1 3 0 R >> >>"
        parts.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {resources} /Contents {5 + 2 * n} 0 R >>"
        )
        parts.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    return _file(parts)


def _file(parts: Sequence[str]) -> bytes:
    """A PDF of numbered objects, the first of which is its catalogue."""
    body, places = "%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{part}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(parts) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
    return f"{body}{end}startxref\n{len(body)}\n%%EOF\n".encode("ascii")


def image_of(words: Sequence[str], wide: int = 900, high: int | None = None) -> Image.Image:
    """White paper with words in black, a line each."""
    image = Image.new("RGB", (wide, high or 2 * MARGIN_PIXELS + LINE_PIXELS * len(words)), "white")
    font = ImageFont.load_default(CHARACTER_PIXELS)
    for number, line in enumerate(words):
        ImageDraw.Draw(image).text((MARGIN_PIXELS, MARGIN_PIXELS + LINE_PIXELS * number), line, "black", font)
    return image


def pixels_of(words: Sequence[str], wide: int = 900, high: int | None = None) -> Pixels:
    """The same as an array."""
    return numpy.array(image_of(words, wide, high))


def picture_of(words: Sequence[str]) -> Picture:
    """The same as an encoded page at 150 dots per inch."""
    image, encoded = image_of(words), BytesIO()
    image.save(encoded, "PNG")
    wide, high = image.size
    return Picture(
        encoded.getvalue(), "image/png", wide, high, wide / PIXELS_PER_POINT, high / PIXELS_PER_POINT
    )
