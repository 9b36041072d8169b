"""Scanned pages: recognised by the whole chain and by one recogniser alone."""

from pathlib import Path

import pypdfium2
import pytest

from pagemill.model.pages import Box, Line, Route
from quality.corpus import Document
from quality.measure import as_pdf
from quality.metrics.letters import cer
from quality.ours import Pagemill
from quality.single import Single, by_rows
from quality.synthetic import made

pytestmark = pytest.mark.mill

DPI_SCALE = 200 / 72
# Clean print that a machine drew; what goes wrong here is not for want of a good scan.
MOST_WRONG = 0.05


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Document:
    """A made page with headings."""
    return next(one for one in made(tmp_path_factory.mktemp("made"), each=1) if one.source == "headings")


@pytest.fixture(scope="module")
def scan(page: Document, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same page as a picture in a PDF."""
    folder = tmp_path_factory.mktemp("scan")
    with pypdfium2.PdfDocument(page.path) as document:
        document[0].render(scale=DPI_SCALE).to_pil().save(folder / "scan.png", dpi=(200, 200))
    return as_pdf(folder / "scan.png", folder)


def test_a_scanned_page_is_handed_on_and_recognised(page: Document, scan: Path) -> None:
    reading = Pagemill().read(scan)
    assert reading.routes == (Route.OCR,)
    wrong = cer(page.truths[0].text(), reading.markdown)
    assert wrong is not None
    assert wrong < MOST_WRONG


def test_without_recognition_nothing_is_read_on_it(scan: Path) -> None:
    assert Pagemill(ocr="off").read(scan).markdown.strip() == ""


def test_one_recogniser_alone_reads_it_too(page: Document, scan: Path) -> None:
    wrong = cer(page.truths[0].text(), Single("ppocr").read(scan).markdown)
    assert wrong is not None
    assert wrong < MOST_WRONG


def test_lines_go_from_top_to_bottom_and_from_left_to_right() -> None:
    lines = [
        Line("three", Box(10, 50, 40, 10)),
        Line("two", Box(90, 11, 40, 10)),
        Line("one", Box(10, 13, 40, 10)),
    ]
    assert [line.text for line in by_rows(lines)] == ["one", "two", "three"]
