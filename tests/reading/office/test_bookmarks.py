"""Bookmarks, and links that lead to them."""

from pathlib import Path

from pagemill.model.pages import Block, Origin, Page
from pagemill.reading.artifacts.word_blocks import Links, block_xml
from pagemill.reading.document.join import PagesAtHand, join
from pagemill.reading.page.page_json import page_bytes, page_from
from pagemill.reading.writers import Facts
from tests.office_files import docx, para
from tests.reading.office.opened import blocks, pages

START = '<w:bookmarkStart w:id="{0}" w:name="{1}"/>'
LINK = '<w:p><w:hyperlink w:anchor="{0}"><w:r><w:t>{1}</w:t></w:r></w:hyperlink></w:p>'
FIELD = (
    '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>{0}</w:instrText></w:r>'
    '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>{1}</w:t></w:r>'
    '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
)
BODY = (
    LINK.format("_Toc1", "To the end")
    + LINK.format("nowhere", "Lost")
    + FIELD.format(' HYPERLINK \\l "intro" ', "By name")
    + FIELD.format(" REF _Ref7 \\h ", "Section")
    + f"<w:p>{START.format(1, 'intro')}{START.format(2, '_GoBack')}<w:r><w:t>Introduction</w:t></w:r></w:p>"
    + START.format(3, "_Ref7")
    + para("Next")
    + f'<w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr>{START.format(4, "_Toc1")}<w:r><w:t>The end</w:t></w:r></w:p>'
)


def marks(block: Block) -> tuple[str, ...]:
    return block.origin.bookmarks if block.origin else ()


def test_links_lead_to_the_blocks_that_have_their_bookmarks(tmp_path: Path) -> None:
    end, lost, name, reference, intro, after, heading = blocks(tmp_path, docx(BODY))
    assert [span.href for block in (end, lost, name, reference) for span in block.spans] == [
        "#_Toc1",
        "#intro",
        "#_Ref7",
    ]
    assert (marks(intro), marks(after), marks(heading)) == (("intro",), ("_Ref7",), ("_Toc1",))


def test_a_bookmark_in_a_table_is_one_of_the_table(tmp_path: Path) -> None:
    cell = f"<w:tc><w:p>{START.format(1, 'sum')}<w:r><w:t>12</w:t></w:r></w:p></w:tc><w:tc>{para('x')}</w:tc>"
    link, table = blocks(tmp_path, docx(LINK.format("sum", "See") + f"<w:tbl><w:tr>{cell}</w:tr></w:tbl>"))
    assert link.spans[0].href == "#sum"
    assert marks(table) == ("sum",)


def test_markdown_html_and_json_have_the_anchors(tmp_path: Path) -> None:
    read = pages(tmp_path, docx(BODY))
    out = tmp_path / "out"
    out.mkdir()
    join(PagesAtHand(read), Facts(1), ("markdown", "html", "json"), out, keep_running=False)
    markdown, html = ((out / f"document.{end}").read_text() for end in ("md", "html"))
    assert "[To the end](#_Toc1)" in markdown
    assert '<a id="_Toc1"></a>\n\n# The end' in markdown
    assert '<a href="#_Toc1">To the end</a>' in html
    assert '<a id="_Toc1"></a><h1 ' in html
    assert page_from(page_bytes(read[0])).blocks[-1].origin == read[0].blocks[-1].origin
    assert '"bookmarks":["_Toc1"]' in (out / "document.json").read_text().replace('": [', '":[')


def test_a_web_page_keeps_the_links_inside_of_it(tmp_path: Path) -> None:
    links = b'<p><a href="#two">Go</a> <a href="#none">Stay</a></p>'
    html = b"<html><body>" + links + b'<h2 id="two">Two</h2><p id="x">End</p></body></html>'
    go, two, last = blocks(tmp_path, html)
    assert [span.href for span in go.spans] == ["#two"]
    assert (marks(two), marks(last)) == (("two",), ())


def test_the_word_export_has_the_bookmarks(tmp_path: Path) -> None:
    [page] = pages(tmp_path, docx(BODY))
    links = Links()
    xml = "".join(piece for block in page.blocks for piece in block_xml(block, links))
    assert 'w:anchor="_Toc1"' in xml
    assert 'w:name="_Toc1"' in xml


def test_names_that_would_not_do_as_anchors_are_left_out(tmp_path: Path) -> None:
    body = f"<w:p>{START.format(1, 'p1-b1')}{START.format(2, 'a&quot;b')}<w:r><w:t>x</w:t></w:r></w:p>"
    [only] = blocks(tmp_path, docx(body))
    assert only.origin == Origin(path=(), index=1)


def test_pages_without_bookmarks_are_as_they_were() -> None:
    page = Page(1, 0.0, 0.0, "office", ())
    assert page_from(page_bytes(page)) == page
