"""Sample documents: PDFs with realistic pages of text, written by hand so that 10,000 pages take seconds.

The seed decides every byte: two documents of one seed are equal, those of two seeds differ on every page.
"""

import random
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

WORDS = (
    "the of and to in is that for it as with on be by this are from at which or an was have not can has been more will "
    "each one their other all these they its when between where than two may most some under only after over such into "
    "water river stone wheel grain flour miller market price harvest season weight measure account ledger record paper "
    "letter archive survey report section figure average annual total current method result analysis pressure "
    "temperature capacity process structure material surface distance velocity energy volume density supply demand "
    "policy council region village country history century engine machine design function system network signal "
    "quality standard reference document evidence observation experiment hypothesis conclusion discussion review "
    "growth decline variation distribution sample population estimate interval model parameter equation solution "
    "condition boundary element property relation factor effect influence response change development production "
    "transport storage delivery contract agreement obligation payment balance interest capital investment"
).split()
LINE_LETTERS = 92
LEFT, TOP, BOTTOM = 72, 726, 84
FONTS = ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique")
FIRST_PAGE_OBJECT = 3 + len(FONTS)
PADDING_BYTES = 1 << 20
# What gives the drawing operators of a page.
PageContent = Callable[[random.Random, int, int], bytes]


def write_document(path: Path, pages: int, seed: int) -> Path:
    """Write a document of that many pages and return its path."""
    with path.open("wb") as file:
        write(file, pages, seed)
    return path


def write_tables(path: Path, pages: int, seed: int) -> Path:
    """Write a document of that many pages of tables and return its path."""
    with path.open("wb") as file:
        write(file, pages, seed, table_page)
    return path


def write(file: BinaryIO, pages: int, seed: int, draw: PageContent | None = None) -> None:
    """Write a document of that many pages, drawn with text and tables unless something else is given to draw them."""
    chance, draw = random.Random(seed), draw or page_content
    pdf = Writer(file)
    write_frame(pdf, pages)
    for number in range(1, pages + 1):
        content = zlib.compress(draw(chance, number, seed), 1)
        first = FIRST_PAGE_OBJECT + 2 * (number - 1)
        pdf.object(first, page_dictionary(first + 1))
        pdf.stream(first + 1, "/Filter /FlateDecode ", [content], len(content))
    pdf.close()


def padded_document(seed: int, size_bytes: int) -> bytes:
    """A one-page document of about that size, most of it a stream that nothing shows."""
    return b"".join(padded_pieces(seed, size_bytes))


def padded_pieces(seed: int, size_bytes: int) -> Iterator[bytes]:
    """The same, piece by piece, so that a gigabyte is never in memory."""
    pieces = Pieces()
    pdf = Writer(pieces)
    write_frame(pdf, 1)
    pdf.object(FIRST_PAGE_OBJECT, page_dictionary(FIRST_PAGE_OBJECT + 1))
    content = page_content(random.Random(seed), 1, seed)
    pdf.stream(FIRST_PAGE_OBJECT + 1, "", [content], len(content))
    padding = size_bytes - pieces.size_bytes
    pdf.begin_stream(FIRST_PAGE_OBJECT + 2, "", padding)
    yield pieces.taken()
    block = random.Random(seed).randbytes(min(padding, PADDING_BYTES))
    for start in range(0, padding, PADDING_BYTES):
        piece = block[: padding - start]
        pdf.skip(len(piece))
        yield piece
    pdf.end_stream()
    pdf.close()
    yield pieces.taken()


def padded_size(seed: int, size_bytes: int) -> int:
    """How many bytes the pieces have together."""
    return sum(map(len, padded_pieces(seed, size_bytes)))


class Pieces:
    """What was written since it was last taken."""

    def __init__(self) -> None:
        self.size_bytes = 0
        self._parts: list[bytes] = []

    def write(self, part: bytes) -> int:
        """Keep the part."""
        self._parts.append(part)
        self.size_bytes += len(part)
        return len(part)

    def taken(self) -> bytes:
        """All parts as one, and forget them."""
        whole, self._parts = b"".join(self._parts), []
        return whole


class Writer:
    """Writes objects one after the other and remembers where they are."""

    def __init__(self, file: "BinaryIO | Pieces") -> None:
        self._file = file
        self._position = 0
        self._offsets: dict[int, int] = {}
        self._put(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")

    def object(self, number: int, body: str) -> None:
        """Write one object."""
        self._offsets[number] = self._position
        self._put(f"{number} 0 obj\n{body}\nendobj\n".encode("ascii"))

    def stream(self, number: int, entries: str, pieces: list[bytes], size_bytes: int) -> None:
        """Write one stream."""
        self.begin_stream(number, entries, size_bytes)
        for piece in pieces:
            self._put(piece)
        self.end_stream()

    def begin_stream(self, number: int, entries: str, size_bytes: int) -> None:
        """Write the head of a stream whose bytes follow."""
        self._offsets[number] = self._position
        self._put(f"{number} 0 obj\n<< {entries}/Length {size_bytes} >>\nstream\n".encode("ascii"))

    def skip(self, size_bytes: int) -> None:
        """Count bytes that another process writes."""
        self._position += size_bytes

    def end_stream(self) -> None:
        """Write the end of a stream."""
        self._put(b"\nendstream\nendobj\n")

    def close(self) -> None:
        """Write the table of all objects, with which the document is complete."""
        start, count = self._position, len(self._offsets) + 1
        rows = "".join(f"{self._offsets[number]:010} 00000 n \n" for number in range(1, count))
        self._put(f"xref\n0 {count}\n0000000000 65535 f \n{rows}".encode("ascii"))
        self._put(f"trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode("ascii"))

    def _put(self, part: bytes) -> None:
        self._file.write(part)
        self._position += len(part)


def write_frame(pdf: Writer, pages: int) -> None:
    """Write what all pages share: the catalog, their list and the fonts."""
    kids = " ".join(f"{FIRST_PAGE_OBJECT + 2 * index} 0 R" for index in range(pages))
    pdf.object(1, "<< /Type /Catalog /Pages 2 0 R >>")
    pdf.object(2, f"<< /Type /Pages /Count {pages} /Kids [{kids}] >>")
    for number, font in enumerate(FONTS, start=3):
        pdf.object(number, f"<< /Type /Font /Subtype /Type1 /BaseFont /{font} /Encoding /WinAnsiEncoding >>")


def page_dictionary(content: int) -> str:
    """The dictionary of a page whose content is in that object."""
    fonts = " ".join(
        f"/F{index} {number} 0 R" for index, number in enumerate(range(3, FIRST_PAGE_OBJECT), start=1)
    )
    return (
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
        f"/Resources << /Font << {fonts} >> >> /Contents {content} 0 R >>"
    )


def page_content(chance: random.Random, number: int, seed: int) -> bytes:
    """The drawing operators of one page: header and footer, headings, paragraphs, and a table now and then."""
    lines = [
        text(1, 8, LEFT, 756, f"Survey of the river mills, volume {seed}"),
        text(3, 8, 280, 48, f"Page {number}"),
    ]
    y = TOP
    if number % 10 == 1:
        lines.append(text(2, 20, LEFT, y, f"Chapter {number // 10 + 1}: {title(chance, 3)}"))
        y -= 36
    if number % 8 == 4:
        y = draw_table(lines, chance, y)
    while y > BOTTOM + 60:
        y = draw_section(lines, chance, y)
    return "\n".join(lines).encode("ascii")


def table_page(chance: random.Random, number: int, seed: int) -> bytes:
    """The drawing operators of a page with a table below every heading, as many as there is room for."""
    lines = [text(1, 8, LEFT, 756, f"Returns of the river mills, volume {seed}, page {number}")]
    y = TOP
    while y > BOTTOM + 200:
        lines.append(text(2, 13, LEFT, y, title(chance, 4)))
        y = draw_table(lines, chance, y - 22)
    return "\n".join(lines).encode("ascii")


def draw_section(lines: list[str], chance: random.Random, y: int) -> int:
    """A heading with one to three paragraphs, as far as the page goes; returns the place below them."""
    lines.append(text(2, 13, LEFT, y, title(chance, 4)))
    y -= 22
    for _ in range(chance.randint(1, 3)):
        for line in paragraph(chance, chance.randint(30, 110)):
            if y < BOTTOM:
                return y
            lines.append(text(1, 10, LEFT, y, line))
            y -= 13
        y -= 10
    return y - 6


def draw_table(lines: list[str], chance: random.Random, y: int) -> int:
    """A ruled table of four columns; returns the place below it."""
    rows, height, columns = chance.randint(4, 8), 18, (LEFT, 232, 332, 432, 532)
    for row in range(rows + 2):
        lines.append(rule(LEFT, y - row * height, columns[-1], y - row * height))
    for x in columns:
        lines.append(rule(x, y, x, y - (rows + 1) * height))
    for row in range(rows + 1):
        cells = ["Place", "Wheels", "Flour", "Share"] if row == 0 else table_row(chance)
        for x, cell in zip(columns, cells, strict=False):
            lines.append(text(2 if row == 0 else 1, 9, x + 5, y - row * height - 13, cell))
    return y - (rows + 1) * height - 26


def table_row(chance: random.Random) -> list[str]:
    """One row of figures."""
    return [
        title(chance, 2),
        str(chance.randint(1, 40)),
        f"{chance.randint(100, 99_999):,}",
        f"{chance.random():.1%}",
    ]


def paragraph(chance: random.Random, words: int) -> Iterator[str]:
    """The lines of a paragraph."""
    line = ""
    for word in chance.choices(WORDS, k=words):
        if len(line) + len(word) >= LINE_LETTERS:
            yield line
            line = ""
        line += f" {word}" if line else word
    yield f"{line}."


def title(chance: random.Random, words: int) -> str:
    """Some words as a heading has them."""
    return " ".join(chance.choices(WORDS, k=words)).capitalize()


def text(font: int, size: int, x: int, y: int, words: str) -> str:
    """The operators that print words at a place."""
    return f"BT /F{font} {size} Tf {x} {y} Td ({words}) Tj ET"


def rule(x: int, y: int, to_x: int, to_y: int) -> str:
    """The operators that draw a thin line."""
    return f"0.5 w {x} {y} m {to_x} {to_y} l S"
