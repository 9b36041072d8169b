"""Pages drawn line by line, where each line knows its font and place."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

from pagemill.model.pages import Block, Page
from pagemill.reading.providers.liteparse import LiteParseProvider
from tests.reading.journey import stored

WIDTH, HEIGHT = 595, 842
PLAIN, BOLD, ITALIC = "Times-Roman", "Times-Bold", "Times-Italic"
PROSE = (
    "The survey of the northern district was carried out in spring and its results were compared with those of "
    "former years. Most of the farms had changed their crops since then, and only a few kept the old ones that "
    "were known from earlier work in the same valley."
)


@dataclass(slots=True)
class Pen:
    """Writes down a page from top to bottom."""

    canvas: Canvas
    file: BytesIO
    left: float = 72
    y: float = 760
    width: float = 450

    def line(self, text: str, font: str = PLAIN, size: float = 11, above: float = 0, at: float = 0) -> "Pen":
        """One line, with more space above it if asked for, `at` points further to the right."""
        self.y -= above
        self.canvas.setFont(font, size)
        self.canvas.drawString(self.left + at, self.y, text)
        self.y -= 1.2 * size
        return self

    def prose(self, text: str = PROSE, size: float = 11, above: float = 0, at: float = 0) -> "Pen":
        """A paragraph that fills its lines."""
        self.y -= above
        line: list[str] = []
        for word in text.split():
            if self.canvas.stringWidth(" ".join([*line, word]), PLAIN, size) > self.width - at:
                self.line(" ".join(line), size=size, at=at)
                line = []
            line.append(word)
        return self.line(" ".join(line), size=size, at=at)


def pen(left: float = 72, width: float = 450, y: float = 760) -> Pen:
    """A pen on an empty page."""
    file = BytesIO()
    return Pen(Canvas(file, pagesize=(WIDTH, HEIGHT)), file, left, y, width)


def pdf_of(pen: Pen) -> bytes:
    """The bytes of the page."""
    pen.canvas.save()
    return pen.file.getvalue()


def read(folder: Path, pdf: bytes) -> Page:
    """The first page as it is read."""
    return next(iter(LiteParseProvider().read(stored(folder, pdf), (1,), None)))


def told(blocks: Sequence[Block]) -> list[tuple[str, str]]:
    """The kinds and texts of blocks."""
    return [(block.kind.value, block.text) for block in blocks]
