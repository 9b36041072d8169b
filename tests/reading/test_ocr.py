"""Pages that are pictures: printed by PDFium, turned, skewed, faded, and read again."""

from pathlib import Path

import numpy
import pypdfium2
import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from pagemill.errors import PageOutOfRange
from pagemill.model.pages import Box
from pagemill.reading.ocr.ppocr import PpOcr
from pagemill.reading.ocr.recogniser import Recogniser
from pagemill.reading.ocr.scan import Scan, recognise_picture, scan_page
from pagemill.reading.ocr.tesseract import Tesseract

pytestmark = pytest.mark.mill

PAPER = (400.0, 320.0)
DPI = 200
WORDS = (
    "The miller grinds the corn at dawn",
    "and carries forty sacks to the market",
    "before the bakers of the town wake up",
    "No wheel turns without water or wind",
    "Invoice 4711 of 12 March: 1,250.00 EUR",
    "Payment is due within thirty days",
)
LEADING = 26.0
TOP = 50.0


def printed(file: Path, size: tuple[float, float] = PAPER) -> Path:
    canvas = Canvas(str(file), pagesize=size)
    canvas.setFont("Helvetica", 14)
    for number, words in enumerate(WORDS):
        canvas.drawString(50, size[1] - TOP - number * LEADING, words)
    canvas.line(50, size[1] - 210, 350, size[1] - 210)
    canvas.line(200, size[1] - 210, 200, size[1] - 290)
    canvas.save()
    return file


def picture_of(file: Path) -> Image.Image:
    with pypdfium2.PdfDocument(str(file)) as document:
        picture: Image.Image = document[0].render(scale=DPI / 72).to_pil().convert("RGB")
    return picture


def as_scan(picture: Image.Image, file: Path) -> str:
    picture.save(file, "PDF", resolution=DPI)
    return str(file)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Image.Image:
    return picture_of(printed(tmp_path_factory.mktemp("print") / "page.pdf"))


def read(path: str, recogniser: Recogniser | None = None, region: Box | None = None) -> Scan:
    return scan_page(path, 1, None, recogniser or PpOcr(), region=region)


def texts(scan: Scan) -> list[str]:
    return [line.text for line in sorted(scan.lines, key=lambda line: line.box.y)]


def test_clean_print_is_read_to_the_letter_where_it_stands(page: Image.Image, tmp_path: Path) -> None:
    scan = read(as_scan(page, tmp_path / "scan.pdf"))
    assert texts(scan) == list(WORDS)
    assert (scan.turned, scan.skew_degrees) == (0, 0.0)
    assert scan.confidence > 0.9
    first = min(scan.lines, key=lambda line: line.box.y).box
    assert first.x == pytest.approx(50, abs=5)
    assert first.y < TOP < first.bottom
    assert (scan.width, scan.height) == pytest.approx(PAPER, abs=1)


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_page_that_lies_on_its_side_or_head_is_turned(
    page: Image.Image, tmp_path: Path, degrees: int
) -> None:
    scan = read(as_scan(page.rotate(degrees, expand=True), tmp_path / "scan.pdf"))
    assert scan.turned == degrees
    assert texts(scan) == list(WORDS)
    assert (scan.width, scan.height) == pytest.approx(PAPER, abs=1)


@pytest.mark.parametrize("degrees", [3, -7])
def test_a_skewed_page_is_levelled(page: Image.Image, tmp_path: Path, degrees: int) -> None:
    askew = page.rotate(degrees, fillcolor="white", resample=Image.Resampling.BICUBIC)
    scan = read(as_scan(askew, tmp_path / "scan.pdf"))
    assert scan.skew_degrees == pytest.approx(degrees, abs=0.3)
    assert texts(scan) == list(WORDS)
    assert min(scan.lines, key=lambda line: line.box.y).box.height < LEADING


def test_faint_print_is_read(page: Image.Image, tmp_path: Path) -> None:
    faint = page.point(lambda value: 200 + value // 10)
    assert texts(read(as_scan(faint, tmp_path / "scan.pdf"))) == list(WORDS)


def test_a_huge_page_is_drawn_within_limits(tmp_path: Path) -> None:
    scan = read(str(printed(tmp_path / "huge.pdf", (14_400.0, 14_400.0))))
    assert (scan.width, scan.height) == (14_400, 14_400)


def test_a_region_is_read_alone_in_the_coordinates_of_the_page(page: Image.Image, tmp_path: Path) -> None:
    region = Box(30, TOP + LEADING - 18, 360, 26)
    scan = read(as_scan(page, tmp_path / "scan.pdf"), region=region)
    assert texts(scan) == [WORDS[1]]
    box = scan.lines[0].box
    assert box.x == pytest.approx(50, abs=5)
    assert box.y < TOP + LEADING < box.bottom
    assert (scan.width, scan.height) == pytest.approx(PAPER, abs=1)


def test_an_empty_page_has_no_lines(tmp_path: Path) -> None:
    scan = read(as_scan(Image.new("RGB", (800, 600), "white"), tmp_path / "scan.pdf"))
    assert (scan.lines, scan.strokes, scan.confidence) == ((), (), 0.0)


def test_noise_is_not_read_with_confidence(tmp_path: Path) -> None:
    noise = numpy.random.default_rng(1).integers(0, 256, (300, 400), numpy.uint8)
    picture = Image.fromarray(noise).resize((800, 600)).convert("RGB")
    assert read(as_scan(picture, tmp_path / "scan.pdf")).confidence < 0.6


def test_the_lines_that_are_drawn_are_found(page: Image.Image, tmp_path: Path) -> None:
    strokes = read(as_scan(page, tmp_path / "scan.pdf")).strokes
    level = [one for one in strokes if one.y1 == one.y2]
    upright = [one for one in strokes if one.x1 == one.x2]
    assert [(one.x1, one.x2) for one in level] == [pytest.approx((50, 350), abs=2)]
    assert [(one.y1, one.y2) for one in upright] == [pytest.approx((210, 290), abs=2)]


def test_a_page_that_is_not_there_is_refused(page: Image.Image, tmp_path: Path) -> None:
    with pytest.raises(PageOutOfRange):
        scan_page(as_scan(page, tmp_path / "scan.pdf"), 2, None, PpOcr())


def test_a_bare_picture_is_read_in_pixels(page: Image.Image) -> None:
    scan = recognise_picture(numpy.asarray(page), PpOcr())
    assert texts(scan) == list(WORDS)
    assert (scan.width, scan.height) == page.size


def test_reading_twice_gives_the_same(page: Image.Image, tmp_path: Path) -> None:
    path = as_scan(page, tmp_path / "scan.pdf")
    assert read(path) == read(path)


def test_tesseract_reads_clean_print(page: Image.Image, tmp_path: Path) -> None:
    engine = Tesseract()
    if reason := engine.available():
        pytest.skip(reason)
    scan = read(as_scan(page, tmp_path / "scan.pdf"), engine)
    assert texts(scan) == list(WORDS)
    assert scan.confidence > 0.9
