"""Presentations and workbooks."""

from pathlib import Path

import pytest

from pagemill.errors import DocumentTooLarge
from pagemill.model.pages import Box, Kind
from tests.office_files import P, pptx, relations, row, shape, types, xlsx, zipped
from tests.reading.office.opened import blocks, opened, pages


def test_a_slide_is_a_page_and_placeholders_take_their_place_from_the_layout(tmp_path: Path) -> None:
    tree = shape("one\ntwo", 'idx="1"') + shape("The title", 'type="title"')
    [page] = pages(tmp_path, pptx(tree, notes="Say hello"))
    assert (page.width, page.height) == (720.0, 540.0)
    assert [(block.kind, block.text, block.level) for block in page.blocks] == [
        (Kind.HEADING, "The title", 1),
        (Kind.LIST_ITEM, "one", 0),
        (Kind.LIST_ITEM, "two", 0),
        (Kind.PARAGRAPH, "Say hello", None),
    ]
    assert page.blocks[0].box == Box(10.0, 20.0, 100.0, 50.0)
    assert page.blocks[1].box == Box(10.0, 100.0, 400.0, 200.0)
    assert page.blocks[3].role == "speaker_notes"


def test_shapes_are_read_from_the_top_and_from_the_left(tmp_path: Path) -> None:
    below = shape("below", at=(0, 3_000_000, 100, 100))
    right = shape("right", at=(5_000_000, 1_000_000, 100, 100))
    left = shape("left", at=(0, 1_010_000, 100, 100))
    assert [block.text for block in blocks(tmp_path, pptx(below + right + left))] == [
        "left",
        "right",
        "below",
    ]


def test_a_damaged_slide_fails_alone(tmp_path: Path) -> None:
    main = "ppt/presentation.xml"
    broken = zipped(
        {
            "[Content_Types].xml": types(main, "presentationml.presentation"),
            "_rels/.rels": relations(("r1", "officeDocument", main)),
            main: f'<p:presentation {P} xmlns:r="urn:r"><p:sldIdLst><p:sldId id="1" r:id="s1"/></p:sldIdLst></p:presentation>',
            "ppt/_rels/presentation.xml.rels": relations(("s1", "slide", "slides/slide1.xml")),
            "ppt/slides/slide1.xml": "no XML at all",
        }
    )
    [page] = pages(tmp_path, broken)
    assert page.error is not None
    assert page.error.code == "document_corrupt"


def test_a_sheet_is_a_page_and_its_tables_are_found(tmp_path: Path) -> None:
    rows = (
        row(1, A="Year", B="Ducks")
        + row(2, A=2023, B=1.5)
        + row(3, A=2024, B=7)
        + row(6, D="Note alone")
        + row(8, B="x", C="y")
        + row(9, B="1", C="2")
    )
    [page] = pages(tmp_path, xlsx(("Pond", rows)))
    heading, first, note, second = page.blocks
    assert (heading.kind, heading.text, page.label) == (Kind.HEADING, "Pond", "Pond")
    assert [cell.text for cell in first.header] == ["Year", "Ducks"]
    assert [(cell.text, cell.value, cell.value_type) for cell in first.rows[0]] == [
        ("2023", 2023, "number"),
        ("1.5", 1.5, "number"),
    ]
    assert [block.origin.cells for block in (first, note, second) if block.origin] == ["A1:B3", "D6", "B8:C9"]


def test_a_table_away_from_the_corner_says_where_it_is(tmp_path: Path) -> None:
    book = xlsx(("Pond", row(3, C="Year", D="Ducks") + row(4, C=2023, D=12) + row(5, C=2024, D=15)))
    *_, table = blocks(tmp_path, book)
    assert table.origin
    assert table.origin.cells == "C3:D5"
    assert len(table.rows) == 2


def test_a_hidden_sheet_is_read_and_flagged(tmp_path: Path) -> None:
    first, second = pages(tmp_path, xlsx(("Open", row(1, A="a")), ("Secret", row(1, A="b")), state="hidden"))
    assert (first.warnings, second.warnings) == ((), ("hidden_sheet",))


def test_a_long_sheet_is_cut_into_pages_that_repeat_the_header(tmp_path: Path) -> None:
    rows = row(1, A="Number", B="Name") + "".join(row(at, A=at, B=f"n{at}") for at in range(2, 2_502))
    found = pages(tmp_path, xlsx(("Long", rows)))
    tables = [block for page in found for block in page.blocks if block.kind is Kind.TABLE]
    assert len(found) == 3
    assert {tuple(cell.text for cell in block.header) for block in tables} == {("Number", "Name")}
    assert sum(len(block.rows) for block in tables) == 2_500


def test_a_cell_at_the_far_corner_does_not_take_all_memory(tmp_path: Path) -> None:
    with pytest.raises(DocumentTooLarge):
        opened(tmp_path, xlsx(("Far", row(1, A="a") + row(1_048_576, XFD="z"))))


def record(kind: int, body: bytes = b"") -> bytes:
    """A record of a binary workbook."""
    head = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    return head + bytes([len(body) & 0x7F | 0x80, len(body) >> 7]) + body


def wide(text: str) -> bytes:
    """A text of a binary workbook."""
    return len(text).to_bytes(4, "little") + text.encode("utf-16-le")


def test_a_binary_workbook_is_read_like_any_other(tmp_path: Path) -> None:
    cells = (
        record(6, column.to_bytes(4, "little") + bytes(4) + wide(text)) for column, text in enumerate("ab")
    )
    sheet = (
        record(0x81)
        + record(0x94, bytes(12) + (1).to_bytes(4, "little"))
        + record(0x91)
        + record(0, bytes(25))
    )
    named = record(0x9C, bytes(4) + (1).to_bytes(4, "little") + wide("rId1") + wide("Ledger"))
    book = record(0x83) + record(0x8F) + named + record(0x90) + record(0x9D, bytes(26))
    raw = zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relations(("rId1", "officeDocument", "xl/workbook.bin")),
            "xl/_rels/workbook.bin.rels": relations(("rId1", "worksheet", "worksheets/sheet1.bin")),
            "xl/workbook.bin": book + record(0x84),
            "xl/worksheets/sheet1.bin": sheet + b"".join(cells) + record(0x92) + record(0x82),
        }
    )
    [page] = pages(tmp_path, raw)
    assert [cell.text for row in page.blocks[-1].rows for cell in row] == ["a", "b"]


def test_the_slides_of_opendocument_are_pages_with_boxes(tmp_path: Path) -> None:
    names = " ".join(
        f'xmlns:{name}="urn:{name}"' for name in "office draw text svg presentation table xlink".split()
    )
    place = 'svg:x="1in" svg:y="2in" svg:width="3in" svg:height="1in"'
    listed = "<text:list><text:list-item><text:p>One</text:p><text:list><text:list-item><text:p>Two</text:p>"
    slide = (
        f'<draw:page draw:name="Start"><draw:frame {place}><draw:text-box>{listed}</text:list-item></text:list>'
        "</text:list-item></text:list></draw:text-box></draw:frame>"
        '<draw:frame presentation:class="title" svg:y="5in"><draw:text-box><text:p>The <text:a '
        'xlink:href="https://example.org">mill</text:a></text:p></draw:text-box></draw:frame>'
        '<draw:frame presentation:class="footer"><draw:text-box><text:p>Running</text:p></draw:text-box></draw:frame>'
        "<presentation:notes><text:p>Say it.</text:p></presentation:notes></draw:page>"
    )
    grid = (
        "<draw:page><draw:frame><table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>"
        "<table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table></draw:frame></draw:page>"
    )
    body = f"<office:body><office:presentation>{slide}{grid}</office:presentation></office:body>"
    raw = zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.presentation",
            "content.xml": f"<office:document-content {names}>{body}</office:document-content>",
        }
    )
    first, second = pages(tmp_path, raw)
    assert [(block.kind, block.text, block.level) for block in first.blocks] == [
        (Kind.HEADING, "The mill", 1),
        (Kind.LIST_ITEM, "One", 0),
        (Kind.LIST_ITEM, "Two", 1),
        (Kind.PARAGRAPH, "Say it.", None),
    ]
    assert (first.label, first.width, first.blocks[1].box) == ("Start", 720.0, Box(72.0, 144.0, 216.0, 72.0))
    assert first.blocks[0].spans[0].href == "https://example.org"
    assert [cell.text for row in second.blocks[0].rows for cell in row] == ["a", "b"]


def sized(shape: str, points: int) -> str:
    """A shape whose text has a font size."""
    return shape.replace("<a:r>", f'<a:r><a:rPr sz="{points * 100}"/>')


@pytest.mark.parametrize(
    ("top", "points", "kind"),
    [(300_000, 40, Kind.HEADING), (300_000, 20, Kind.PARAGRAPH), (4_000_000, 40, Kind.PARAGRAPH)],
    ids=["title", "same size", "below"],
)
def test_a_line_at_the_top_in_a_larger_font_is_the_title_of_a_slide_that_marks_none(
    tmp_path: Path, top: int, points: int, kind: Kind
) -> None:
    title = sized(shape("Our plan", at=(500_000, top, 8_000_000, 800_000)), points)
    body = sized(shape("First we look.\nThen we act.", at=(500_000, 2_000_000, 8_000_000, 900_000)), 20)
    [page] = pages(tmp_path, pptx(title + body))
    [found] = [block for block in page.blocks if block.text == "Our plan"]
    assert found.kind is kind
    assert [block.kind for block in page.blocks if block is not found] == [Kind.PARAGRAPH, Kind.PARAGRAPH]


def test_no_line_is_a_title_where_the_size_of_other_text_is_not_known(tmp_path: Path) -> None:
    kicker = sized(shape("News", at=(500_000, 300_000, 8_000_000, 400_000)), 14)
    note = sized(shape("Source: us", at=(500_000, 6_000_000, 8_000_000, 400_000)), 10)
    body = shape("What we found", at=(500_000, 2_000_000, 8_000_000, 900_000))
    [page] = pages(tmp_path, pptx(kicker + body + note))
    assert all(block.kind is not Kind.HEADING for block in page.blocks)
