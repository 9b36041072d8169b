"""Scores of office files, by what their own XML says."""

from pathlib import Path

from quality.metrics.office import OfficeTruth, score, truth_of
from quality.roster import reads
from tests.office_files import docx, para, pptx, row, shape, xlsx

CELL = "<w:tc><w:tcPr/>{}</w:tc>"


def truth(folder: Path, name: str, raw: bytes) -> OfficeTruth:
    """What a file says."""
    file = folder / name
    file.write_bytes(raw)
    return truth_of(file)


def test_the_xml_tells_headings_rows_and_paragraphs(tmp_path: Path) -> None:
    table = f"<w:tbl><w:tr>{CELL.format(para('Mill'))}{CELL.format(para('Stones'))}</w:tr></w:tbl>"
    said = truth(tmp_path, "a.docx", docx(para("Top", "H1") + para("Text below") + table))
    assert said.headings == (" Top",)
    assert [[cell.strip() for cell in row] for row in said.rows] == [["Mill", "Stones"]]
    perfect = score(
        said, "Top Text below Mill Stones", "# Top\n\nText below\n\n| Mill | Stones |\n|---|---|\n"
    )
    assert (perfect.words, perfect.headings, perfect.rows, perfect.order) == (1.0, 1.0, 1.0, 1.0)
    poor = score(said, "Top Text below Mill Stones", "Text below\n\nTop\n\nMill\n\nStones")
    assert (poor.words, poor.headings, poor.rows, poor.order) == (1.0, 0.0, 0.0, 0.0)


def test_titles_of_slides_are_headings_and_sheets_have_rows(tmp_path: Path) -> None:
    assert truth(tmp_path, "a.pptx", pptx(shape("Title", 'type="title"'))).headings == (" Title",)
    assert truth(tmp_path, "a.xlsx", xlsx(("S", row(1, A="x")))).rows == ()


def test_readers_of_office_files_read_nothing_else() -> None:
    assert reads("anydoc", "office_truth")
    assert not reads("anydoc", "pdf_md_truth")
    assert not reads("liteparse", "office_truth")
    assert reads("pagemill-fast", "office_truth")
