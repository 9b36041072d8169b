"""document.docx and blocks.jsonl: what was read is there again when the file is opened."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path

from lxml import etree  # type: ignore[import-untyped]

from pagemill.model.artifacts import MakeAnswer, MakeRequest
from pagemill.model.pages import Block, Box, Cell, Kind, Page, Span
from pagemill.reading.office.opening import open_office
from pagemill.reading.visits import make_artifact
from tests import pictures, samples
from tests.reading.journey import at_once
from tests.reading.made import joined


def make(folder: Path, name: str) -> Path:
    """Have an artifact made of the document in a folder."""
    scratch = folder / name
    scratch.mkdir()
    index = folder / "pages.idx"
    request = MakeRequest(
        name,
        str(folder / "document.json"),
        str(index) if index.exists() else None,
        str(scratch),
        str(folder / "in.pdf"),
    )
    [file] = MakeAnswer.from_bytes(make_artifact(request.to_bytes())).files
    assert [one.name for one in scratch.iterdir()] == [file.name]
    return scratch / file.name


def report() -> Page:
    """A page with every kind of block that the file has a form for."""
    words = "All turn <left> & see the site."
    spanning = Block(
        "",
        Kind.TABLE,
        header=(Cell("Mill", row_span=1), Cell("Year", column_span=2), Cell("")),
        rows=((Cell("A", row_span=2), Cell("1"), Cell("2")), (Cell(""), Cell("3"), Cell("4"))),
    )
    blocks = (
        Block("", Kind.HEADING, text="Mills", level=1),
        Block(
            "",
            Kind.PARAGRAPH,
            text=words,
            spans=(
                Span(0, 3, bold=True),
                Span(22, 30, href="https://example.org/?a=1&b=2"),
                Span(30, 31, href="#p1-b7"),
            ),
        ),
        Block("", Kind.LIST_ITEM, text="wheel", level=0, marker="-"),
        Block("", Kind.LIST_ITEM, text="first", level=0, ordered=True, marker="3."),
        Block("", Kind.LIST_ITEM, text="second", level=0, ordered=True, marker="4."),
        spanning,
        Block("", Kind.FOOTNOTE, text="A note."),
        Block("", Kind.CODE, text="x = 1\ny = 2"),
        Block("", Kind.RULE),
    )
    numbered = tuple(replace(block, id=f"p1-b{at}") for at, block in enumerate(blocks, 1))
    return Page(1, 595, 842, "made", numbered)


def test_a_word_file_has_the_structure_that_was_read(tmp_path: Path) -> None:
    joined(tmp_path, report())
    (tmp_path / "in.pdf").write_bytes(samples.blank())
    file = make(tmp_path, "docx")
    with zipfile.ZipFile(file) as package:
        for name in package.namelist():
            etree.fromstring(package.read(name))
        assert {entry.date_time for entry in package.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    [page] = open_office(str(file)).pages([1])
    found = page.blocks
    assert [(block.kind, block.text.split("\n")[0], block.level) for block in found][:5] == [
        (Kind.HEADING, "Mills", 1),
        (Kind.PARAGRAPH, "All turn <left> & see the site.", None),
        (Kind.LIST_ITEM, "wheel", 0),
        (Kind.LIST_ITEM, "first", 0),
        (Kind.LIST_ITEM, "second", 0),
    ]
    assert [block.marker for block in found[3:5]] == ["3.", "4."]
    assert next(span.href for span in found[1].spans if span.href) == "https://example.org/?a=1&b=2"
    table = found[5]
    assert [cell.text for cell in table.header] == ["Mill", "Year", ""]
    assert (table.header[1].column_span, table.rows[0][0].row_span) == (2, 2)
    assert [[cell.text for cell in row] for row in table.rows] == [["A", "1", "2"], ["", "3", "4"]]


def test_figures_of_printed_pages_are_images_in_the_word_file(tmp_path: Path) -> None:
    at_once(tmp_path, pictures.illustrated(1))
    file = make(tmp_path, "docx")
    with zipfile.ZipFile(file) as package:
        assert [name for name in package.namelist() if name.startswith("word/media/")] == [
            "word/media/p1-b3.png"
        ]
    [page] = open_office(str(file)).pages([1])
    [figure] = [block for block in page.blocks if block.kind is Kind.FIGURE]
    assert figure.origin is not None
    assert figure.origin.part == "word/media/p1-b3.png"


def test_blocks_are_lines_of_json(tmp_path: Path) -> None:
    text = Block("p1-b1", Kind.PARAGRAPH, Box(1, 2, 3, 4), "One\ntwo.")
    joined(
        tmp_path, Page(1, 595, 842, "made", (text,)), Page(2, 595, 842, "made", (replace(text, id="p2-b1"),))
    )
    lines = make(tmp_path, "blocks").read_text().splitlines()
    assert [json.loads(line)["page"] for line in lines] == [1, 2]
    assert json.loads(lines[0]) == {
        "page": 1,
        "id": "p1-b1",
        "kind": "paragraph",
        "box": [1, 2, 3, 4],
        "text": "One\ntwo.",
    }
