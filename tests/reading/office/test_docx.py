"""Word documents: the structure that their XML tells."""

from pathlib import Path

from pagemill.model.pages import Kind
from tests.office_files import R, W, docx, para
from tests.reading.office.opened import blocks, opened, pages

LISTED = '<w:numPr><w:ilvl w:val="{}"/><w:numId w:val="1"/></w:numPr>'


def test_headings_are_known_by_their_style_and_by_the_style_it_is_based_on(tmp_path: Path) -> None:
    found = blocks(tmp_path, docx(para("Top", "H1") + para("Below", "Sub") + para("Body")))
    assert [(block.kind, block.level, block.text) for block in found] == [
        (Kind.HEADING, 1, "Top"),
        (Kind.HEADING, 2, "Below"),
        (Kind.PARAGRAPH, None, "Body"),
    ]
    assert found[2].origin is not None
    assert found[2].origin.path == ("Top", "Below")


def test_lists_are_counted_level_by_level(tmp_path: Path) -> None:
    levels = (0, 1, 1, 0)
    body = "".join(para(f"entry {at}", more=LISTED.format(level)) for at, level in enumerate(levels))
    found = blocks(tmp_path, docx(body))
    assert [(block.kind, block.level, block.marker) for block in found] == [
        (Kind.LIST_ITEM, 0, "1."),
        (Kind.LIST_ITEM, 1, "a)"),
        (Kind.LIST_ITEM, 1, "b)"),
        (Kind.LIST_ITEM, 0, "2."),
    ]


def cell(text: str, properties: str = "") -> str:
    """A cell of a table."""
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{para(text)}</w:tc>"


def test_cells_span_rows_and_columns_and_the_first_row_may_be_a_header(tmp_path: Path) -> None:
    wide, tall = cell("Both", '<w:gridSpan w:val="2"/>'), cell("tall", '<w:vMerge w:val="restart"/>')
    table = (
        f"<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr>{cell('Name')}{wide}</w:tr>"
        f"<w:tr>{tall}{cell('a')}{cell('b')}</w:tr>"
        f"<w:tr>{cell('', '<w:vMerge/>')}{cell('c')}{cell('d')}</w:tr></w:tbl>"
    )
    [found] = blocks(tmp_path, docx(table))
    assert [cell.text for cell in found.header] == ["Name", "Both", ""]
    assert found.header[1].column_span == 2
    assert found.rows[0][0].row_span == 2
    assert [cell.text for cell in found.rows[1]] == ["", "c", "d"]


def test_all_rows_that_are_repeated_on_each_page_are_the_head(tmp_path: Path) -> None:
    repeated = "<w:trPr><w:tblHeader/></w:trPr>"
    heads = "".join(f"<w:tr>{repeated}{cell(text)}{cell(text)}</w:tr>" for text in ("Name", "Unit"))
    [found] = blocks(tmp_path, docx(f"<w:tbl>{heads}<w:tr>{cell('a')}{cell('b')}</w:tr></w:tbl>"))
    assert found.header_rows == 2


def test_a_footnote_is_linked_to_its_block_and_comments_name_their_author(tmp_path: Path) -> None:
    body = (
        '<w:p><w:r><w:t>Claim</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r>'
        '<w:r><w:commentReference w:id="0"/></w:r></w:p>'
    )
    notes = f'<w:footnotes {W}><w:footnote w:id="2">{para("Proof.")}</w:footnote></w:footnotes>'
    comments = (
        f'<w:comments {W}><w:comment w:id="0" w:author="Ada">{para("Really?")}</w:comment></w:comments>'
    )
    extra = {"word/footnotes.xml": notes, "word/comments.xml": comments}
    relations = (("f1", "footnotes", "footnotes.xml"), ("c1", "comments", "comments.xml"))
    claim, note, comment = blocks(tmp_path, docx(body, extra, *relations))
    assert claim.text == "Claim[2]"
    assert [span.href for span in claim.spans] == [f"#{note.id}"]
    assert (note.kind, note.text) == (Kind.FOOTNOTE, "[2] Proof.")
    assert (comment.role, comment.text) == ("comment", "[c0] Ada: Really?")


def test_tracked_changes_are_shown_as_asked(tmp_path: Path) -> None:
    body = (
        "<w:p><w:r><w:t>We </w:t></w:r><w:del><w:r><w:delText>hate</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>like</w:t></w:r></w:ins><w:r><w:t> it</w:t></w:r></w:p>"
    )
    file = docx(body)
    assert [blocks(tmp_path, file, how)[0].text for how in ("final", "original")] == [
        "We like it",
        "We hate it",
    ]
    [both] = blocks(tmp_path, file, "both")
    assert both.text == "We hatelike it"
    assert [span.change for span in both.spans] == ["deleted", "inserted"]


def test_formulas_become_latex(tmp_path: Path) -> None:
    fraction = (
        "<m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:sSup><m:e><m:r><m:t>b</m:t></m:r></m:e>"
        "<m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:den></m:f>"
    )
    [found] = blocks(tmp_path, docx(f"<w:p><m:oMath>{fraction}</m:oMath></w:p>"))
    assert (found.kind, found.text) == (Kind.FORMULA, r"\frac{a}{b^{2}}")


def test_a_page_begins_where_word_broke_the_last_one(tmp_path: Path) -> None:
    broken = '<w:p><w:r><w:br w:type="page"/><w:t>Second page</w:t></w:r></w:p>'
    found = pages(tmp_path, docx(para("First page") + broken))
    assert [[block.text for block in page.blocks] for page in found] == [["First page"], ["Second page"]]
    assert [block.id for page in found for block in page.blocks] == ["p1-b1", "p2-b1"]


def test_text_boxes_and_images_follow_their_paragraph_and_the_fallback_is_not_read_twice(
    tmp_path: Path,
) -> None:
    box = f"<wps:txbx><w:txbxContent>{para('Boxed')}</w:txbxContent></wps:txbx>"
    drawn = (
        '<w:p><w:r><w:t>Beside</w:t></w:r><w:r><mc:AlternateContent xmlns:mc="urn:mc" xmlns:wps="urn:wps">'
        f"<mc:Choice><w:drawing>{box}</w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><w:txbxContent>{para('Boxed')}</w:txbxContent></w:pict></mc:Fallback>"
        '</mc:AlternateContent></w:r><w:r><w:drawing xmlns:wp="urn:wp" xmlns:a="urn:a">'
        f'<wp:docPr id="1" name="p" descr="A wheel"/><a:blip {R} r:embed="i1"/></w:drawing></w:r></w:p>'
    )
    file = docx(drawn, {"word/media/image1.png": b"png"}, ("i1", "image", "media/image1.png"))
    beside, boxed, figure = blocks(tmp_path, file)
    assert (beside.text, boxed.text, boxed.role) == ("Beside", "Boxed", "text_box")
    assert (figure.kind, figure.text) == (Kind.FIGURE, "A wheel")
    assert figure.origin is not None
    assert figure.origin.part == "word/media/image1.png"


def test_links_are_kept_and_scripts_are_not(tmp_path: Path) -> None:
    body = "".join(
        f'<w:p><w:hyperlink {R} r:id="{name}"><w:r><w:t>{name}</w:t></w:r></w:hyperlink></w:p>'
        for name in ("good", "bad")
    )
    relations = (("good", "hyperlink", "https://example.org/x"), ("bad", "hyperlink", "javascript://alert"))
    good, bad = blocks(tmp_path, docx(body, None, *relations))
    assert [span.href for span in good.spans] == ["https://example.org/x"]
    assert bad.spans == ()


def test_templates_and_images_from_outside_are_not_fetched_but_told_of(tmp_path: Path) -> None:
    document = opened(
        tmp_path, docx(para("Text"), None, ("t1", "attachedTemplate", "http://127.0.0.1:9/t.dotm"))
    )
    assert document.found_warnings() == ("external_resource_blocked",)


def test_a_field_that_never_ends_does_not_swallow_the_text(tmp_path: Path) -> None:
    begun = (
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>'
    )
    read = blocks(tmp_path, docx(begun + "".join(para(f"line {at}") for at in range(5))))
    assert [block.text for block in read][-2:] == ["line 3", "line 4"]


def test_a_web_page_that_a_document_takes_in_is_read_in_its_place(tmp_path: Path) -> None:
    body = para("before") + '<w:altChunk r:id="c1"/>' + para("after")
    page = "<html><body><h2>Inserted</h2><p>words</p></body></html>"
    made = docx(body, {"word/chunk.html": page}, ("c1", "aFChunk", "chunk.html"))
    assert [block.text for block in blocks(tmp_path, made)] == ["before", "Inserted", "words", "after"]
