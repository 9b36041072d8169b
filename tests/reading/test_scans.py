"""Pages that are read by their picture, wholly or in part."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from pagemill.model.pages import Box, Kind, Line, Page, Route
from pagemill.reading.ocr.ppocr import PpOcr
from pagemill.reading.ocr.recogniser import Pixels
from pagemill.reading.provider import MissingLanguage
from pagemill.reading.providers.chain import ReadableDocument
from pagemill.reading.providers.liteparse import LiteParseProvider
from pagemill.reading.recognition.recognise import ScanChain
from pagemill.reading.recognition.scans import read_scan
from tests.reading import pictured

PAGE = (0, 0, pictured.WIDTH, pictured.HEIGHT)


class Saying:
    """A recogniser that finds the same lines in every picture, one below the other."""

    name = "saying"

    def __init__(self, *texts: str, confidence: float = 0.95) -> None:
        self.texts, self.confidence = texts, confidence

    def version(self) -> str:
        return "1"

    def available(self) -> str | None:
        return None

    def recognise(self, pixels: Pixels, languages: Sequence[str]) -> list[Line]:
        return [
            Line(text, Box(40, 40 + 60 * at, 12 * len(text), 24), self.confidence)
            for at, text in enumerate(self.texts)
        ]


def opened(folder: Path, pdf: bytes) -> tuple[ReadableDocument, Page]:
    """A document and its first page as its text layer has it."""
    path = folder / "document.pdf"
    path.write_bytes(pdf)
    [page] = LiteParseProvider().read(str(path), [1], None)
    return ReadableDocument(str(path)), page


def text_of(page: Page) -> str:
    return " ".join(block.text for block in page.blocks)


def with_figure(canvas: Canvas) -> None:
    pictured.prose(canvas)
    pictured.put(canvas, pictured.picture(300, 150, "Harvest of copper", "Meadow lantern"), 100, 100)


def test_a_scan_is_recognised_from_end_to_end(tmp_path: Path) -> None:
    source, page = opened(tmp_path, pictured.made(lambda canvas: pictured.scan(canvas, lines=3)))
    read = read_scan(source, page, PpOcr(), ())
    assert "lanterns burned along the old stone bridge" in text_of(read)
    assert (read.route, read.reason, read.provider, read.warnings) == (
        Route.OCR,
        "page_is_a_picture",
        "ppocr",
        (),
    )
    assert read.confidence > 0.9
    assert read.lines
    assert read.blocks[0].id == "p1-b1"


def test_words_in_a_picture_are_recognised_and_follow_it(tmp_path: Path) -> None:
    source, page = opened(tmp_path, pictured.made(with_figure))
    read = read_scan(source, page, PpOcr(), ())
    at = next(at for at, block in enumerate(read.blocks) if block.kind is Kind.FIGURE)
    after = " ".join(block.text for block in read.blocks[at + 1 :])
    assert read.route is Route.MIXED
    assert read.provider == "liteparse+ppocr"
    assert "Harvest of copper" in after
    assert "Meadow lantern" in after
    assert text_of(read).count("harbour") == text_of(page).count("harbour")


def test_the_boxes_of_a_picture_s_words_are_on_the_page(tmp_path: Path) -> None:
    source, page = opened(tmp_path, pictured.made(with_figure))
    read = read_scan(source, page, Saying("Harvest of copper"), ())
    found = next(block.box for block in read.blocks if block.text == "Harvest of copper")
    assert found is not None
    assert 100 <= found.x <= 400
    assert 592 <= found.y <= 742


def test_a_heading_in_a_picture_heads_nothing(tmp_path: Path) -> None:
    source, page = opened(tmp_path, pictured.made(with_figure))
    read = read_scan(source, page, Saying("HARVEST", "of copper and of timber in the valley"), ())
    assert not [block for block in read.blocks if block.kind is Kind.HEADING]


def test_guesses_in_a_picture_are_left_out(tmp_path: Path) -> None:
    source, page = opened(tmp_path, pictured.made(with_figure))
    read = read_scan(source, page, Saying("Hxrvzst", confidence=0.6), ())
    assert (read.blocks, read.route) == (page.blocks, Route.TEXT)


def test_what_the_text_layer_says_is_not_said_twice(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        with_figure(canvas)
        canvas.drawString(125, 220, "Labels in print")

    source, page = opened(tmp_path, pictured.made(draw))
    read = read_scan(source, page, Saying("Labels in print"), ())
    assert text_of(read).count("Labels in print") == 1


def test_a_page_that_was_read_badly_says_so(tmp_path: Path) -> None:
    source, page = opened(tmp_path, pictured.made(pictured.scan))
    read = read_scan(source, page, Saying("illegible hand", confidence=0.62), ())
    assert (read.confidence, read.warnings) == (0.62, ("low_confidence",))


def test_a_noisy_scan_in_which_nothing_is_found_is_blank(tmp_path: Path) -> None:
    grain = Image.effect_noise((420, 595), 12).point(lambda grey: min(255, grey + 100))
    source, page = opened(
        tmp_path, pictured.made(lambda canvas: pictured.put_photograph(canvas, grain, PAGE))
    )
    assert page.route is Route.OCR
    read = read_scan(source, page, Saying(), ())
    assert (read.route, read.warnings, read.blocks) == (Route.BLANK, ("no_text",), ())


def test_a_picture_without_words_is_not_called_well_read(tmp_path: Path) -> None:
    source, page = opened(
        tmp_path, pictured.made(lambda canvas: pictured.put_photograph(canvas, pictured.photograph(), PAGE))
    )
    read = read_scan(source, page, Saying(), ())
    assert (read.route, read.confidence, read.warnings) == (Route.OCR, 0.7, ("no_text",))


def test_a_page_of_text_that_is_to_be_recognised_all_the_same_has_only_what_was_found(tmp_path: Path) -> None:
    source, page = opened(tmp_path, pictured.made(pictured.prose))
    read = read_scan(source, replace(page, route=Route.OCR, reason="forced"), Saying("Only this"), ())
    assert text_of(read) == "Only this"
    assert read.reason == "forced"


def test_fields_stay_and_their_values_are_not_said_twice(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        pictured.scan(canvas, lines=1)
        canvas.acroForm.textfield(name="town", value="Riverton", x=10, y=800, width=300, height=25)

    source, page = opened(tmp_path, pictured.made(draw))
    read = read_scan(source, replace(page, route=Route.OCR), Saying("Riverton", "a letter"), ())
    assert [field.value for field in read.fields] == ["Riverton"]
    assert text_of(read) == "a letter"


class Lacking:
    """A recogniser that has no language file for the script of the page."""

    name = "lacking"

    def version(self) -> str:
        return "1"

    def available(self) -> str | None:
        return None

    def recognise(self, _: Pixels, __: Sequence[str]) -> list[Line]:
        raise MissingLanguage("Hebrew", "tesseract-ocr-heb")


def test_a_page_in_a_script_that_nobody_reads_says_what_is_missing(tmp_path: Path) -> None:
    source, page = opened(tmp_path, pictured.made(lambda canvas: pictured.scan(canvas, lines=3)))
    guess = Saying("Wxvq zkrt", confidence=0.5)
    read = ScanChain([guess, Lacking()], sure=0.75).read(source, page)
    assert read.error is not None
    assert "tesseract-ocr-heb" in read.error.message
    assert not read.blocks
    assert [one.provider for one in read.tries] == ["lacking", "saying"]


def test_what_is_surely_read_needs_no_further_language(tmp_path: Path) -> None:
    source, page = opened(tmp_path, pictured.made(lambda canvas: pictured.scan(canvas, lines=3)))
    read = ScanChain([Saying("Harvest of copper"), Lacking()], sure=0.75).read(source, page)
    assert (read.error, text_of(read)) == (None, "Harvest of copper")


def test_a_text_layer_that_says_far_more_is_not_replaced(tmp_path: Path) -> None:
    source, page = opened(tmp_path, pictured.made(pictured.prose))
    routed = replace(page, route=Route.OCR, reason="poor_ocr_layer")
    read = read_scan(source, routed, Saying("Harvest"), ())
    assert (read.route, read.reason, text_of(read)) == (Route.TEXT, "text_layer_says_more", text_of(page))
    garbled = replace(routed, warnings=("text_layer_garbage",))
    assert text_of(read_scan(source, garbled, Saying("Harvest"), ())) == "Harvest"
    assert text_of(read_scan(source, replace(routed, reason="forced"), Saying("Harvest"), ())) == "Harvest"


CLEAN = "The officials confirm that the efficient office in the fields benefits"
HOLED = CLEAN.replace("ffi", "").replace("fi", "")


def layered(folder: Path, text: str, reason: str, *warnings: str) -> tuple[ReadableDocument, Page]:
    """A page with a text layer, routed to recognition."""
    source, page = opened(folder, pictured.made(lambda canvas: pictured.prose(canvas, lines=4, text=text)))
    return source, replace(page, route=Route.OCR, reason=reason, warnings=warnings, confidence=0.2)


def test_a_layer_that_was_suspected_and_is_recognised_as_it_is_stays(tmp_path: Path) -> None:
    # There need not be a c in so long a text.
    words = "the harbour and a bridge of stone that the people in the town built for the winter"
    source, page = opened(
        tmp_path, pictured.made(lambda canvas: pictured.prose(canvas, lines=14, text=words))
    )
    assert (page.route, page.reason) == (Route.OCR, "garbled_text_layer")
    read = read_scan(source, page, Saying(*[f"{words} {at}" for at in range(14)]), ())
    assert (read.route, read.reason, read.warnings) == (Route.TEXT, "text_layer_confirmed", ())
    assert read.confidence > 0.9


def test_a_layer_whose_words_lack_letters_gives_way(tmp_path: Path) -> None:
    source, page = layered(tmp_path, HOLED, "garbled_text_layer", "text_layer_garbage")
    read = read_scan(source, page, Saying(*[CLEAN] * 4), ())
    assert read.route is Route.OCR
    assert "officials" in text_of(read)


def test_recognition_does_not_replace_words_that_read_better(tmp_path: Path) -> None:
    source, page = layered(tmp_path, CLEAN, "poor_ocr_layer")
    poor = CLEAN.replace("ff", "|l").replace("th", "t#")
    read = read_scan(source, page, Saying(*[poor] * 4), ())
    assert (read.reason, text_of(read)) == ("text_layer_reads_better", text_of(page))
    assert (
        read_scan(source, layered(tmp_path, poor, "poor_ocr_layer")[1], Saying(*[CLEAN] * 4), ()).route
        is Route.OCR
    )


def over_picture(folder: Path, *lines: str) -> tuple[ReadableDocument, Page]:
    """A page that is a picture, with a few printed words on it."""

    def draw(canvas: Canvas) -> None:
        pictured.scan(canvas, lines=1)
        for at, line in enumerate(lines):
            canvas.drawString(200, 300 - 40 * at, line)

    source, page = opened(folder, pictured.made(draw))
    assert (page.route, page.reason) == (Route.OCR, "page_is_a_picture")
    return source, page


def test_printed_words_that_were_not_recognised_stay_and_guesses_do_not(tmp_path: Path) -> None:
    source, page = over_picture(tmp_path, "Foundations of geometry", "the seventh lecture on triangles")
    read = read_scan(source, page, Saying(*["wig sal samael pb ph lad yh"] * 9, confidence=0.4), ())
    assert (read.route, read.reason) == (Route.TEXT, "text_layer_reads_better")
    assert text_of(read) == text_of(page)
    assert read.confidence < 0.75
    assert "low_confidence" in read.warnings


def test_a_poor_scan_is_read_beside_its_stamp(tmp_path: Path) -> None:
    source, page = over_picture(tmp_path, "Received by the office of patents on Tuesday")
    stamp = "Received by the office of patents on Tuesdav"
    scanned = ["The lanterns bumed along the old stone bridqe"] * 3
    read = read_scan(source, page, Saying(*scanned, stamp, confidence=0.6), ())
    assert "lanterns bumed" in text_of(read)
    assert "patents on Tuesday" in text_of(read)
    assert "low_confidence" in read.warnings


def test_what_is_surely_recognised_is_added_to_printed_words(tmp_path: Path) -> None:
    source, page = over_picture(tmp_path, "Received by the office of patents on Tuesday")
    scanned = [f"The lanterns burned along the old stone bridge {at}" for at in range(4)]
    read = read_scan(source, page, Saying(*scanned), ())
    assert (read.route, read.provider) == (Route.MIXED, "liteparse+saying")
    assert "Received by the office of patents on Tuesday" in text_of(read)
    assert all(f"bridge {at}" in text_of(read) for at in range(4))


def test_printed_words_that_were_recognised_leave_the_page_to_recognition(tmp_path: Path) -> None:
    stamp = "Received by the office of patents on Tuesday"
    source, page = over_picture(tmp_path, stamp)
    scanned = ["The lanterns burned along the old stone bridge"] * 4
    read = read_scan(source, page, Saying(*scanned, stamp), ())
    assert (read.route, read.provider) == (Route.OCR, "saying")
    assert text_of(read).count(stamp) == 1
