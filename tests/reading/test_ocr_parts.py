"""The small parts of OCR: gaps and spaces, languages, turns, sizes."""

from pathlib import Path

import numpy
import pypdfium2
import pytest
from reportlab.pdfgen.canvas import Canvas

from pagemill.model.pages import Box, Line
from pagemill.reading.ocr import tessdata
from pagemill.reading.ocr.contrast import blank, strengthen_contrast
from pagemill.reading.ocr.decode import DecodedLine, decode_steps
from pagemill.reading.ocr.lines import lines_in, spells
from pagemill.reading.ocr.models import missing
from pagemill.reading.ocr.picture import MOST_PIXELS, Drawing, usual_dpi
from pagemill.reading.ocr.ppocr import PpOcr
from pagemill.reading.ocr.recogniser import Pixels
from pagemill.reading.ocr.script import script_of
from pagemill.reading.ocr.spaces import part_words
from pagemill.reading.ocr.tesseract import Tesseract
from pagemill.reading.ocr.turns import lying_by_reading
from pagemill.reading.ocr.upright import level_picture, turn_picture
from pagemill.reading.page.close_words import close_words
from pagemill.reading.pdf.inspection import open_pdf


def strip(*bars: tuple[int, int]) -> Pixels:
    """A line of 48 by 400 pixels with black bars for characters."""
    pixels = numpy.full((48, 400, 3), 255, numpy.uint8)
    for left, right in bars:
        pixels[10:38, left:right] = 0
    return pixels


def drawn(file: Path, size: tuple[float, float], turn: int = 0) -> Path:
    canvas = Canvas(str(file), pagesize=size)
    canvas.setFont("Helvetica", 16)
    canvas.drawString(20, size[1] - 40, "Level words stand here")
    canvas.rotate(90)
    canvas.drawString(20, -60, "Words that climb")
    canvas.showPage()
    canvas.save()
    if turn:
        with pypdfium2.PdfDocument(str(file)) as document:
            document[0].set_rotation(turn)
            document.save(str(file.with_suffix(".turned.pdf")))
        return file.with_suffix(".turned.pdf")
    return file


def pixels_of(file: Path, region: Box | None = None) -> Pixels:
    with open_pdf(str(file), None) as document:
        return Drawing(document, 1, region).drawn(200).pixels


def test_words_that_were_glued_are_parted_where_the_picture_has_a_gap() -> None:
    crop = strip((10, 30), (34, 54), (58, 78), (98, 118), (122, 142))
    places = tuple(middle / 400 for middle in (20, 44, 68, 108, 132))
    assert part_words(DecodedLine("oncat", places, (1.0,) * 5), crop).text == "onc at"


def test_a_space_that_was_read_is_not_doubled() -> None:
    crop = strip((10, 30), (34, 54), (58, 78), (98, 118), (122, 142))
    places = tuple(middle / 400 for middle in (20, 44, 68, 88, 108, 132))
    assert part_words(DecodedLine("onc at", places, (1.0,) * 6), crop).text == "onc at"


def test_words_whose_ink_is_out_of_sight_have_a_place() -> None:
    crop = strip((100, 120), (124, 144))
    places = tuple(middle / 400 for middle in (25, 60, 110, 134, 160, 200))
    found = part_words(DecodedLine(". on .", places, (1.0,) * 6), crop)
    [first, second, third] = found.words
    assert first[0] <= 25 / 400 < first[1] <= second[0] <= 100 / 400
    assert 144 / 400 <= second[1] <= third[0] < 200 / 400 <= third[1]


def test_figures_are_not_parted() -> None:
    crop = strip((10, 30), (34, 54), (58, 78), (98, 118), (122, 142))
    places = tuple(middle / 400 for middle in (20, 44, 68, 108, 132))
    assert part_words(DecodedLine("47119", places, (1.0,) * 5), crop).text == "47119"


def test_repeated_steps_are_one_character_and_nothing_parts_doubled_ones() -> None:
    steps = numpy.eye(3, dtype=numpy.float32)[[1, 1, 0, 1, 2, 2]]
    answer = decode_steps(steps, ("", "o", "x"), 1.0)
    assert (answer.text, answer.confidence) == ("oox", 1.0)


def test_words_that_run_up_the_page_are_read_too(tmp_path: Path) -> None:
    texts = {line.text for line in lines_in(pixels_of(drawn(tmp_path / "page.pdf", (260, 200))), ())}
    assert texts == {"Level words stand here", "Words that climb"}


def test_a_line_that_is_too_wide_for_the_network_is_read_whole(tmp_path: Path) -> None:
    words = "the miller carries forty sacks of corn to the market before the bakers of the town wake up " * 4
    canvas = Canvas(str(tmp_path / "wide.pdf"), pagesize=(1000, 40))
    canvas.setFont("Helvetica", 6)
    canvas.drawString(10, 20, words)
    canvas.save()
    text = " ".join(line.text for line in lines_in(pixels_of(tmp_path / "wide.pdf"), ()))
    assert len(set(words.split()) & set(text.split())) == len(set(words.split()))
    assert len(text) == pytest.approx(len(words), abs=5)


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_reading_a_few_lines_tells_how_a_page_lies(tmp_path: Path, degrees: int) -> None:
    canvas = Canvas(str(tmp_path / "page.pdf"), pagesize=(260, 200))
    for height in (40, 80, 120, 160):
        canvas.drawString(20, height, "Level words stand in this line")
    canvas.save()
    pixels = turn_picture(pixels_of(tmp_path / "page.pdf"), degrees)
    assert lying_by_reading(pixels, 0) == degrees


def test_a_page_with_a_rotation_of_its_own_is_drawn_as_it_is_displayed(tmp_path: Path) -> None:
    file = drawn(tmp_path / "page.pdf", (260, 200), turn=90)
    with open_pdf(str(file), None) as document:
        drawing = Drawing(document, 1, None)
        height, width = drawing.drawn(72).pixels.shape[:2]
    assert (drawing.width, drawing.height) == (width, height) == (200, 260)


def test_a_region_beyond_the_page_is_cut_to_it(tmp_path: Path) -> None:
    pixels = pixels_of(drawn(tmp_path / "page.pdf", (260, 200)), Box(130, -50, 500, 150))
    assert pixels.shape[:2] == pytest.approx((100 * 200 / 72, 130 * 200 / 72), abs=2)


def test_no_picture_has_more_pixels_than_allowed(tmp_path: Path) -> None:
    pixels = pixels_of(drawn(tmp_path / "page.pdf", (9000, 9000)))
    assert pixels.shape[0] * pixels.shape[1] <= MOST_PIXELS * 1.01


@pytest.mark.parametrize(("own", "used"), [(None, 200), (600, 200), (180, 180), (72, 150)])
def test_a_scan_is_drawn_at_its_own_resolution_within_bounds(own: float | None, used: float) -> None:
    assert usual_dpi(own) == used


def test_turning_four_times_changes_nothing() -> None:
    pixels = strip((0, 20))
    assert turn_picture(pixels, 90).shape == (400, 48, 3)
    assert (turn_picture(turn_picture(pixels, 270), 90) == pixels).all()


def test_a_picture_that_is_levelled_keeps_its_size() -> None:
    assert level_picture(strip((0, 20)), 5.0).shape == (48, 400, 3)


def test_only_faint_print_is_strengthened() -> None:
    clear = strip((10, 30))
    faint = (200 + clear // 10).astype(numpy.uint8)
    assert strengthen_contrast(clear) is clear
    assert strengthen_contrast(faint).min() < 10
    assert strengthen_contrast(faint).max() == 255
    assert blank(strip())


def test_the_languages_whose_characters_are_unknown_are_told() -> None:
    assert spells(["en", "zh-Hans", "ja"])
    assert not spells(["de", "ru"])


def test_the_networks_are_here() -> None:
    assert missing() is None
    assert PpOcr().version().startswith("PP-OCRv6, weights ")


def test_languages_are_told_to_tesseract_in_its_own_codes() -> None:
    assert tessdata.tesseract_codes(["de", "zh-Hant", "pt-BR", "frk"]) == ["deu", "chi_tra", "por", "frk"]


def test_a_language_that_is_not_installed_is_not_asked_for() -> None:
    if reason := Tesseract().available():
        pytest.skip(reason)
    held = tessdata.holding(["nowhere", "eng"])
    assert held is not None
    assert held[1] == ["eng"]
    assert tessdata.holding(["nowhere"]) is None


def test_an_empty_picture_has_no_script() -> None:
    assert script_of(numpy.full((400, 300, 3), 255, numpy.uint8)) is None


@pytest.mark.parametrize("seed", [2, 4, 10])
def test_coloured_shapes_are_not_taken_for_a_script(seed: int) -> None:
    shapes = numpy.random.default_rng(seed)
    pixels = numpy.full((1000, 1000, 3), 255, numpy.uint8)
    for left, top, width, height in shapes.integers((0, 0, 4, 4), (950, 950, 40, 40), (400, 4)):
        pixels[top : top + height, left : left + width] = shapes.integers(0, 256, 3)
    assert script_of(pixels) is None


@pytest.mark.parametrize(
    ("lefts", "groups"), [((0, 40, 200), ["ab", "c"]), ((200, 160, 0), ["ab", "c"]), ((0, 40, 80), ["abc"])]
)
def test_words_that_run_from_right_to_left_are_parted_at_wide_gaps_too(
    lefts: tuple[int, ...], groups: list[str]
) -> None:
    words = [Line(text, Box(left, 0, 30, 12)) for text, left in zip("abc", lefts, strict=True)]
    assert ["".join(word.text for word in group) for group in close_words(words)] == groups
