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
