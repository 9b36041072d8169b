"""Markdown, as models write it, becomes blocks without a word lost."""

from pagemill.model.pages import Block, Box, Cell, Kind, Span
from pagemill.reading.remote.markdown_blocks import blocks_of
from tests.reading.remote_made import texts


def only(markdown: str) -> Block:
    """The one block of a text."""
    [block] = blocks_of(markdown)
    return block


def grid(markdown: str) -> list[list[str]]:
    """The texts of a table, its header first."""
    table = next(block for block in blocks_of(markdown) if block.kind is Kind.TABLE)
    return [
        [cell.text for cell in row] for row in ((table.header, *table.rows) if table.header else table.rows)
    ]


def test_headings_keep_their_levels_and_lose_their_emphasis() -> None:
    blocks = blocks_of("# **One**\n\ntext\n\n### Three ###")
    assert [(block.kind, block.level, block.text, block.spans) for block in blocks if block.level] == [
        (Kind.HEADING, 1, "One", ()),
        (Kind.HEADING, 3, "Three", ()),
    ]


def test_emphasis_and_links_become_spans() -> None:
    block = only("A **bold**, an *italic* and a [**linked** word](https://example.org/a_b).")
    assert block.text == "A bold, an italic and a linked word."
    assert block.spans == (
        Span(2, 6, bold=True),
        Span(11, 17, italic=True),
        Span(24, 30, bold=True, href="https://example.org/a_b"),
        Span(30, 35, href="https://example.org/a_b"),
    )


def test_tags_for_emphasis_count_as_emphasis_and_other_words_in_brackets_stay() -> None:
    block = only("A <b>bold</b> H<sub>2</sub>O for <Name> &amp; 1 < 2")
    assert block.text == "A bold H2O for <Name> & 1 < 2"
    assert block.spans == (Span(2, 6, bold=True),)


def test_a_link_that_runs_a_script_is_only_text() -> None:
    block = only("[here](javascript:alert(1)) and [there](page.html)")
    assert (block.text, block.spans) == ("[here](javascript:alert(1)) and there", ())


def test_lines_of_a_paragraph_run_on_unless_they_are_broken() -> None:
    assert only("one\ntwo<br>three  \nfour").text == "one two\nthree\nfour"


def test_lines_in_chinese_run_on_without_a_space() -> None:
    assert only("水车\n磨坊").text == "水车磨坊"


def test_nested_lists_have_levels_and_markers() -> None:
    blocks = blocks_of("1. one\n   - deep\n     - deeper\n2. two\n\n   more of two\n\n* other")
    assert [(block.level, block.marker, block.ordered, block.text) for block in blocks] == [
        (0, "1.", True, "one"),
        (1, "-", False, "deep"),
        (2, "-", False, "deeper"),
        (0, "2.", True, "two more of two"),
        (0, "-", False, "other"),
    ]


def test_a_table_inside_a_list_stands_alone() -> None:
    blocks = blocks_of("- before\n\n  | a |\n  |---|\n  | 1 |\n\n  after")
    assert [block.kind for block in blocks] == [Kind.LIST_ITEM, Kind.TABLE, Kind.PARAGRAPH]


def test_a_table_of_pipes_has_a_header() -> None:
    table = only("| a | b |\n|---|:-:|\n| *x* | y\\|z |\n| 1 | |")
    assert [cell.text for cell in table.header] == ["a", "b"]
    assert [[cell.text for cell in row] for row in table.rows] == [["x", "y|z"], ["1", ""]]


def test_an_empty_header_is_none() -> None:
    table = only("| | |\n|---|---|\n| 1 | 2 |")
    assert table.header == ()


def test_cells_of_an_html_table_span_rows_and_columns() -> None:
    table = only(
        "<table><thead><tr><th colspan='2'>Wheel</th><th>Use</th></tr></thead>"
        "<tr><td rowspan=2>over</td><td>4 m</td><td>80 %</td></tr><tr><td>5 m</td><td>90 %</td></tr></table>"
    )
    assert table.header == (Cell("Wheel", column_span=2), Cell(""), Cell("Use"))
    assert table.rows == (
        (Cell("over", row_span=2), Cell("4 m"), Cell("80 %")),
        (Cell(""), Cell("5 m"), Cell("90 %")),
    )


def test_an_html_table_may_hold_blank_lines_breaks_and_formulas() -> None:
    html = "Before\n<table>\n<tr>\n\n<td>a<br/>b</td>\n\n<td>\\(x_1\\) &lt; 2</td></tr>\n</table> after"
    assert grid(html) == [["a\nb", "$x_1$ < 2"]]
    assert [text for _, text in texts(blocks_of(html))] == ["Before", "", "after"]


def test_a_table_that_was_cut_off_keeps_its_cells() -> None:
    assert grid("<table><tr><td>1</td><td>2</td></tr><tr><td>3") == [["1", "2"], ["3"]]


def test_spans_beyond_reason_are_bounded() -> None:
    table = only(
        "<table><tr><td rowspan='99999' colspan='99999'>x</td></tr><tr><td colspan='0'>y</td></tr></table>"
    )
    assert (table.rows[0][0].row_span, table.rows[0][0].column_span) == (2, 100)
    assert len(table.rows) == 2


def test_the_caption_of_a_table_stands_before_it() -> None:
    blocks = blocks_of("<table><caption>Table 1: Wheels</caption><tr><td>1</td></tr></table>")
    assert [block.kind for block in blocks] == [Kind.CAPTION, Kind.TABLE]


def test_formulas_are_kept_as_latex() -> None:
    blocks = blocks_of(
        "So $a_1 * b_2 * c$ is:\n\n$$\nE = mc^2\n$$\n\n\\[ x \\leq\n y \\] (3)\n\nwith \\(z_1\\)."
    )
    assert texts(blocks) == [
        ("paragraph", "So $a_1 * b_2 * c$ is:"),
        ("formula", "E = mc^2"),
        ("formula", "x \\leq y \\tag{3}"),
        ("paragraph", "with $z_1$."),
    ]


def test_prices_are_no_formulas() -> None:
    assert only("It costs $5 and *not* $10.").text == "It costs $5 and *not* $10."


def test_a_fence_is_code_and_what_looks_like_a_table_in_it_stays() -> None:
    block = only("```html\n<b>x</b>\n\\[ y \\]\n```")
    assert (block.kind, block.lang, block.text) == (Kind.CODE, "html", "<b>x</b>\n\\[ y \\]")


def test_a_fence_around_everything_is_taken_off() -> None:
    assert texts(blocks_of("```markdown\n# Title\n\nText\n```")) == [
        ("heading", "Title"),
        ("paragraph", "Text"),
    ]


def test_a_fence_around_a_table_or_a_formula_is_taken_off() -> None:
    blocks = blocks_of("```html\n<table><tr><td>1</td></tr></table>\n```\n\n```latex\nx^2\n```")
    assert [block.kind for block in blocks] == [Kind.TABLE, Kind.FORMULA]


def test_a_picture_is_a_figure_with_what_it_shows() -> None:
    def place(name: str) -> Box | None:
        return Box(1, 2, 3, 4) if name == "img-1.jpeg" else None

    blocks = blocks_of(
        "See ![A mill](img-1.jpeg) here.\n\n![img-2.jpeg](img-2.jpeg)\n\n<img src='x' alt='Wheel'>", place
    )
    figures = [block for block in blocks if block.kind is Kind.FIGURE]
    assert [(block.text, block.box) for block in figures] == [
        ("A mill", Box(1, 2, 3, 4)),
        ("", None),
        ("Wheel", None),
    ]


def test_tags_around_paragraphs_do_not_hide_what_is_in_them() -> None:
    blocks = blocks_of(
        "<div align='center'>\n<h2>Mills</h2><p>of **water**</p></div><ul><li>one</li><li>two</li></ul>"
    )
    assert texts(blocks) == [
        ("heading", "Mills"),
        ("paragraph", "of water"),
        ("list_item", "one"),
        ("list_item", "two"),
    ]


def test_footnotes_and_bibliographies_lose_nothing() -> None:
    assert texts(blocks_of("[^2]: See the map.\n\n[7]: https://example.org Mills")) == [
        ("footnote", "2 See the map."),
        ("paragraph", "[7]: https://example.org Mills"),
    ]


def test_a_line_below_a_paragraph_is_a_rule_and_spaces_are_no_code() -> None:
    assert texts(blocks_of("Text\n---\n\n      far in")) == [
        ("paragraph", "Text"),
        ("rule", ""),
        ("paragraph", "far in"),
    ]


def test_quotes_are_read_like_the_rest() -> None:
    assert texts(blocks_of("> said\n> the miller")) == [("paragraph", "said the miller")]


def test_nothing_gives_nothing() -> None:
    assert blocks_of("") == blocks_of(" \n\n ") == blocks_of("<!-- note -->") == []


def test_all_rows_of_head_cells_are_the_head_of_an_html_table() -> None:
    table = only(
        "<table><tr><th colspan=2>People</th></tr><tr><th>Men</th><th>Women</th></tr>"
        "<tr><td>1</td><td>2</td></tr></table>"
    )
    assert table.header_rows == 2
    assert [cell.text for cell in table.rows[0]] == ["Men", "Women"]


def test_a_table_of_head_cells_alone_keeps_a_row() -> None:
    table = only("<table><tr><th>a</th></tr><tr><th>b</th></tr></table>")
    assert table.header_rows == 1


def test_a_table_whose_cells_are_all_head_cells_is_named_by_its_first_row() -> None:
    rows = "".join(f"<tr><th>{name}</th><th>{at}</th></tr>" for at, name in enumerate(("port", "a", "b")))
    assert only(f"<table>{rows}</table>").header_rows == 1


def test_a_head_cell_over_two_rows_makes_both_of_them_the_head() -> None:
    table = only(
        "<table><tr><th rowspan=2>Port</th><th colspan=2>Tons</th></tr><tr><td>in</td><td>out</td></tr>"
        "<tr><td>Aldham</td><td>1</td><td>2</td></tr></table>"
    )
    assert table.header_rows == 2
