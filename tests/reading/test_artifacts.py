"""Artifacts on demand: made from document.json and the document itself."""

import csv
import io
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import liteparse
import pikepdf
import pypdfium2
import pytest
from PIL import Image

from pagemill.errors import NotFound, PasswordRequired
from pagemill.model.artifacts import MadeFile, MakeAnswer, MakeRequest
from pagemill.model.pages import Block, Box, Kind, Line, Page, Part, Route
from pagemill.reading.artifacts.tables import MOST_SHEETS, number_in
from pagemill.reading.stored_document import StoredDocument
from pagemill.reading.visits import make_artifact
from tests import pictures, samples
from tests.reading.journey import at_once
from tests.reading.made import joined, page, paragraph, rows, table

RED, BLUE = (255, 0, 0), (0, 0, 255)


def make(folder: Path, name: str, only: str = "", password: str | None = None) -> tuple[MadeFile, ...]:
    """Have an artifact made of the document in a folder, in a folder of its own."""
    scratch = folder / name
    scratch.mkdir(exist_ok=True)
    document = stored(folder)
    request = MakeRequest(
        name, document.document_json, document.index, str(scratch), str(folder / "in.pdf"), password, only
    )
    return MakeAnswer.from_bytes(make_artifact(request.to_bytes())).files


def stored(folder: Path) -> StoredDocument:
    """The document in a folder, with its index if it has one."""
    index = folder / "pages.idx"
    return StoredDocument(str(folder / "document.json"), str(index) if index.exists() else None)


def scanned(folder: Path, *pages: Page, pdf: bytes) -> None:
    """A document that was read as these pages."""
    joined(folder, *pages)
    (folder / "in.pdf").write_bytes(pdf)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A document of two pages with pictures and tables, read."""
    at_once(tmp_path, pictures.illustrated(2))
    return tmp_path


def test_markdown_says_of_every_block_where_it_stands(book: Path) -> None:
    [file] = make(book, "markdown_det")
    text = (book / "markdown_det" / file.name).read_text()
    assert text.startswith("<!-- page 1 [595,842] -->\n\n<!-- block p1-b1 heading [")
    assert re.findall(r"<!-- block (\S+) (\w+) \[", text) == [
        (block.id, block.kind.value) for page in read(book) for block in page.blocks
    ]
    assert "-->\n![Figure 2: Two corners of a sheet.](images/p2-b3.png)\n" in text


def read(folder: Path) -> list[Page]:
    """The pages of a document that was read."""
    return list(stored(folder).pages())


def test_a_block_that_goes_on_names_its_further_places(tmp_path: Path) -> None:
    block = paragraph("p1-b1", "one and the same", parts=(Part(2, Box(72, 80, 450, 20)),))
    scanned(tmp_path, page(1, block), page(2), pdf=b"")
    make(tmp_path, "markdown_det")
    text = (tmp_path / "markdown_det" / "document.det.md").read_text()
    assert "<!-- block p1-b1 paragraph [72,400,450,20] page 2 [72,80,450,20] -->\none and the same" in text


def test_tables_are_written_as_csv_that_runs_nothing(book: Path) -> None:
    workbook, first, second = make(book, "tables")
    assert (workbook.name, first.name, second.name) == ("tables.xlsx", "p1-b5.csv", "p2-b5.csv")
    assert (first.page, first.rows, first.columns) == (1, 4, 2)
    with (book / "tables" / first.name).open(newline="") as file:
        assert list(csv.reader(file)) == [["Name", "Sum"], ["Ada", "'=1+1"], ["Bob", "-5"], ["Cy", "'@here"]]


def first_row(file: Path) -> list[str]:
    """The first row of a CSV file."""
    with file.open(newline="") as lines:
        return next(csv.reader(lines))


@pytest.mark.parametrize("text", ["=SUM(A1)", "+cmd", "-cmd", "@x", "\tx", "\rx", "=1"])
def test_what_a_spreadsheet_could_run_gets_an_apostrophe(tmp_path: Path, text: str) -> None:
    scanned(tmp_path, page(1, table("p1-b1", rows((text, "x")))), pdf=b"")
    make(tmp_path, "tables")
    assert first_row(tmp_path / "tables" / "p1-b1.csv") == [f"'{text}", "x"]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a;=1+1", "a;'=1+1"),
        ("a; =1+1", "a;' =1+1"),
        ("a\t@x", "a\t'@x"),
        ("a\n=1;+x", "a\n'=1;'+x"),
        ("=1;=2", "'=1;'=2"),
        (";=1", ";'=1"),
        ("a; -5;b", "a; -5;b"),
    ],
)
def test_what_begins_a_cell_for_programs_with_other_separators_gets_one_too(
    tmp_path: Path, text: str, written: str
) -> None:
    scanned(tmp_path, page(1, table("p1-b1", rows((text, "x")))), pdf=b"")
    make(tmp_path, "tables")
    assert first_row(tmp_path / "tables" / "p1-b1.csv") == [written, "x"]


@pytest.mark.parametrize("text", ["-5", "+3.5", "-1,234.50", "-12%", "- 5", "-€5", "-1e9", "plain", ""])
def test_numbers_and_words_stay_as_they_are(tmp_path: Path, text: str) -> None:
    scanned(tmp_path, page(1, table("p1-b1", rows((text, "x")))), pdf=b"")
    make(tmp_path, "tables")
    assert first_row(tmp_path / "tables" / "p1-b1.csv") == [text, "x"]


def test_every_cell_of_the_workbook_is_text_or_a_number(book: Path) -> None:
    make(book, "tables")
    with zipfile.ZipFile(book / "tables" / "tables.xlsx") as parts:
        names = ElementTree.fromstring(parts.read("xl/workbook.xml")).findall(".//{*}sheet")
        assert [sheet.get("name") for sheet in names] == ["Index", "p1-b5", "p2-b5"]
        sheet = ElementTree.fromstring(parts.read("xl/worksheets/sheet2.xml"))
    numbers = [cell for cell in sheet.findall(".//{*}c") if cell.get("t") != "inlineStr"]
    assert all(
        cell.get("t") is None and number_in(cell.findtext("{*}v") or "") is not None for cell in numbers
    )
    assert not list(sheet.findall(".//{*}f"))
    assert "=1+1" in [text.text for text in sheet.findall(".//{*}t")]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12),
        ("-3.5", -3.5),
        ("\u22123", -3),
        ("0.07", 0.07),
        ("1,234,567", 1234567),
        ("12,345.60", 12345.6),
        ("007", None),
        ("1,234", None),
        ("1.234,5", None),
        ("1234567890123456", None),
        ("20 %", None),
        ("12a", None),
        ("", None),
        ("=1+1", None),
        ("٣", None),
    ],
)
def test_a_cell_is_a_number_if_nothing_of_it_is_lost(text: str, number: float | None) -> None:
    assert number_in(text) == number


def test_more_tables_than_sheets_stand_below_each_other(tmp_path: Path) -> None:
    blocks = [table(f"p1-b{number}", rows((f"cell {number}", "x"))) for number in range(1, MOST_SHEETS + 2)]
    scanned(tmp_path, page(1, *blocks), pdf=b"")
    assert len(make(tmp_path, "tables")) == MOST_SHEETS + 2
    with zipfile.ZipFile(tmp_path / "tables" / "tables.xlsx") as parts:
        further = ElementTree.fromstring(parts.read(f"xl/worksheets/sheet{MOST_SHEETS + 1}.xml"))
    cells = [(cell.get("r"), "".join(cell.itertext())) for cell in further.findall(".//{*}c")]
    assert cells == [("A1", "cell 500"), ("B1", "x"), ("A3", "cell 501"), ("B3", "x")]


def test_figures_are_listed_with_their_captions(book: Path) -> None:
    first, second = make(book, "images")
    assert (first.name, first.page, first.caption) == ("p1-b3.png", 1, "Figure 1: Two corners of a sheet.")
    assert second.name == "p2-b3.png"
    assert first.box is not None


def test_a_figure_is_cut_out_of_its_page(book: Path) -> None:
    make(book, "images", only="p1-b3.png")
    image = Image.open(book / "images" / "p1-b3.png").convert("RGB")
    assert image.width == pytest.approx(300 * 200 / 72, abs=3)
    assert (image.getpixel((9, 9)), image.getpixel((image.width - 9, 9))) == (RED, BLUE)


def test_a_figure_on_a_page_that_was_turned_stands_upright(tmp_path: Path) -> None:
    with pikepdf.open(io.BytesIO(pictures.illustrated())) as pdf:
        pdf.pages[0].Rotate = 270
        pdf.save(tmp_path / "in.pdf")
    figure = Block("p1-b1", Kind.FIGURE, Box(72, 142, 300, 200))
    joined(tmp_path, Page(1, 595, 842, "made", (figure,), turned=90))
    make(tmp_path, "images", only="p1-b1.png")
    image = Image.open(tmp_path / "images" / "p1-b1.png").convert("RGB")
    assert (image.getpixel((9, 9)), image.getpixel((image.width - 9, 9))) == (RED, BLUE)


@pytest.mark.parametrize("name", ["p1-b1.png", "p9-b1.png"])
def test_a_figure_that_is_not_there_is_not_found(book: Path, name: str) -> None:
    with pytest.raises(NotFound):
        make(book, "images", only=name)


def pixel(pdf: Path, number: int, x: float, y: float) -> tuple[int, ...]:
    """The colour of a page at a point, as a reader sees it."""
    with pypdfium2.PdfDocument(pdf) as document:
        image = document[number - 1].render(scale=4).to_pil().convert("RGB")
    colour = image.getpixel((int(x * 4), int(y * 4)))
    assert isinstance(colour, tuple)
    return tuple(int(part) for part in colour)


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_the_layout_has_a_box_around_each_block(tmp_path: Path, rotation: int) -> None:
    with pikepdf.open(io.BytesIO(samples.blank())) as pdf:
        pdf.pages[0].Rotate = rotation
        pdf.pages[0].CropBox = [20, 30, 575, 812]
        pdf.save(tmp_path / "in.pdf")
    size = (782.0, 555.0) if rotation % 180 else (555.0, 782.0)
    heading = Block("p1-b1", Kind.HEADING, Box(100, 200, 150, 40), "Title", level=1)
    joined(tmp_path, Page(1, *size, "made", (heading,)))
    [file] = make(tmp_path, "layout")
    layout = tmp_path / "layout" / file.name
    red = (200, 30, 30)
    assert pixel(layout, 1, 100, 220) == pixel(layout, 1, 250, 220) == pixel(layout, 1, 175, 240) == red
    assert pixel(layout, 1, 175, 220) == pixel(layout, 1, 60, 220) == (255, 255, 255)
    assert "p1-b1 heading 1" in words_of(layout)[0]


def words_of(pdf: Path) -> list[str]:
    """The text of each page."""
    with pypdfium2.PdfDocument(pdf) as document:
        return [page.get_textpage().get_text_range() for page in document]


def test_the_layout_keeps_what_is_on_the_pages(book: Path) -> None:
    make(book, "layout")
    layout = book / "layout" / "layout.pdf"
    assert [f"Chapter {number}" in text for number, text in enumerate(words_of(layout), 1)] == [True, True]
    with pikepdf.open(layout) as pdf:
        assert pdf.check_pdf_syntax() == []


def test_the_same_document_gives_the_same_bytes(book: Path) -> None:
    for name in ("layout", "tables", "archive"):
        assert make(book, name) == make(book, name)


LINES = (
    Line("Grüße aus Zürich, 你好 😀", Box(72, 100, 200, 14), 0.9),
    Line("second line", Box(72, 130, 100, 14), 0.9),
)


def test_a_scan_becomes_searchable_where_its_words_stand(tmp_path: Path) -> None:
    pdf = samples.text_pages([[], ["A page with text of its own."]])
    scanned(tmp_path, Page(1, 595, 842, "made", route=Route.OCR, lines=LINES), page(2), pdf=pdf)
    [file] = make(tmp_path, "searchable")
    searchable = tmp_path / "searchable" / file.name
    assert words_of(searchable) == [
        "Grüße aus Zürich, 你好 😀\r\nsecond line",
        "A page with text of its own.",
    ]
    with pypdfium2.PdfDocument(searchable) as document:
        textpage = document[0].get_textpage()
        boxes = [textpage.get_rect(at) for at in range(textpage.count_rects())]
        drawn = document[0].render(scale=1).to_pil().convert("L").getextrema()
    assert boxes[0] == pytest.approx((72, 842 - 114, 272, 842 - 100), abs=1)
    assert boxes[1] == pytest.approx((72, 842 - 144, 172, 842 - 130), abs=1)
    assert drawn == (255, 255)
    with pikepdf.open(searchable) as written:
        assert written.check_pdf_syntax() == []


def test_a_document_with_half_a_name_gives_the_same_bytes_each_time(tmp_path: Path) -> None:
    pdf = samples.blank().replace(b"/Root 1 0 R", b"/Root 1 0 R/ID[<><0123456789ABCDEF0123456789ABCDEF>]")
    scanned(tmp_path, Page(1, 595, 842, "made", route=Route.OCR, lines=LINES), pdf=pdf)
    first, second = make(tmp_path, "searchable"), make(tmp_path, "searchable")
    assert first == second


def test_an_engine_reads_the_words_of_a_searchable_scan(tmp_path: Path) -> None:
    scanned(tmp_path, Page(1, 595, 842, "made", route=Route.OCR, lines=LINES), pdf=samples.blank())
    make(tmp_path, "searchable")
    read_again = liteparse.LiteParse(ocr_enabled=False, quiet=True)
    text = read_again.parse(str(tmp_path / "searchable" / "searchable.pdf")).pages[0].text
    assert "Grüße aus Zürich, 你好" in text
    assert "second line" in text


@pytest.mark.parametrize(("rotation", "turned"), [(90, 0), (0, 90), (0, 180), (270, 90)])
def test_words_on_turned_pages_are_found_where_they_are_seen(
    tmp_path: Path, rotation: int, turned: int
) -> None:
    with pikepdf.open(io.BytesIO(samples.blank())) as pdf:
        pdf.pages[0].Rotate = rotation
        pdf.save(tmp_path / "in.pdf")
    size = (842.0, 595.0) if (rotation + turned) % 180 else (595.0, 842.0)
    joined(tmp_path, Page(1, *size, "made", route=Route.OCR, lines=LINES[1:], turned=turned))
    make(tmp_path, "searchable")
    with pypdfium2.PdfDocument(tmp_path / "searchable" / "searchable.pdf") as document:
        textpage = document[0].get_textpage()
        assert textpage.get_text_range() == "second line"
        assert textpage.count_rects() == 1
        left, bottom, right, top = textpage.get_rect(0)
    # Turning a page leaves a line as long and as far from the edges as it was.
    assert sorted([round(right - left), round(top - bottom)]) == [14, 100]
    assert {round(min(left, 595 - right)), round(min(bottom, 842 - top))} == {72, 130}


def test_a_line_up_the_side_of_the_page_is_written_up_the_side(tmp_path: Path) -> None:
    line = Line("up the side", Box(20, 300, 12, 200), 0.9)
    scanned(tmp_path, Page(1, 595, 842, "made", route=Route.OCR, lines=(line,)), pdf=samples.blank())
    make(tmp_path, "searchable")
    with pypdfium2.PdfDocument(tmp_path / "searchable" / "searchable.pdf") as document:
        textpage = document[0].get_textpage()
        assert textpage.get_text_range() == "up the side"
        assert textpage.count_rects() == 1
        assert textpage.get_rect(0) == pytest.approx((20, 842 - 500, 32, 842 - 300), abs=1)
        assert textpage.get_charbox(0)[1] < textpage.get_charbox(10)[1]


def test_everything_goes_into_the_archive(book: Path) -> None:
    [file] = make(book, "archive")
    with zipfile.ZipFile(book / "archive" / file.name) as packed:
        assert packed.testzip() is None
        assert set(packed.namelist()) == {
            "document.json",
            "document.md",
            "document.det.md",
            "document.txt",
            "document.html",
            "chunks.jsonl",
            "layout.pdf",
            "entities.json",
            "tables.xlsx",
            "tables/p1-b5.csv",
            "tables/p2-b5.csv",
            "images/p1-b3.png",
            "images/p2-b3.png",
        }
        assert {entry.date_time for entry in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert "(images/p1-b3.png)" in packed.read("document.md").decode()
        assert '<img src="images/p2-b3.png"' in packed.read("document.html").decode()
        assert packed.read("document.json") == (book / "document.json").read_bytes()


def test_the_archive_of_a_scan_has_it_searchable(tmp_path: Path) -> None:
    scanned(tmp_path, Page(1, 595, 842, "made", route=Route.OCR, lines=LINES), pdf=samples.blank())
    make(tmp_path, "archive")
    with zipfile.ZipFile(tmp_path / "archive" / "archive.zip") as packed:
        assert "searchable.pdf" in packed.namelist()
        assert "tables.xlsx" not in packed.namelist()


@pytest.mark.parametrize("name", ["layout", "searchable", "archive"])
def test_an_encrypted_document_is_drawn_only_with_its_password(tmp_path: Path, name: str) -> None:
    block = Block("p1-b1", Kind.PARAGRAPH, Box(72, 60, 200, 20), "secret")
    scanned(tmp_path, page(1, block), pdf=samples.encrypted(user="open"))
    with pytest.raises(PasswordRequired, match="Document-Password"):
        make(tmp_path, name)
    assert make(tmp_path, name, password="open")[0].size_bytes > 0


def test_nothing_half_made_is_left_behind(book: Path) -> None:
    for name in ("markdown_det", "tables", "layout", "searchable", "archive"):
        make(book, name)
        assert {file.suffix for file in (book / name).iterdir()} <= {".md", ".xlsx", ".csv", ".pdf", ".zip"}
