"""The measures on readings made by hand."""

import pytest

from quality.categories import markdown_scores
from quality.metrics.cells import adjacency_f1, cell_f1, concerned, from_rows, spots_of
from quality.metrics.headings import mhs
from quality.metrics.letters import cer, letters, letters_nid
from quality.metrics.order import nid, nid_unstyled
from quality.metrics.pipes import with_html_tables
from quality.metrics.tables import teds, teds_structure

PIPES = "| Mill | Stones |\n|---|---|\n| Ripley | 4 |\n| Selby | 2 |\n"
HTML = (
    "<table><tr><td>Mill</td><td>Stones</td></tr><tr><td>Ripley</td><td>4</td></tr>"
    "<tr><td>Selby</td><td>2</td></tr></table>"
)
PAGE = f"# Mills\n\nThe river turns the wheel.\n\n{HTML}\n\n## Stones\n\nThey are heavy.\n"


def test_a_perfect_reading_scores_one_in_everything() -> None:
    assert set(markdown_scores(PAGE, PAGE).values()) == {1.0}


def test_what_the_truth_does_not_have_is_not_scored() -> None:
    scores = markdown_scores("The river turns the wheel.", f"# The river turns the wheel.\n{PIPES}")
    assert scores["teds"] is None
    assert scores["mhs"] is None
    assert scores["overall"] == scores["nid"]


def test_nothing_read_scores_nothing() -> None:
    assert markdown_scores(PAGE, "") == {
        "overall": 0.0,
        "nid": 0.0,
        "nid_unstyled": 0.0,
        "teds": 0.0,
        "teds_s": 0.0,
        "mhs": 0.0,
    }


def test_white_space_does_not_count() -> None:
    assert nid("The river\nturns  the wheel.", "The river turns the wheel.") == 1.0


def test_text_in_another_order_costs() -> None:
    assert nid("one two", "two one") == pytest.approx(6 / 14)


def test_stars_of_emphasis_cost_unless_they_are_taken_off() -> None:
    assert nid("a bold word", "a **bold** word") == pytest.approx(22 / 26)
    assert nid_unstyled("a bold word", "a **bold** word") == 1.0
    assert nid_unstyled("a word", "a ***word***") == 1.0


def test_a_pipe_table_becomes_html_and_the_lines_around_it_stay() -> None:
    assert with_html_tables(f"before\n{PIPES}\nafter") == (
        "before\n<table><tr><th>Mill</th><th>Stones</th></tr><tr><td>Ripley</td><td>4</td></tr>"
        "<tr><td>Selby</td><td>2</td></tr></table>\n\nafter"
    )


def test_the_first_row_takes_the_place_of_an_empty_header() -> None:
    assert (
        with_html_tables("| | |\n|---|---|\n| a | b |\n") == "<table><tr><th>a</th><th>b</th></tr></table>\n"
    )


def test_a_row_that_is_too_short_or_too_long_is_made_to_fit() -> None:
    table = with_html_tables("| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |\n")
    assert table.count("<tr>") == 3
    assert table.count("<td>") == 4
    assert "3" not in table


def test_a_line_with_a_pipe_is_no_table() -> None:
    assert with_html_tables("either | or\nnext line\n") == "either | or\nnext line\n"


def test_pipes_and_html_are_the_same_table() -> None:
    assert teds(HTML, PIPES) == 1.0
    assert teds_structure(HTML, PIPES) == 1.0


def test_one_wrong_cell_costs_its_letters_of_one_node() -> None:
    # A table, three rows and six cells are ten nodes; one letter of six is wrong.
    wrong = PIPES.replace("Ripley", "Riplex")
    assert teds(HTML, wrong) == pytest.approx(1 - (1 / 6) / 10)
    assert teds_structure(HTML, wrong) == 1.0


def test_a_missing_row_costs_its_nodes() -> None:
    shorter = PIPES.replace("| Selby | 2 |\n", "")
    assert teds(HTML, shorter) == pytest.approx(1 - 3 / 10)


def test_a_lost_span_costs_even_where_the_words_are_right() -> None:
    spanned = '<table><tr><td colspan="2">Mills</td></tr><tr><td>a</td><td>b</td></tr></table>'
    flat = "<table><tr><td>Mills</td><td></td></tr><tr><td>a</td><td>b</td></tr></table>"
    assert teds_structure(spanned, spanned) == 1.0
    # One cell has another span, one is too many, of seven nodes.
    assert teds_structure(spanned, flat) == pytest.approx(1 - 2 / 7)


def test_groups_of_rows_do_not_count() -> None:
    grouped = HTML.replace("<table><tr>", "<table><thead><tr>").replace(
        "</tr><tr><td>R", "</tr></thead><tr><td>R"
    )
    assert teds(HTML, grouped) == 1.0


def test_a_table_that_falls_into_two_costs() -> None:
    halves = f"{PIPES.replace('| Selby | 2 |', '')}\n| Selby | 2 |\n|---|---|\n"
    # The whole table goes and its halves come: three of eleven nodes.
    assert teds(HTML, halves) == pytest.approx(1 - 3 / 11)


def test_the_levels_of_headings_do_not_count() -> None:
    assert mhs("# A\ntext\n## B\nmore", "### A\ntext\n# B\nmore") == 1.0


def test_headings_that_are_missing_score_nothing() -> None:
    assert mhs("# Title\nSome content", "Title\nSome content") == 0.0


def test_a_missing_section_costs_its_nodes() -> None:
    # The document, two headings and two texts are five nodes.
    assert mhs("# A\none\n# B\ntwo", "# A\none") == pytest.approx(1 - 2 / 5)


def test_a_wrong_letter_costs_its_share_of_one_node() -> None:
    assert mhs("# Mills\ntext", "# Mulls\ntext") == pytest.approx(1 - (1 / 5) / 3)


def test_one_wrong_letter_of_ten_is_a_tenth() -> None:
    assert cer("abcdefghij", "abcdefghix") == pytest.approx(0.1)
    assert letters_nid("abcdefghij", "abcdefghix") == pytest.approx(0.9)


def test_an_error_rate_is_never_more_than_one() -> None:
    assert cer("a", "quite another text") == 1.0
    assert cer("", "text") is None


def test_marks_are_no_letters() -> None:
    markdown = (
        "# Title\n\n- **one**\n- [two](http://x)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n![](x.png)\n\n3 \\* 4"
    )
    assert letters(markdown) == "Title one two a b 1 2 3 * 4"


def test_the_ends_of_lines_are_no_letters_of_chinese() -> None:
    assert letters("水车\n转动 and on") == "水车转动 and on"


def test_the_same_cells_in_other_places_are_right_but_not_neighbours() -> None:
    right, turned = from_rows([["a", "b"], ["c", "d"]]), from_rows([["d", "c"], ["b", "a"]])
    assert cell_f1([right], [right]) == adjacency_f1([right], [right]) == 1.0
    assert cell_f1([right], [turned]) == 1.0
    assert adjacency_f1([right], [turned]) == 0.0


def test_a_wrong_cell_costs_precision_and_recall() -> None:
    right, wrong = from_rows([["a", "b"], ["c", "d"]]), from_rows([["a", "b"], ["c", "x"]])
    assert cell_f1([right], [wrong]) == pytest.approx(3 / 4)
    assert adjacency_f1([right], [wrong]) == pytest.approx(2 / 4)


def test_neighbours_are_found_across_empty_cells_and_spans() -> None:
    [spanned] = spots_of('<table><tr><td colspan="2">Top</td></tr><tr><td>a</td><td>b</td></tr></table>')
    assert [(spot.left, spot.right) for spot in spanned] == [(0, 1), (0, 0), (1, 1)]
    gap = from_rows([["a", "", "b"]])
    assert adjacency_f1([gap], [from_rows([["a", "b"]])]) == 1.0


def test_tables_that_a_truth_does_not_tell_of_are_left_out_if_it_tells_of_one() -> None:
    right, other = from_rows([["a", "b"]]), from_rows([["x", "y"]])
    assert concerned([right], [[right, other]]) == [right]
    assert concerned([right], [[other], [from_rows([["a", "x"]])], [right]]) == [right]
    assert cell_f1([right], [right, other]) < 1.0


def test_no_table_where_none_is_to_be_found_is_right() -> None:
    assert cell_f1([], []) == 1.0
