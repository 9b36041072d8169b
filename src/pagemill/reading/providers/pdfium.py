"""The second provider: plain text from PDFium, for pages that the first one refuses."""

from collections.abc import Iterator, Sequence

import pypdfium2

from pagemill.errors import DocumentError
from pagemill.model.pages import Block, Box, Kind, Page
from pagemill.reading.clean import clean
from pagemill.reading.page.block_parts import number_blocks
from pagemill.reading.pdf.inspection import open_pdf
from pagemill.reading.provider import Refusal, unread_page
from pagemill.reading.routing.look import Look
from pagemill.reading.routing.route import route_page
from pagemill.reading.sources.page_characters import PageCharacters
from pagemill.reading.sources.recover import EngineText, paragraphs

# Words and their order are right, but headings, lists and tables are not known.
PLAIN_TEXT_CONFIDENCE = 0.6


class PdfiumProvider:
    """Reads the text of pages with PDFium, as paragraphs."""

    name = "pdfium"

    def version(self) -> str:
        """The version of PDFium."""
        return str(pypdfium2.PDFIUM_INFO)

    def available(self) -> str | None:
        """None: PDFium is always there."""
        return None

    def read(self, path: str, pages: Sequence[int], password: str | None) -> Iterator[Page]:
        """Read the pages one by one."""
        try:
            document = open_pdf(path, password)
        except DocumentError as error:
            raise Refusal(error.message) from error
        with document, Look(path, password) as look:
            for number in pages:
                yield read_page(document, number, look)


def read_page(document: pypdfium2.PdfDocument, number: int, look: Look) -> Page:
    """One page, with its error if PDFium can't load it."""
    try:
        page = document[number - 1]
    except (pypdfium2.PdfiumError, IndexError) as error:
        return unread_page(PdfiumProvider.name, number, str(error))
    width, height = page.get_size()
    blocks = blocks_of(page, number)
    page.close()
    text = " ".join(block.text for block in blocks)
    read = Page(
        number,
        round(width, 2),
        round(height, 2),
        PdfiumProvider.name,
        blocks,
        confidence=PLAIN_TEXT_CONFIDENCE,
    )
    return route_page(read, text, look)


def blocks_of(page: pypdfium2.PdfPage, number: int) -> tuple[Block, ...]:
    """The paragraphs of a page; a turned page has them without boxes."""
    lines = lines_of(page)
    turned = page.get_rotation() != 0
    pieces = [(piece.text, None if turned else piece.box) for piece in paragraphs(lines)]
    return number_blocks(number, [Block("", Kind.PARAGRAPH, box, text) for text, box in pieces])


def lines_of(page: pypdfium2.PdfPage) -> list[EngineText]:
    """The lines of text on a page in reading order, each with its box."""
    with PageCharacters(page) as characters:
        return [
            EngineText(
                text,
                line_box(characters, at + len(line) - len(line.lstrip()), at + len(line.rstrip()) - 1),
                0.0,
            )
            for at, line in characters.lines()
            if (text := clean(line).strip())
        ]


def line_box(characters: PageCharacters, start: int, end: int) -> Box:
    """The box around the first and the last character of a line."""
    a, b = characters.edges(start, loose=True), characters.edges(end, loose=True)
    left, top = min(a.left, b.left), min(a.top, b.top)
    return Box(
        round(left, 2),
        round(top, 2),
        round(max(a.right, b.right) - left, 2),
        round(max(a.bottom, b.bottom) - top, 2),
    )
