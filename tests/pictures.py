"""Images and documents with pictures in them, made on the spot."""

from collections.abc import Sequence
from io import BytesIO

from PIL import Image, ImageDraw
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

A4 = (595.0, 842.0)
RED, BLUE, WHITE = (255, 0, 0), (0, 0, 255), (255, 255, 255)


def corners(size: tuple[int, int] = (300, 200)) -> Image.Image:
    """A white picture that is red at its top left and blue at its top right."""
    image = Image.new("RGB", size, WHITE)
    pen, (width, height) = ImageDraw.Draw(image), size
    pen.rectangle((0, 0, width // 5, height // 5), fill=RED)
    pen.rectangle((width - width // 5, 0, width, height // 5), fill=BLUE)
    return image


def encoded(image: Image.Image, form: str, **asked: object) -> bytes:
    """An image as a file."""
    out = BytesIO()
    image.save(out, form, **asked)
    return out.getvalue()


def frames(*images: Image.Image) -> bytes:
    """A TIFF of several frames."""
    return encoded(images[0], "TIFF", save_all=True, append_images=list(images[1:]))


def written(lines: Sequence[str], size: tuple[int, int] = (1240, 1754)) -> Image.Image:
    """A page of large letters, as a scanner sees it."""
    page = Image.new("L", size, 255)
    pen = ImageDraw.Draw(page)
    for number, line in enumerate(lines):
        pen.text((120, 150 + 90 * number), line, fill=0, font_size=48)
    return page


def illustrated(pages: int = 1) -> bytes:
    """Pages with a heading, a picture with a caption, and a ruled table."""
    out = BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    for number in range(1, pages + 1):
        _illustrated_page(canvas, number)
    canvas.save()
    return out.getvalue()


def _illustrated_page(canvas: Canvas, number: int) -> None:
    canvas.setFont("Helvetica-Bold", 20)
    canvas.drawString(72, 760, f"Chapter {number}")
    canvas.setFont("Helvetica", 11)
    canvas.drawString(72, 730, "A picture stands below this line of text, and a table below the picture.")
    canvas.drawImage(ImageReader(corners()), 72, 500, width=300, height=200)
    canvas.drawString(72, 480, f"Figure {number}: Two corners of a sheet.")
    _table(canvas, 440, [["Name", "Sum"], ["Ada", "=1+1"], ["Bob", "-5"], ["Cy", "@here"]])
    canvas.showPage()


def _table(canvas: Canvas, top: float, rows: list[list[str]]) -> None:
    for at, row in enumerate(rows):
        for column, text in enumerate(row):
            left, bottom = 72 + 120 * column, top - 20 * at
            canvas.rect(left, bottom, 120, 20)
            canvas.drawString(left + 5, bottom + 6, text)
