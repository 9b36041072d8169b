"""Links in the cells of tables."""

import io
from pathlib import Path

import pytest
import xlsxwriter  # type: ignore[import-untyped]

from pagemill.model.pages import Block, Cell, Kind
from pagemill.reading.artifacts.word_blocks import Links, block_xml
from pagemill.reading.page.page_json import block_json
from pagemill.reading.writers.markdown import table_text
from pagemill.reading.writers.table_html import table_html
from tests.office_files import docx, para, zipped
from tests.reading.office.opened import blocks

TARGET = "https://example.com/a|b"
LINKED = Block(
    "p1-b1", Kind.TABLE, header=(Cell("A"), Cell("B")), rows=((Cell("x"), Cell("go", href=TARGET)),)
)
ODF = "urn:oasis:names:tc:opendocument:xmlns"


def word_file() -> bytes:
    """A table with a link in Word."""
    link = '<w:p><w:hyperlink r:id="l1"><w:r><w:t>go</w:t></w:r></w:hyperlink></w:p>'
    cells = f"<w:tc>{para('x')}</w:tc><w:tc>{link}</w:tc>"
    return docx(f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>", None, ("l1", "hyperlink", TARGET))


def workbook() -> bytes:
    """The same in a workbook, away from the corner."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    sheet = book.add_worksheet("S")
    sheet.write(3, 2, "x")
    sheet.write_url(3, 3, TARGET, string="go")
    book.close()
    return out.getvalue()


def open_document() -> bytes:
    """The same in an OpenDocument sheet."""
    cells = (
        "<t:table-cell><x:p>x</x:p></t:table-cell>"
        f'<t:table-cell><x:p><x:a l:href="{TARGET}">go</x:a></x:p></t:table-cell>'
    )
    content = (
        f'<o:document-content xmlns:o="{ODF}:office:1.0" xmlns:t="{ODF}:table:1.0" xmlns:x="{ODF}:text:1.0" '
        'xmlns:l="http://www.w3.org/1999/xlink"><o:body><o:spreadsheet><t:table t:name="S"><t:table-row>'
        f"{cells}</t:table-row></t:table></o:spreadsheet></o:body></o:document-content>"
    )
    return zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content})


HTML = (
    f'<html><body><table><tr><td>x</td><td><a href="{TARGET}">go</a></td></tr></table></body></html>'.encode()
)


@pytest.mark.parametrize("raw", [word_file(), workbook(), open_document(), HTML])
def test_a_cell_with_a_link_says_where_it_leads(tmp_path: Path, raw: bytes) -> None:
    *_, table = blocks(tmp_path, raw)
    cells = [cell for row in (table.header, *table.rows) for cell in row]
    assert [(cell.text, cell.href) for cell in cells] == [("x", None), ("go", TARGET)]


def test_all_writers_keep_the_link() -> None:
    links = Links()
    assert "[go](https://example.com/a%7Cb)" in table_text(LINKED)
    assert f'<td><a href="{TARGET}">go</a></td>' in table_html(LINKED)
    assert block_json(LINKED)["rows"][0][1]["href"] == TARGET
    assert '<w:hyperlink r:id="rId3">' in "".join(block_xml(LINKED, links))
    assert list(links.targets) == [("hyperlink", TARGET)]
