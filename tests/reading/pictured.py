"""PDFs for routing and scans: pages with pictures of words, layers of text, outlines and things that can't be seen."""

from collections.abc import Callable
from io import BytesIO
from typing import Literal

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = 595.0, 842.0
PIXELS_PER_POINT = 2
SENTENCE = "The harbour lay quiet while the lanterns burned along the old stone bridge"

Draw = Callable[[Canvas], None]


def made(*pages: Draw) -> bytes:
    """A PDF of A4 pages."""
    out = BytesIO()
    canvas = Canvas(out, (WIDTH, HEIGHT), invariant=True)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def prose(
    canvas: Canvas, lines: int = 20, top: float = 770, mode: Literal[0, 3, 7] = 0, text: str = SENTENCE
) -> None:
    """Lines of text; mode 3 is invisible."""
    words = canvas.beginText(72, top)
    words.setFont("Helvetica", 11)
    words.setTextRenderMode(mode)
    for at in range(lines):
        words.textLine(f"{text} {at}")
    words.setTextRenderMode(0)
    canvas.drawText(words)


def picture(width: float, height: float, *lines: str, size: int = 28) -> Image.Image:
    """A picture with lines of printed text, at 144 dots per inch."""
    image = Image.new("RGB", (round(width * PIXELS_PER_POINT), round(height * PIXELS_PER_POINT)), "white")
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(size)
    for at, line in enumerate(lines):
        pen.text((60, 60 + at * size * 2), line, fill="black", font=font)
    return image


def photograph() -> Image.Image:
    """A picture of all greys and no paper."""
    return Image.effect_noise((30, 36), 120).resize((300, 360), Image.Resampling.BICUBIC)


def put(canvas: Canvas, image: Image.Image, x: float = 0, y: float = 0) -> None:
    """Draw a picture with its lower left corner there."""
    width, height = image.width / PIXELS_PER_POINT, image.height / PIXELS_PER_POINT
    canvas.drawImage(ImageReader(image), x, y, width, height)


def put_photograph(canvas: Canvas, image: Image.Image, box: tuple[float, float, float, float]) -> None:
    """Draw a picture as cameras store them, at a place given by its lower left corner and its size."""
    out = BytesIO()
    image.convert("L").save(out, "JPEG", quality=70)
    canvas.drawImage(ImageReader(out), *box)


def scan(canvas: Canvas, lines: int = 20) -> None:
    """A page that is a picture of words."""
    put(canvas, picture(WIDTH, HEIGHT, *[f"{SENTENCE} {at}" for at in range(lines)]))


def outlines(canvas: Canvas, characters: int = 400) -> None:
    """A page whose characters are drawn as shapes."""
    for at in range(characters):
        x, y = 72 + at % 40 * 11, 770 - at // 40 * 16
        path = canvas.beginPath()
        path.moveTo(x, y)
        path.lineTo(x + 3, y + 8)
        path.lineTo(x + 6, y)
        path.close()
        canvas.drawPath(path, fill=1, stroke=0)
