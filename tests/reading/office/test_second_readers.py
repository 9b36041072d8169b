"""Files that the first reader refuses, and legacy presentations."""

import io
import struct
import zipfile
from pathlib import Path

import pytest

from pagemill.errors import DocumentCorrupt
from pagemill.model.pages import Block, Box, Kind
from pagemill.reading.office.flow import Flow
from pagemill.reading.office.ppt import pages_by_slide, pages_of_records
from pagemill.reading.office.ppt_records import PptReader
from pagemill.reading.office.writing import heading, paragraph
from tests.office_files import docx, para, row, xlsx, zipped
from tests.reading.office.opened import opened, pages

ODT = "urn:oasis:names:tc:opendocument:xmlns"


def changed(raw: bytes, old: bytes, new: bytes) -> bytes:
    """A package with something else in its parts."""
    with zipfile.ZipFile(io.BytesIO(raw)) as package:
        return zipped({name: package.read(name).replace(old, new) for name in package.namelist()})


def test_a_workbook_that_calamine_refuses_is_read_by_anydoc(tmp_path: Path) -> None:
    whole = xlsx(("S", row(1, A="Name", B="Count") + row(2, A="mill", B=2)))
    cut = changed(whole, b"</sheetData></worksheet>", b"")
    document = opened(tmp_path, cut)
    [table] = [block for page in document.pages([1]) for block in page.blocks]
    assert [cell.text for line in (table.header, *table.rows) for cell in line] == [
        "Name",
        "Count",
        "mill",
        "2",
    ]
    assert document.found_warnings() == ("read_by_anydoc",)


def test_a_text_that_anydoc_refuses_is_read_by_the_plain_reader(tmp_path: Path) -> None:
    spaces = f'xmlns:o="{ODT}:office:1.0" xmlns:t="{ODT}:text:1.0" xmlns:b="{ODT}:table:1.0"'
    cells = "".join(f"<b:table-cell><t:p>{word}</t:p></b:table-cell>" for word in ("a", "b"))
    content = (
        f'<o:document-content {spaces}><o:body><o:text><t:h t:outline-level="2">Head</t:h><t:p>one & two</t:p>'
        f"<t:list><t:list-item><t:p>point</t:p></t:list-item></t:list><b:table><b:table-row>{cells}</b:table-row></b:table>"
    )
    odt = zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})
    document = opened(tmp_path, odt)
    read = [block for page in document.pages([1]) for block in page.blocks]
    assert [block.kind for block in read] == [Kind.HEADING, Kind.PARAGRAPH, Kind.LIST_ITEM, Kind.TABLE]
    assert (read[0].text, read[0].level, read[2].text) == ("Head", 2, "point")
    assert document.found_warnings() == ("read_by_pagemill",)


def test_a_book_without_a_spine_is_read_chapter_by_chapter(tmp_path: Path) -> None:
    page = "<html><body><h1>{0}</h1><p>Words of {0}.</p></body></html>"
    book = {"mimetype": "application/epub+zip", "a.xhtml": page.format("One"), "b.xhtml": page.format("Two")}
    document = opened(tmp_path, zipped(book))
    first, second = document.pages([1, 2])
    assert [block.text for block in (*first.blocks, *second.blocks)] == [
        "One",
        "Words of One.",
        "Two",
        "Words of Two.",
    ]
    assert document.found_warnings() == ("read_by_pagemill",)


def test_a_file_that_no_reader_reads_is_refused_as_by_the_first(tmp_path: Path) -> None:
    garbage = changed(docx(para("x")), b"<w:document", b"<<<<")
    with pytest.raises(DocumentCorrupt, match="valid XML"):
        opened(tmp_path, garbage)


def test_a_sheet_that_can_t_be_read_fails_alone_in_a_long_workbook(tmp_path: Path) -> None:
    sheets = [(f"S{at}", row(1, A=f"word {at}", B="x")) for at in range(66)]
    damaged = [*sheets[:-1], ("Bad", '<row r="1"><c r="A1" t="s"><v>99</v></c></row>')]
    *good, bad = pages(tmp_path, xlsx(*damaged))
    assert bad.error is not None
    assert bad.error.code == "document_corrupt"
    assert all(page.error is None for page in good)


def record(kind: int, content: bytes, *, instance: int = 0, version: int = 0) -> bytes:
    """A record of a presentation."""
    return struct.pack("<HHI", instance << 4 | version, kind, len(content)) + content


def container(kind: int, *inside: bytes, instance: int = 0) -> bytes:
    """A record that holds others."""
    return record(kind, b"".join(inside), instance=instance, version=0xF)


def text(kind: int, words: str) -> bytes:
    """A text with its header."""
    return record(0x0F9F, struct.pack("<I", kind)) + record(0x0FA0, words.encode("utf-16-le"))


def shape_record(words: bytes, at: tuple[int, int, int, int]) -> bytes:
    """A shape with a text; its place is top, left, right and bottom."""
    return container(0xF004, record(0xF010, struct.pack("<hhhh", *at)), container(0xF00D, words))


def cell_record(words: str, corners: tuple[int, int, int, int]) -> bytes:
    """A shape inside of a group; its corners are left, top, right and bottom, in the units of the group."""
    return container(
        0xF004, record(0xF00F, struct.pack("<iiii", *corners)), container(0xF00D, text(4, words))
    )


def table_record(*cells: bytes) -> bytes:
    """A group of shapes that is a table, 200 units wide and high on 100 points."""
    head = container(
        0xF004,
        record(0xF009, struct.pack("<iiii", 0, 0, 200, 200), version=1),
        record(0xF122, struct.pack("<HI", 0x039F, 1), instance=1, version=3),
        record(0xF010, struct.pack("<hhhh", 80, 160, 960, 880)),
    )
    return container(0xF003, head, *cells)


def presentation(*more: bytes) -> tuple[bytes, int]:
    """A stream with two slides, the first of which has notes and more shapes, and where its last edit is."""
    title = shape_record(record(0x0F9E, struct.pack("<I", 0)), (80, 160, 800, 240))
    loose = shape_record(text(4, "Beside\rBelow"), (400, 160, 800, 560))
    tree = container(0x040C, container(0xF002, container(0xF003, title, loose, *more)))
    slide = container(0x03EE, record(0x03EF, struct.pack("<I8sII", 0, b"", 0, 900)), tree)
    spoken = container(
        0x040C, container(0xF002, container(0xF003, shape_record(text(2, "Say it"), (0, 0, 9, 9))))
    )
    notes = container(0x03F0, spoken)
    listed = [
        container(
            0x0FF0,
            record(0x03F3, struct.pack("<IIII", 2, 0, 1, 256) + bytes(4)),
            text(0, "First title"),
            record(0x03F3, struct.pack("<IIII", 77, 0, 1, 257) + bytes(4)),
            text(0, "Second title"),
        ),
        container(0x0FF0, record(0x03F3, struct.pack("<IIII", 3, 0, 0, 900) + bytes(4)), instance=2),
    ]
    document = container(0x03E8, record(0x03E9, struct.pack("<ii", 5760, 4320)), *listed)
    places = [0, len(document), len(document) + len(slide)]
    directory = record(0x1772, struct.pack("<IIII", 3 << 20 | 1, *places))
    at = len(document) + len(slide) + len(notes)
    edit = record(0x0FF5, struct.pack("<IIIII", 0, 0, 0, at, 1) + bytes(8))
    return document + slide + notes + directory + edit, at + len(directory)


def test_the_records_of_a_presentation_tell_its_slides_their_boxes_and_notes() -> None:
    raw, edit = presentation()
    deck = PptReader(raw).deck(edit)
    assert deck.size == (720.0, 540.0)
    first, second = pages_of_records(deck).pages([1, 2])
    assert [(block.kind, block.text, block.role) for block in first.blocks] == [
        (Kind.HEADING, "First title", None),
        (Kind.PARAGRAPH, "Beside", None),
        (Kind.PARAGRAPH, "Below", None),
        (Kind.PARAGRAPH, "Say it", "speaker_notes"),
    ]
    assert first.blocks[0].box == Box(20.0, 10.0, 80.0, 20.0)
    assert [block.text for block in second.blocks] == ["Second title"]


@pytest.mark.parametrize("kept", [0, 8, 200])
def test_records_that_are_cut_off_are_refused_as_damaged(kept: int) -> None:
    raw, edit = presentation()
    with pytest.raises((ValueError, struct.error)):
        PptReader(raw[:kept]).deck(edit)


def test_a_presentation_without_its_atom_is_refused_as_damaged() -> None:
    raw, edit = presentation()
    atom = struct.pack("<HHI", 0, 0x03E9, 8)
    assert atom in raw
    with pytest.raises(ValueError, match="atom"):
        PptReader(raw.replace(atom, struct.pack("<HHI", 0, 0x0BAD, 8))).deck(edit)


def test_blocks_go_to_the_slides_that_have_their_words() -> None:
    raw, edit = presentation()
    flow = Flow()
    flow.add(heading("First title", 2), paragraph("Beside"), paragraph("odd one"), paragraph("Say it"))
    flow.add(heading("Second title", 2))
    first, second = pages_by_slide(flow, PptReader(raw).deck(edit)).pages([1, 2])
    assert [(block.text, block.role) for block in first.blocks] == [
        ("First title", None),
        ("Beside", None),
        ("odd one", None),
        ("Say it", "speaker_notes"),
    ]
    assert [(block.text, block.level) for block in second.blocks] == [("Second title", 2)]


CELLS = (
    cell_record("Region", (0, 0, 100, 50)),
    cell_record("Sales", (100, 0, 200, 50)),
    cell_record("North\rand east", (0, 50, 100, 100)),
    cell_record("Beside", (100, 50, 200, 100)),
    cell_record("Both", (0, 100, 200, 200)),
)


def check_table(table: Block) -> None:
    """It has the cells above in their places."""
    assert (table.kind, table.box) == (Kind.TABLE, Box(20.0, 10.0, 100.0, 100.0))
    assert [cell.text for cell in table.header] == ["Region", "Sales"]
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["North\nand east", "Beside"],
        ["Both", ""],
    ]
    assert table.rows[1][0].column_span == 2
    assert table.header[1].box == Box(70.0, 10.0, 50.0, 25.0)


def test_a_group_of_shapes_that_is_a_table_is_read_as_one() -> None:
    raw, edit = presentation(table_record(*CELLS))
    deck = PptReader(raw).deck(edit)
    [_, beside, below, table, _] = next(iter(pages_of_records(deck).pages([1]))).blocks
    assert (beside.text, below.text) == ("Beside", "Below")
    check_table(table)


def test_blocks_that_are_cells_become_their_table_and_words_beside_it_stay() -> None:
    raw, edit = presentation(table_record(*CELLS))
    flow = Flow()
    words = ("Beside", "Below", "Region", "Sales", "North", "and east", "Beside", "Both", "Say it")
    flow.add(heading("First title", 2), *map(paragraph, words))
    [page] = pages_by_slide(flow, PptReader(raw).deck(edit)).pages([1])
    [_, beside, below, table, spoken] = page.blocks
    assert (beside.text, below.text, spoken.text) == ("Beside", "Below", "Say it")
    check_table(table)


def test_a_table_of_which_a_cell_has_no_place_stays_text() -> None:
    lost = container(0xF004, container(0xF00D, text(4, "Lost")))
    raw, edit = presentation(table_record(*CELLS, lost))
    [page] = pages_of_records(PptReader(raw).deck(edit)).pages([1])
    assert "Lost" in [block.text for block in page.blocks]
    assert all(block.kind is not Kind.TABLE for block in page.blocks)


def test_two_texts_in_one_place_of_a_table_are_both_kept() -> None:
    twice = (*CELLS, cell_record("North too", (1, 51, 100, 100)))
    raw, edit = presentation(table_record(*twice))
    [page] = pages_of_records(PptReader(raw).deck(edit)).pages([1])
    [table] = [block for block in page.blocks if block.kind is Kind.TABLE]
    assert table.rows[0][0].text == "North\nand east\nNorth too"


def test_shapes_on_a_diagonal_are_not_a_table() -> None:
    steps = [cell_record(f"step {at}", (at, at, at + 1, at + 1)) for at in range(0, 2_000, 10)]
    raw, edit = presentation(table_record(*steps))
    [page] = pages_of_records(PptReader(raw).deck(edit)).pages([1])
    assert all(block.kind is not Kind.TABLE for block in page.blocks)
    assert "step 1990" in [block.text for block in page.blocks]
