"""The writers: what stands on the page means the same in Markdown and HTML."""

from dataclasses import replace
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import orjson
import pytest
from markdown_it import MarkdownIt
from reportlab.pdfgen.canvas import Canvas

from pagemill.model.pages import ALT_TEXT, LABELS, Block, Box, Cell, FormField, Kind, Script, Span
from pagemill.reading.document.join import PagesAtHand, join
from pagemill.reading.page.page_json import block_json
from pagemill.reading.writers import Facts
from pagemill.reading.writers.html_writer import block_html
from pagemill.reading.writers.text import block_words
from tests import samples
from tests.reading.journey import at_once
from tests.reading.made import heading, html, joined, list_item, markdown, page, paragraph, rows, table

RENDERED = MarkdownIt("commonmark").enable("table").enable("strikethrough")

TRICKY = [
    "# not a heading",
    "#hashtag",
    "> not a quote",
    "- not a list",
    "+ not a list",
    "* not a list",
    "1986. A great year",
    "2) not a list",
    "---",
    "***",
    "===",
    "```",
    "~~~",
    "[not]: a definition",
    "*not* _emphasis_ and **not** __strong__",
    "snake_case_name and 2 * 3 * 4",
    "<b>not a tag</b> and a < b",
    "<script>alert(1)</script>",
    "&amp; is not an ampersand, AT&T is",
    "`not code` and ``nor`` this",
    "[not](a-link) ![nor](an-image)",
    "~~not struck~~",
    "a back\\slash, an escaped \\* star and one at the end \\",
    "a | b | c",
]


class Words(HTMLParser):
    """The text of a piece of HTML, and the tags in it."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.tags = "", list[str]()

    def handle_data(self, data: str) -> None:
        """Gather text."""
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Gather tags."""
        self.tags.append(tag)


def seen(source: str) -> Words:
    """What a reader of HTML sees."""
    words = Words()
    words.feed(source)
    return words


@pytest.mark.parametrize("text", TRICKY)
def test_a_paragraph_reads_in_markdown_as_on_the_page(tmp_path: Path, text: str) -> None:
    shown = seen(RENDERED.render(markdown(tmp_path, paragraph("p1-b1", text))))
    assert shown.text.strip() == text
    assert shown.tags == ["p"]


@pytest.mark.parametrize("text", TRICKY)
def test_a_heading_reads_in_markdown_as_on_the_page(tmp_path: Path, text: str) -> None:
    shown = seen(RENDERED.render(markdown(tmp_path, heading("p1-b1", text, 20))))
    assert (shown.text.strip(), shown.tags) == (text, ["h1"])


@pytest.mark.parametrize("text", TRICKY)
def test_a_list_item_reads_in_markdown_as_on_the_page(tmp_path: Path, text: str) -> None:
    shown = seen(RENDERED.render(markdown(tmp_path, list_item("p1-b1", text))))
    assert (shown.text.strip(), shown.tags) == (text, ["ul", "li"])


@pytest.mark.parametrize("text", TRICKY)
def test_a_cell_reads_in_markdown_as_on_the_page(tmp_path: Path, text: str) -> None:
    shown = seen(RENDERED.render(markdown(tmp_path, table("p1-b1", rows((text, "x"), ("y", text))))))
    assert [line for line in shown.text.split("\n") if line] == [text, "x", "y", text]
    assert "strong" not in shown.tags


@pytest.mark.parametrize("text", TRICKY)
def test_a_paragraph_reads_in_html_as_on_the_page(tmp_path: Path, text: str) -> None:
    shown = seen(html(tmp_path, paragraph("p1-b1", text)))
    assert shown.text.split("Document")[1].strip() == text
    assert "script" not in shown.tags


def test_ordinary_text_has_no_backslashes(tmp_path: Path) -> None:
    text = "Snake_case, 3 * 4, a < b, AT&T, [1], (c), 50%, e-mail me@example.org - it's fine! #1"
    assert markdown(tmp_path, paragraph("p1-b1", text)) == text + "\n"


def test_emphasis_and_links_are_kept(tmp_path: Path) -> None:
    spans = (Span(0, 4, bold=True), Span(9, 15, italic=True), Span(20, 24, href="https://example.org/a_b(c)"))
    block = paragraph("p1-b1", "Bold and italic and link.", spans=spans)
    assert markdown(tmp_path, block) == "**Bold** and *italic* and [link](<https://example.org/a_b(c)>).\n"
    shown = html(tmp_path, block)
    assert "<strong>Bold</strong> and <em>italic</em> and" in shown
    assert '<a href="https://example.org/a_b(c)">link</a>' in shown


def test_spaces_at_the_edge_of_emphasis_stay_outside(tmp_path: Path) -> None:
    block = paragraph("p1-b1", "so it is said", spans=(Span(2, 6, bold=True),))
    assert markdown(tmp_path, block) == "so **it** is said\n"


def test_lists_nest(tmp_path: Path) -> None:
    items = [
        list_item("p1-b1", "one", marker="1."),
        list_item("p1-b2", "inside", level=1),
        list_item("p1-b3", "deeper", level=3, marker="(a)"),
        list_item("p1-b4", "two", marker="2."),
    ]
    assert markdown(tmp_path, *items) == "1. one\n   - inside\n     - (a) deeper\n2. two\n"
    shown = html(tmp_path, *items)
    tags = [tag for tag in seen(shown).tags if tag in ("ol", "ul", "li")]
    assert tags == ["ol", "li", "ul", "li", "ul", "li", "li"]
    assert shown.count("<li") == shown.count("</li>") == 4


def test_a_table_without_a_header_uses_its_first_row(tmp_path: Path) -> None:
    assert markdown(tmp_path, table("p1-b1", rows(("a", "b"), ("c",)))) == "| a | b |\n|---|---|\n| c |  |\n"


def test_pipes_and_line_breaks_in_cells_are_escaped(tmp_path: Path) -> None:
    block = Block("p1-b1", Kind.TABLE, header=(Cell("a|b"), Cell("two\nlines")), rows=rows(("1", "2")))
    assert markdown(tmp_path, block).splitlines()[0] == "| a\\|b | two<br>lines |"


def test_code_has_a_fence_that_it_does_not_contain(tmp_path: Path) -> None:
    block = Block("p1-b1", Kind.CODE, None, "x\n```\ny", lang="python")
    assert markdown(tmp_path, block) == "````python\nx\n```\ny\n````\n"


def test_rules_are_written_and_figures_have_no_words(tmp_path: Path) -> None:
    blocks = [
        paragraph("p1-b1", "a"),
        Block("p1-b2", Kind.RULE),
        Block("p1-b3", Kind.FIGURE),
        paragraph("p1-b4", "b"),
    ]
    assert markdown(tmp_path, *blocks) == "a\n\n---\n\nb\n"


def test_the_labels_of_a_figure_are_written_as_they_are_and_what_it_shows_as_such(tmp_path: Path) -> None:
    labels = Block("p1-b1", Kind.FIGURE, text="35 %\n65 %", role=LABELS)
    shown = Block("p1-b2", Kind.FIGURE, text="A map\nof Rome", role=ALT_TEXT)
    assert markdown(tmp_path, labels, shown) == "35 %\n65 %\n\n[Image: A map of Rome]\n"
    assert block_words(labels) == "35 %\n65 %"
    assert block_words(shown) == "[Image: A map of Rome]"
    assert "<figcaption>A map\nof Rome</figcaption>" in block_html(shown)


def with_images(folder: Path, *blocks: Block) -> tuple[str, str]:
    """The Markdown and HTML of one page whose images are asked for."""
    folder.mkdir(exist_ok=True)
    formats = ("markdown", "html", "images")
    join(PagesAtHand([page(1, *blocks)]), Facts(1), formats, folder, keep_running=False)
    assert (folder / "document.json").exists()
    return (folder / "document.md").read_text(), (folder / "document.html").read_text()


def test_figures_refer_to_their_images_if_these_are_asked_for(tmp_path: Path) -> None:
    figure = Block("p1-b1", Kind.FIGURE, Box(72, 90, 200, 100))
    caption = Block("p1-b2", Kind.CAPTION, Box(72, 200, 200, 12), "Figure 1: [A] *mill* & its\nwheel")
    text, shown = with_images(tmp_path, figure, caption)
    image, words = text.strip().split("\n\n")
    assert words == "Figure 1: [A] *mill* & its\nwheel".replace("*mill*", "\\*mill\\*")
    tree = RENDERED.parse(image)[1].children or []
    assert [(one.type, one.attrGet("src"), one.content) for one in tree] == [
        ("image", "images/p1-b1.png", "Figure 1: \\[A\\] \\*mill\\* \\& its wheel")
    ]
    assert 'alt="Figure 1: [A] *mill* &amp; its wheel"' in RENDERED.render(image)
    assert '<img src="images/p1-b1.png" alt="Figure 1: [A] *mill* &amp; its wheel">' in shown


def test_a_caption_above_its_figure_is_found(tmp_path: Path) -> None:
    blocks = [
        Block("p1-b1", Kind.CAPTION, Box(72, 80, 200, 12), "Above"),
        Block("p1-b2", Kind.FIGURE, Box(72, 90, 200, 100)),
        Block("p1-b3", Kind.FIGURE, Box(72, 290, 200, 100)),
        Block("p1-b4", Kind.FIGURE),
    ]
    text, _ = with_images(tmp_path, *blocks)
    assert text == "Above\n\n![Above](images/p1-b2.png)\n\n![](images/p1-b3.png)\n"


def test_captions_and_footnotes_are_plain_words_and_formulas_are_kept(tmp_path: Path) -> None:
    blocks = [
        Block("p1-b1", Kind.CAPTION, None, "Table 1: Sums"),
        Block("p1-b2", Kind.FOOTNOTE, None, "1 See there."),
        Block("p1-b3", Kind.FORMULA, None, r"\frac{a}{b} = c_{1}"),
        Block("p1-b4", Kind.FORMULA, None, "a = b + c"),
    ]
    expected = "Table 1: Sums\n\n1 See there.\n\n$$\n\\frac{a}{b} = c_{1}\n$$\n\na = b + c\n"
    assert markdown(tmp_path, *blocks) == expected
    assert '<p id="p1-b2" class="footnote">1 See there.</p>' in html(tmp_path, *blocks)


SPANNING = Block(
    "p1-b1",
    Kind.TABLE,
    header=(Cell("both", column_span=2), Cell(""), Cell("last")),
    rows=((Cell("tall", row_span=2), Cell("b"), Cell("c")), (Cell(""), Cell("d"), Cell("e"))),
)


def test_cells_that_span_more_do_so_in_html(tmp_path: Path) -> None:
    shown = html(tmp_path, SPANNING)
    assert '<thead><tr><th colspan="2">both</th><th>last</th></tr></thead>' in shown
    assert '<tr><td rowspan="2">tall</td><td>b</td><td>c</td></tr>\n<tr><td>d</td><td>e</td></tr>' in shown


def test_a_table_with_spans_is_html_in_markdown(tmp_path: Path) -> None:
    assert markdown(tmp_path, SPANNING).splitlines() == [
        '<table><thead><tr><th colspan="2">both</th><th>last</th></tr></thead><tbody>',
        '<tr><td rowspan="2">tall</td><td>b</td><td>c</td></tr>',
        "<tr><td>d</td><td>e</td></tr>",
        "</tbody></table>",
    ]


def test_form_fields_are_listed_after_the_page(tmp_path: Path) -> None:
    fields = (
        FormField("name", "text", "Ada"),
        FormField("printed", "text", "in the text"),
        FormField("empty", "text"),
        FormField("agree", "checkbox", checked=True),
        FormField("later", "checkbox", checked=False),
    )
    text = markdown(tmp_path, paragraph("p1-b1", "A value in the text."), fields=fields)
    assert text == "A value in the text.\n\n- **name**: Ada\n- [x] agree\n- [ ] later\n"


def test_html_knows_pages_and_blocks(tmp_path: Path) -> None:
    joined(tmp_path, page(1, heading("p1-b1", "Title <1>", 20)), page(2, paragraph("p2-b1", "Text.")))
    shown = (tmp_path / "document.html").read_text()
    assert "<title>Title &lt;1&gt;</title>" in shown
    assert '<section data-page="2">\n<p id="p2-b1">Text.</p>\n</section>' in shown


def test_text_has_every_word_in_order(tmp_path: Path) -> None:
    blocks = [
        heading("p1-b1", "Title", 20),
        list_item("p1-b2", "one"),
        list_item("p1-b3", "two"),
        table("p1-b4", rows(("a", "b"))),
    ]
    joined(tmp_path, page(1, *blocks))
    assert (tmp_path / "document.txt").read_text() == "Title\n\n- one\n- two\n\na\tb\n"


def test_a_filled_in_form_is_read(tmp_path: Path) -> None:
    outcome = at_once(tmp_path, samples.form())
    fields = {field.name: field for field in outcome.pages()[0].fields}
    assert fields["surname"].value == "Ångström"
    assert (fields["agree"].checked, fields["newsletter"].checked, fields["surname"].checked) == (
        True,
        False,
        None,
    )
    assert (fields["country"].value, fields["country"].options) == ("Chile", ("Peru", "Chile"))
    assert outcome.markdown.count("Ångström") == outcome.text.count("Ångström") == 1
    assert (fields["newsletter"].label, fields["surname"].label) == ("Send me the newsletter", None)
    assert "- [ ] Send me the newsletter\n" in outcome.markdown
    assert "- [x] agree\n" in outcome.markdown


def test_the_label_of_a_field_is_no_help_text(tmp_path: Path) -> None:
    buffer = BytesIO()
    canvas = Canvas(buffer)
    canvas.drawString(72, 700, "Please fill in this form.")
    canvas.acroForm.checkbox(name="agree", x=200, y=620, tooltip="Tick this if you agree. " * 40)
    canvas.save()
    [field] = at_once(tmp_path, buffer.getvalue()).pages()[0].fields
    assert field.shown_name.startswith("Tick this")
    assert field.shown_name.endswith(" …")
    assert len(field.shown_name) <= 200


def test_a_blank_document_has_empty_artifacts_and_is_no_failure(tmp_path: Path) -> None:
    outcome = at_once(tmp_path, samples.blank(2))
    assert (outcome.markdown, outcome.text, outcome.joined.failed) == ("", "", ())
    assert [page.blocks for page in outcome.pages()] == [(), ()]


@pytest.mark.parametrize("latex", [r"\alpha <script>x", "\\alpha\n\n<b>x", r"\alpha $$ <i onclick=x>"])
def test_a_formula_is_never_taken_for_a_tag(tmp_path: Path, latex: str) -> None:
    text = markdown(tmp_path, Block("p1-b1", Kind.FORMULA, None, latex))
    kinds = [token.type for token in MarkdownIt("commonmark").parse(text)]
    inner = [child.type for token in MarkdownIt("commonmark").parse(text) for child in token.children or ()]
    assert not {"html_block", "html_inline"} & {*kinds, *inner}


def test_what_runs_from_right_to_left_says_so(tmp_path: Path) -> None:
    hebrew = paragraph("p1-b1", "שלום עולם, זה מסמך")
    latin = paragraph("p1-b2", "Peace to the world")
    cells = table("p1-b3", rows(("שנה", "מחיר"), ("1999", "12")))
    joined(tmp_path, page(1, hebrew, latin, cells))
    html = (tmp_path / "document.html").read_text()
    assert '<p id="p1-b1" dir="rtl">' in html
    assert '<p id="p1-b2">' in html
    assert '<table id="p1-b3" dir="rtl">' in html
    blocks = orjson.loads((tmp_path / "document.json").read_bytes())["pages"][0]["blocks"]
    assert [block.get("rtl") for block in blocks] == [True, None, True]


def test_columns_that_are_told_from_the_left_stay_where_they_are(tmp_path: Path) -> None:
    left, right = Cell("מחיר", box=Box(72, 100, 80, 20)), Cell("שנה", box=Box(300, 100, 80, 20))
    assert '<table id="p1-b1" dir="ltr">' in html(tmp_path, table("p1-b1", ((left, right),)))
    assert '<table id="p1-b1" dir="rtl">' in html(tmp_path, table("p1-b1", ((right, left),)))


def test_what_is_inside_of_a_bold_text_keeps_its_own_style(tmp_path: Path) -> None:
    text = "Table 2: PPARA in 10 m2 of mice"
    spans = (Span(9, 14, italic=True), Span(22, 23, script=Script.ABOVE))
    block = paragraph("p1-b1", text, bold=True, spans=spans)
    written = markdown(tmp_path / "markdown", block)
    assert written == "**Table 2: *PPARA* in 10 m<sup>2</sup> of mice**\n"
    assert "<strong>Table 2: <em>PPARA</em>" in MarkdownIt("commonmark").render(written)
    inside = "Table 2: <em>PPARA</em> in 10 m<sup>2</sup> of mice"
    assert f"<strong>{inside}</strong>" in html(tmp_path / "html", block)


TWO_HEADS = Block(
    "p1-b1",
    Kind.TABLE,
    header=(Cell("Men"), Cell("Women")),
    rows=((Cell("in"), Cell("out")), (Cell("1"), Cell("2"))),
    header_rows=2,
)


def test_every_row_that_names_columns_is_in_the_head(tmp_path: Path) -> None:
    head = "<thead><tr><th>Men</th><th>Women</th></tr><tr><th>in</th><th>out</th></tr></thead><tbody>"
    assert head in html(tmp_path, TWO_HEADS)
    assert head in markdown(tmp_path, TWO_HEADS)
    assert block_json(TWO_HEADS)["header_rows"] == 2
    assert "header_rows" not in block_json(replace(TWO_HEADS, header_rows=1))
