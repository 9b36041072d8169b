"""Web pages, e-mail, tables in text and plain text."""

import base64
from pathlib import Path

import pytest

from pagemill.errors import DocumentTooLarge
from pagemill.model.pages import Kind
from pagemill.reading.office.archives import archive_entries
from tests.api.batch_bodies import unmarked_archive
from tests.office_files import zipped
from tests.reading.office.opened import blocks, opened, pages


def test_a_web_page_is_its_main_content(tmp_path: Path) -> None:
    html = (
        b"<!doctype html><html><head><title>t</title><script>var x</script></head><body><nav>Home</nav><main><h1>Mills</h1>"
        b"<p>They <b>turn</b>. <a href='https://example.org'>More</a></p><ul><li>a<ul><li>b</li></ul></li></ul>"
        b"<table><tr><th>k</th><th>v</th></tr><tr><td rowspan=2>1</td><td>2</td></tr><tr><td>3</td></tr></table>"
        b"<pre><code class='language-python'>x = 1</code></pre></main><footer>Imprint</footer></body></html>"
    )
    found = blocks(tmp_path, html)
    assert [(block.kind, block.text, block.level) for block in found] == [
        (Kind.HEADING, "Mills", 1),
        (Kind.PARAGRAPH, "They turn. More", None),
        (Kind.LIST_ITEM, "a", 0),
        (Kind.LIST_ITEM, "b", 1),
        (Kind.TABLE, "", None),
        (Kind.CODE, "x = 1", None),
    ]
    assert [(span.bold, span.href) for span in found[1].spans] == [
        (True, None),
        (False, "https://example.org"),
    ]
    assert found[4].rows[0][0].row_span == 2
    assert found[5].lang == "python"


def test_a_page_of_endless_depth_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(DocumentTooLarge):
        opened(tmp_path, b"<html>" + b"<div>" * 200_000)


def test_an_e_mail_has_its_head_its_body_and_a_list_of_attachments(tmp_path: Path) -> None:
    mail = (
        b"From: Ada <ada@example.org>\r\nTo: Bob <bob@example.org>\r\nSubject: The mill\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>It <i>turns</i>.</p>\r\n'
        b'--b\r\nContent-Type: application/pdf; name="a.pdf"\r\nContent-Transfer-Encoding: base64\r\n'
        b'Content-Disposition: attachment; filename="a.pdf"\r\n\r\n'
        + base64.b64encode(b"%PDF")
        + b"\r\n--b--\r\n"
    )
    document = opened(tmp_path, mail)
    found = [block.text for page in document.pages([1]) for block in page.blocks]
    assert found == [
        "The mill",
        "From: Ada <ada@example.org>",
        "To: Bob <bob@example.org>",
        "It turns.",
        "Attachments:",
        "a.pdf (application/pdf, 4 bytes)",
    ]
    assert document.found_warnings() == ("embedded_files",)


def test_columns_are_divided_as_the_text_shows(tmp_path: Path) -> None:
    [table] = blocks(tmp_path, b'name;town\n"Smith; Ada";Bath\nBob;York\n')
    assert [cell.text for cell in table.header] == ["name", "town"]
    assert [[cell.text for cell in row] for row in table.rows] == [["Smith; Ada", "Bath"], ["Bob", "York"]]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"# Title\n\nSome *text*.\n", [(Kind.HEADING, "Title"), (Kind.PARAGRAPH, "Some text.")]),
        (b"Title\n=====\n\nText here\n", [(Kind.HEADING, "Title"), (Kind.PARAGRAPH, "Text here")]),
        (b"== Title\n\nText here\n", [(Kind.HEADING, "Title"), (Kind.PARAGRAPH, "Text here")]),
        (b"WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n", [(Kind.PARAGRAPH, "[00:01.000] Hello")]),
        (b'{"a": 1}\n', [(Kind.CODE, '{"a": 1}')]),
        ("Grüße\n\nan alle".encode("cp1252"), [(Kind.PARAGRAPH, "Grüße"), (Kind.PARAGRAPH, "an alle")]),
        (rb"{\rtf1\ansi Hello {\b world}\par}", [(Kind.PARAGRAPH, "Hello world")]),
    ],
)
def test_texts_are_read_by_what_they_are(
    tmp_path: Path, raw: bytes, expected: list[tuple[Kind, str]]
) -> None:
    assert [(block.kind, block.text) for block in blocks(tmp_path, raw)] == expected


def test_a_form_feed_begins_a_page(tmp_path: Path) -> None:
    assert len(pages(tmp_path, b"one\n\ftwo\n")) == 2


def test_an_opendocument_sheet_has_typed_cells_and_spans(tmp_path: Path) -> None:
    office = 'xmlns:o="urn:o" xmlns:t="urn:t" xmlns:x="urn:x"'
    content = (
        f"<o:document-content {office}><o:body><o:spreadsheet><t:table t:name='S'>"
        "<t:table-row><t:table-cell t:number-columns-spanned='2'><x:p>Both</x:p></t:table-cell>"
        "<t:covered-table-cell/></t:table-row>"
        "<t:table-row><t:table-cell o:value-type='float' o:value='3'><x:p>3,00</x:p></t:table-cell>"
        "<t:table-cell o:value-type='date' o:date-value='2026-11-17'><x:p>17.11.</x:p></t:table-cell></t:table-row>"
        "<t:table-row t:number-rows-repeated='1048570'><t:table-cell t:number-columns-repeated='16384'/></t:table-row>"
        "</t:table></o:spreadsheet></o:body></o:document-content>"
    )
    raw = zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content})
    heading, table = blocks(tmp_path, raw)
    assert heading.text == "S"
    both, three = table.rows[0][0] if not table.header else table.header[0], table.rows[-1]
    assert (both.text, both.column_span) == ("Both", 2)
    assert [(cell.text, cell.value, cell.value_type) for cell in three] == [
        ("3,00", 3, "number"),
        ("2026-11-17", "2026-11-17", "date"),
    ]


DRAWING = (
    b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 200"><title>Plan of the mill</title>'
    b'<script>alert(1)</script><defs><text>unseen</text></defs><g transform="translate(10,10)">'
    b'<text x="0" y="20" font-size="10">Water wheel</text><text x="0" y="32" font-size="10">turns left</text>'
    b'<text x="200" y="20" font-size="10"><tspan x="200">Axle</tspan><tspan x="200" dy="3em">of oak</tspan></text></g>'
    b'<image href="http://127.0.0.1:9/x.png"/></svg>'
)


def test_the_words_of_a_drawing_are_read_where_they_are_seen(tmp_path: Path) -> None:
    document = opened(tmp_path, DRAWING)
    [page] = document.pages([1])
    assert [block.text for block in page.blocks] == [
        "Plan of the mill",
        "Water wheel turns left",
        "Axle",
        "of oak",
        "",
    ]
    assert (page.width, page.height) == (300.0, 150.0)
    first = page.blocks[1].box
    assert first is not None
    assert (first.x, first.y) == (7.5, 15.0)
    assert document.found_warnings() == ("macros_not_run", "external_resource_blocked")


def test_entries_of_an_archive_have_their_names_in_the_encoding_that_they_are_in(tmp_path: Path) -> None:
    names = ["Ümlaut 日本.txt", "März.txt", "Größe.txt"]
    packed = tmp_path / "names.zip"
    packed.write_bytes(unmarked_archive([(name, b"Dear all,") for name in names], "März.txt", "Größe.txt"))
    assert [one.name for one in archive_entries(str(packed))] == names
