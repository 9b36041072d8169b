"""Lines of a scan that leans, and text that is slanted, are read as the level text that they are."""

import math
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from pagemill.model.pages import Kind, Page, Route
from pagemill.reading.providers.liteparse import LiteParseProvider
from tests.reading import pictured

PLACES = """bridge garden market office church tunnel forest valley meadow island school museum street square harbor
castle cellar corner tavern stable""".split()
HEAD, SLANT = "About the ferry", math.tan(math.radians(12))


def read(folder: Path, draw: pictured.Draw) -> Page:
    """The only page of a document as it is read."""
    path = folder / "document.pdf"
    path.write_bytes(pictured.made(draw))
    [page] = LiteParseProvider().read(str(path), [1], None)
    return page


def scan_with_layer(degrees: float) -> pictured.Draw:
    """A scan that leans, with the words of two columns as a recogniser has put them under it."""

    def draw(canvas: Canvas) -> None:
        pictured.scan(canvas)
        canvas.translate(pictured.WIDTH / 2, pictured.HEIGHT / 2)
        canvas.rotate(degrees)
        canvas.translate(-pictured.WIDTH / 2, -pictured.HEIGHT / 2)
        write(canvas, [HEAD], 60, 740, 18)
        for x, word in ((60, "harbour"), (320, "lantern")):
            write(canvas, [f"the old {word} lay at the quiet {place} of" for place in PLACES], x, 700, 10)

    return draw


def write(canvas: Canvas, lines: list[str], x: float, y: float, size: float) -> None:
    """Write lines that are not seen."""
    words = canvas.beginText(x, y)
    words.setFont("Helvetica", size)
    words.setLeading(13)
    words.setTextRenderMode(3)
    for line in lines:
        words.textLine(line)
    canvas.drawText(words)


@pytest.mark.parametrize("degrees", [0.0, 0.3, -0.8, 1.5])
def test_the_layer_of_a_scan_that_leans_has_headings_columns_and_paragraphs(
    tmp_path: Path, degrees: float
) -> None:
    page = read(tmp_path, scan_with_layer(degrees))
    assert page.reason == "ocr_layer_good"
    assert [block.text for block in page.blocks if block.kind is Kind.HEADING] == [HEAD]
    texts = [block.text for block in page.blocks if block.kind is Kind.PARAGRAPH]
    assert len(texts) == 2
    assert "lantern" not in texts[0]
    assert "harbour" not in texts[1]


def test_slanted_words_keep_their_place_in_the_sentence(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        pictured.prose(canvas, lines=10)
        canvas.setFont("Helvetica", 11)
        canvas.drawString(72, 500, "The word")
        words = canvas.beginText()
        words.setFont("Helvetica", 11)
        words.setTextTransform(1, 0, SLANT, 1, 120, 500)
        words.textOut("harbourmaster")
        canvas.drawText(words)
        canvas.drawString(200, 500, "is slanted and not turned.")

    page = read(tmp_path, draw)
    assert "The word harbourmaster is slanted and not turned." in " ".join(
        block.text for block in page.blocks
    )


def test_a_page_that_is_upside_down_is_recognised(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.translate(pictured.WIDTH, pictured.HEIGHT)
        canvas.rotate(180)
        pictured.prose(canvas)

    page = read(tmp_path, draw)
    assert (page.route, page.reason) == (Route.OCR, "garbled_text_layer")
    assert page.confidence < 0.5


def test_a_raised_sign_goes_where_its_line_leaves_room(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        pictured.prose(canvas, lines=10)
        canvas.setFont("Helvetica", 6)
        canvas.drawString(72 + canvas.stringWidth("In the 18", "Helvetica", 11), 504, "th")
        canvas.setFont("Helvetica", 11)
        canvas.drawString(72, 500, "In the 18   century the mill was built, and after it the harbour.")

    page = read(tmp_path, draw)
    assert "In the 18<sup>th</sup> century" in with_scripts(page)


def with_scripts(page: Page) -> str:
    """The text of a page with raised characters marked."""
    whole = ""
    for block in page.blocks:
        text = block.text
        for span in sorted(block.spans, key=lambda span: -span.start):
            if span.script:
                text = f"{text[: span.start]}<sup>{text[span.start : span.end]}</sup>{text[span.end :]}"
        whole += f"{text} "
    return whole
