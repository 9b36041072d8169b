"""Each page goes its way for a reason: read, recognised, both, or left as blank."""

from pathlib import Path

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from pagemill.model.pages import Box, Page, Route
from pagemill.reading.providers.liteparse import LiteParseProvider
from pagemill.reading.providers.pdfium import PdfiumProvider
from pagemill.reading.routing.look import Look
from tests import samples
from tests.reading import pictured


def read(
    folder: Path, pdf: bytes, provider: type[LiteParseProvider | PdfiumProvider] = LiteParseProvider
) -> Page:
    """The first page as a provider reads it."""
    path = folder / "document.pdf"
    path.write_bytes(pdf)
    [page] = provider().read(str(path), [1], None)
    return page


def test_a_page_of_good_text_is_read(tmp_path: Path) -> None:
    page = read(tmp_path, pictured.made(pictured.prose))
    assert (page.route, page.reason, page.warnings) == (Route.TEXT, "text_layer_good", ())
    # Of a few lines that could as well be several paragraphs nobody is quite sure.
    assert 0.7 < page.confidence < 1.0


@pytest.mark.parametrize("provider", [LiteParseProvider, PdfiumProvider])
def test_a_page_that_is_a_picture_is_recognised(
    tmp_path: Path, provider: type[LiteParseProvider | PdfiumProvider]
) -> None:
    page = read(tmp_path, pictured.made(pictured.scan), provider)
    assert (page.route, page.reason, page.warnings) == (Route.OCR, "page_is_a_picture", ("no_text",))


@pytest.mark.parametrize("provider", [LiteParseProvider, PdfiumProvider])
def test_a_page_with_nothing_on_it_is_blank(
    tmp_path: Path, provider: type[LiteParseProvider | PdfiumProvider]
) -> None:
    page = read(tmp_path, samples.blank(), provider)
    assert (page.route, page.reason, page.warnings) == (Route.BLANK, "blank", ("no_text",))


def test_a_scan_of_empty_paper_with_a_speck_is_blank(tmp_path: Path) -> None:
    paper = Image.new("RGB", (1190, 1684), (244, 243, 240))
    paper.paste((90, 90, 90), (300, 400, 304, 403))
    page = read(tmp_path, pictured.made(lambda canvas: pictured.put(canvas, paper)))
    assert page.route is Route.BLANK


def test_characters_drawn_as_outlines_are_recognised(tmp_path: Path) -> None:
    page = read(tmp_path, pictured.made(pictured.outlines))
    assert (page.route, page.reason) == (Route.OCR, "drawn_words")


def test_outlines_with_a_page_number_are_recognised_as_well(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        pictured.outlines(canvas)
        canvas.drawString(290, 40, "17")

    assert read(tmp_path, pictured.made(draw)).route is Route.OCR


def test_a_stamp_on_a_page_of_text_changes_nothing(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        pictured.prose(canvas)
        pictured.put(canvas, pictured.picture(80, 40, "PAID"), 450, 60)

    page = read(tmp_path, pictured.made(draw))
    assert (page.route, page.reason) == (Route.TEXT, "text_layer_good")


def test_a_figure_is_named_as_a_picture_that_may_hold_words(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        pictured.prose(canvas)
        pictured.put(canvas, pictured.picture(300, 150, "Share of the harvest"), 100, 100)

    page = read(tmp_path, pictured.made(draw))
    [box] = page.pictures
    assert page.route is Route.TEXT
    assert (round(box.x), round(box.y), round(box.width), round(box.height)) == (100, 592, 300, 150)


def test_a_scan_with_a_printed_header_is_recognised(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        pictured.scan(canvas)
        canvas.drawString(72, 815, "Received on the fourth of May")

    page = read(tmp_path, pictured.made(draw))
    assert (page.route, page.reason) == (Route.OCR, "page_is_a_picture")


def test_a_large_picture_of_words_with_a_caption_is_read_both_ways(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        pictured.put(canvas, pictured.picture(500, 600, *[pictured.SENTENCE] * 12, size=24), 47, 180)
        canvas.drawString(72, 120, "Figure 3. A page of the register")

    page = read(tmp_path, pictured.made(draw))
    assert (page.route, page.reason, len(page.pictures)) == (Route.MIXED, "pictures_hold_words", 1)


def test_a_photograph_with_a_caption_is_not_recognised(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        pictured.put_photograph(canvas, pictured.photograph(), (47, 180, 500, 600))
        canvas.drawString(72, 120, "Figure 4. Sunset over the bay")

    assert read(tmp_path, pictured.made(draw)).route is Route.TEXT


def test_a_recognised_layer_that_reads_well_is_kept(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        pictured.scan(canvas)
        pictured.prose(canvas, mode=3)

    page = read(tmp_path, pictured.made(draw))
    assert (page.route, page.reason, page.confidence) == (Route.TEXT, "ocr_layer_good", 0.9)


def test_blocks_of_a_recognised_layer_are_as_sure_as_their_words(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        pictured.scan(canvas)
        pictured.prose(canvas, mode=3)
        text = canvas.beginText(72, 90)
        text.setTextRenderMode(3)
        text.textLine("Tlie h@rb0ur l;iy qu!et wh*le")
        canvas.drawText(text)

    page = read(tmp_path, pictured.made(draw))
    assert page.reason == "ocr_layer_good"
    certainty = {("h@rb0ur" in block.text): block.confidence or 0.0 for block in page.blocks if block.text}
    assert certainty[True] < 0.7 < certainty[False] < 1


def test_a_recognised_layer_that_reads_badly_is_recognised_anew(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        pictured.scan(canvas)
        pictured.prose(canvas, mode=3, text="Tlie h@rb0ur l;iy qu!et wh*le tlie l^nterns bu|ned a1ong")

    page = read(tmp_path, pictured.made(draw))
    assert (page.route, page.reason, page.confidence) == (Route.OCR, "poor_ocr_layer", 0.5)


def test_a_garbled_text_layer_is_recognised_and_not_trusted(tmp_path: Path) -> None:
    shifted = pictured.SENTENCE.translate({ord(a): ord(a) - 1 for a in "bcdefghijklmnopqrstuvwxyz"})
    page = read(tmp_path, pictured.made(lambda canvas: pictured.prose(canvas, text=shifted)))
    assert (page.route, page.reason, page.warnings) == (
        Route.OCR,
        "garbled_text_layer",
        ("text_layer_garbage",),
    )
    assert page.confidence < 0.5


def test_a_form_without_other_words_is_not_recognised(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.acroForm.textfield(name="name", x=100, y=600, width=200, height=20)

    page = read(tmp_path, pictured.made(draw))
    assert (page.route, page.reason) == (Route.TEXT, "form_fields_only")


def test_a_turned_scan_is_known_by_its_place_on_the_upright_page(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(90)
        pictured.scan(canvas)

    assert read(tmp_path, pictured.made(draw)).reason == "page_is_a_picture"


def test_texts_that_are_nowhere_on_the_page_hide_nothing_that_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(pictured.made(pictured.scan))
    with Look(str(path), None) as look:
        drawn = look.ink(1)
        lost = [Box(1e30, 1e30, 1e30, 1e30), Box(float("nan"), 0, 900, 900), Box(-900, -900, 100, 100)]
        assert look.ink(1, None, lost) == drawn
        covered = look.ink(1, None, [Box(-1e30, -1e30, 2e30, 2e30)])
    assert drawn is not None
    assert covered is not None
    assert drawn.pixels > covered.pixels == 0
