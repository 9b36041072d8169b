"""Blocks of office files that were also rendered: they have the pages and boxes on which they were printed."""

from dataclasses import replace
from pathlib import Path

from pagemill.model.pages import Kind, Page, Route
from pagemill.model.visits import OpenAnswer, OpenRequest
from pagemill.reading.office.alignment import Aligner
from pagemill.reading.office.opening import open_office
from pagemill.reading.office.printed_words import PrintedWord, tokens
from pagemill.reading.visits import open_document
from tests.office_files import docx, para, row, xlsx
from tests.samples import text_pages


def table(*rows: tuple[str, str]) -> str:
    """A table of Word."""
    cells = ("".join(f"<w:tc>{para(cell)}</w:tc>" for cell in cells) for cells in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{one}</w:tr>' for one in cells)}</w:tbl>"


BODY = (
    para("Mills of the north", "H1")
    + para("Water drives the wheel.")
    + table(("Year", "Tons"), ("1901", "12"), ("1902", "15"))
    + para("Wind drives the sails.")
    + para("A line that nobody printed.")
)
PRINTED = (
    ["Mills of the north", "Water drives the wheel.", "Year Tons", "1901 12"],
    ["1902 15", "Wind drives the sails."],
)


def rendered_pages(folder: Path, document: bytes, printed: bytes) -> tuple[list[Page], tuple[str, ...]]:
    """All pages of a document that was printed like this, and the warnings."""
    source, pdf = folder / "document", folder / "document.pdf"
    source.write_bytes(document)
    pdf.write_bytes(printed)
    opened = open_office(str(source), rendered=str(pdf))
    return list(opened.pages(range(1, opened.total_pages + 1))), opened.found_warnings()


def test_blocks_are_on_the_pages_on_which_they_were_printed(tmp_path: Path) -> None:
    pages, warnings = rendered_pages(tmp_path, docx(BODY), text_pages(PRINTED))
    assert [[block.text for block in page.blocks if block.text] for page in pages] == [
        ["Mills of the north", "Water drives the wheel."],
        ["Wind drives the sails.", "A line that nobody printed."],
    ]
    assert all(page.route is Route.NATIVE and page.reason == "rendered" for page in pages)
    assert all(page.width == 595 and page.height == 842 for page in pages)
    assert [block.id for block in pages[1].blocks] == ["p2-b1", "p2-b2"]
    assert warnings == ()


def test_boxes_are_where_the_words_are(tmp_path: Path) -> None:
    pages, _ = rendered_pages(tmp_path, docx(BODY), text_pages(PRINTED))
    heading, paragraph, found = pages[0].blocks
    assert heading.box
    assert paragraph.box
    assert heading.box.bottom <= paragraph.box.y + 4
    assert heading.box.x == paragraph.box.x
    assert paragraph.box.width > 60
    assert pages[1].blocks[1].box is None, "what was not printed has no box"
    assert found.kind is Kind.TABLE
    assert found.parts[0].page == 2
    assert found.parts[0].first_row == 2
    _, first_row, second_row = found.rows
    assert first_row[0].box
    assert first_row[1].box
    assert first_row[0].box.right < first_row[1].box.x
    assert second_row[0].box is None, "the box of a cell is on the page of its table"


def test_a_paragraph_of_several_lines_has_a_box_around_all_of_them(tmp_path: Path) -> None:
    words = para("Water drives the wheel, the wheel drives the stone.")
    lines = ["Water drives the wheel,", "the wheel drives", "the stone."]
    [page], _ = rendered_pages(tmp_path, docx(words), text_pages([lines]))
    box = page.blocks[0].box
    assert box
    assert 35 < box.height < 60
    assert 100 < box.width < 150


def test_links_to_notes_follow_them_to_their_pages(tmp_path: Path) -> None:
    note = '<w:p><w:r><w:t>Bread</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
    notes = (
        '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        '<w:footnote w:id="2"><w:p><w:r><w:t>Made of rye.</w:t></w:r></w:p></w:footnote></w:footnotes>'
    )
    document = docx(
        note + para("Second page text."),
        {"word/footnotes.xml": notes},
        ("rId9", "footnotes", "footnotes.xml"),
    )
    pages, _ = rendered_pages(
        tmp_path, document, text_pages([["Bread", "Made of rye."], ["Second page text."]])
    )
    assert [block.text for block in pages[1].blocks] == ["Second page text."]
    bread, found = pages[0].blocks
    assert found.kind is Kind.FOOTNOTE
    assert f"#{found.id}" in [span.href for span in bread.spans]


def test_sheets_have_boxes_if_each_was_printed_on_one_page(tmp_path: Path) -> None:
    book = xlsx(("People", row(1, A="Name", B="Age") + row(2, A="Ada", B=36) + row(3, A="Grace", B=85)))
    pages, warnings = rendered_pages(tmp_path, book, text_pages([["Name Age", "Ada 36", "Grace 85"]]))
    [found] = pages[0].blocks[-1:]
    assert found.box
    assert found.origin
    assert found.origin.cells
    assert warnings == ()
    pages, warnings = rendered_pages(tmp_path, book, text_pages([["Name Age"], ["Ada 36"]]))
    assert warnings == ("not_rendered",), "two printed pages of one sheet are not its pages"
    assert pages[0].reason == "file_structure"


def test_a_damaged_pdf_is_only_a_warning(tmp_path: Path) -> None:
    pages, warnings = rendered_pages(tmp_path, docx(BODY), b"%PDF-1.7 nothing more")
    assert warnings == ("not_rendered",)
    assert pages[0].blocks[0].text == "Mills of the north"


def test_a_document_that_could_not_be_rendered_says_so(tmp_path: Path) -> None:
    source = tmp_path / "document.docx"
    source.write_bytes(docx(BODY))
    request = OpenRequest(str(source), str(tmp_path), 10, (), join_at_once=False, render=True)
    answer = OpenAnswer.from_bytes(open_document(request.to_bytes()))
    assert answer.warnings == ("not_rendered",)
    request = replace(request, path=str(source), render=False)
    assert OpenAnswer.from_bytes(open_document(request.to_bytes())).warnings == ()


def words(text: str) -> list[PrintedWord]:
    """The words of a printed page."""
    return [PrintedWord(word, 1, 0, 0) for word in tokens(text)]


def test_words_are_found_past_headers_and_in_scripts_without_spaces() -> None:
    aligner = Aligner(words("alpha beta page 7 of 9 gamma delta 水車は回る epsilon"))
    assert aligner.find(tokens("Alpha beta gamma delta")) == [0, 1, 6, 7]
    assert aligner.find(tokens("水車は回る")) == [8, 9, 10, 11, 12]
    assert aligner.find(tokens("nothing of this is there")) == [None] * 5
    assert aligner.find(tokens("epsilon")) == [13]


def test_a_word_that_is_there_twice_does_not_stretch_a_block() -> None:
    aligner = Aligner(words("a document header Document title centred"))
    assert aligner.find(tokens("Document title centred")) == [3, 4, 5]
    aligner = Aligner(words("note appears here1 bold italic Here is a list"))
    assert aligner.find(tokens("Note appears here [2]")) == [0, 1, 2, None]
    assert aligner.find(tokens("Here is a list")) == [5, 6, 7, 8]
