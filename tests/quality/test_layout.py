"""What people say of lines is compared with what an answer made of them."""

import pytest

from pagemill.model.pages import Block, Box, Kind, Page
from quality.metrics.calibration import calibration_error, page_outcomes
from quality.metrics.layout import (
    Tally,
    TrueLine,
    answer_blocks,
    layout_tallies,
    page_blocks,
    word_tallies,
)

LINES = (
    TrueLine("Journal of Harbours", "header", 0),
    TrueLine("Results of the survey", "heading", 1),
    TrueLine("The ferry carries the letters to", "text", 2),
    TrueLine("the island every morning.", "text", 2),
    TrueLine("In winter it stays in the harbour.", "text", 3),
    TrueLine("Average income", "table", 4),
)
RIGHT = """## Results of the survey

The ferry carries the letters to the island every morning.

In winter it stays in the harbour.

| Average income |
|---|
"""


def test_a_perfect_answer_has_perfect_figures() -> None:
    tallies = layout_tallies(LINES, answer_blocks(RIGHT))
    for name in ("heading_f1", "running_f1", "table_f1", "order", "breaks_f1"):
        assert tallies[name].f1 == 1.0, name
    assert tallies["prose_in_tables"].f1 == 0.0


def test_a_missed_heading_and_a_kept_header_count() -> None:
    tallies = layout_tallies(LINES, answer_blocks("Journal of Harbours\n\n" + RIGHT.replace("## ", "")))
    assert tallies["heading_f1"] == Tally(0, 0, 1)
    assert tallies["running_f1"] == Tally(0, 0, 1)


def test_titles_of_tables_labelled_as_headings_are_no_sections() -> None:
    lines = [*LINES, TrueLine("Table 2: Income of the ferry", "heading", 99)]
    tallies = layout_tallies(lines, answer_blocks(RIGHT + "\nTable 2: Income of the ferry\n"))
    assert tallies["heading_f1"] == Tally(1, 1, 2)
    assert tallies["section_f1"] == Tally(1, 1, 1)


def test_paragraphs_that_run_together_lose_a_break() -> None:
    tallies = layout_tallies(LINES, answer_blocks(RIGHT.replace("morning.\n\nIn", "morning. In")))
    assert tallies["breaks_f1"] == Tally(1, 1, 2)
    assert tallies["order"].f1 == 1.0


def test_lines_in_another_order_are_no_neighbours() -> None:
    swapped = "## Results of the survey\n\nthe island every morning. The ferry carries the letters to\n\n"
    swapped += "In winter it stays in the harbour."
    assert layout_tallies(LINES, answer_blocks(swapped))["order"] == Tally(0, 3, 3)


def test_prose_in_a_table_counts_against_an_answer() -> None:
    table = "| The ferry carries the letters to | the island every morning. |\n|---|---|\n"
    assert layout_tallies(LINES, answer_blocks(table))["prose_in_tables"] == Tally(2, 3, 3)


def test_lost_and_doubled_words_are_counted() -> None:
    tallies, lost = word_tallies(["ferry", "harbour", "income"], "The ferry, the harbour, the harbour")
    assert tallies["words_kept"] == Tally(2, 3, 3)
    assert tallies["doubled"] == Tally(1, 3, 3)
    assert lost == ["income"]


def test_running_lines_and_notes_are_told_by_the_kinds_of_blocks() -> None:
    lines = (
        TrueLine("Journal of Harbours", "header", 0),
        TrueLine("The ferry carries the letters", "text", 1),
        TrueLine("2 See the timetable", "footnote", 2),
        TrueLine("Set in Cambridge", "footer", 3),
    )
    kinds = (Kind.HEADER, Kind.PARAGRAPH, Kind.FOOTNOTE)
    blocks = tuple(Block("", kind, text=line.text) for kind, line in zip(kinds, lines, strict=False))
    tallies = layout_tallies(lines, page_blocks(Page(1, 600, 800, "liteparse", blocks)))
    assert tallies["running_f1"] == Tally(2, 2, 2)
    assert tallies["footnote_f1"] == Tally(1, 1, 1)


def test_a_line_that_is_not_found_is_not_running_where_blocks_say_which_are() -> None:
    lines = (
        TrueLine("Journal of Harbours", "header", 0),
        TrueLine("Ferries of Figure 2 the islands", "heading", 1, Box(50, 600, 200, 9)),
    )
    blocks = (
        Block("", Kind.HEADER, text=lines[0].text, box=Box(50, 20, 200, 9)),
        Block("", Kind.HEADING, text="Figure 2", box=Box(50, 580, 40, 9)),
    )
    tallies = layout_tallies(lines, page_blocks(Page(1, 600, 800, "liteparse", blocks)))
    assert tallies["running_f1"] == Tally(1, 1, 1)


NUMBERED = (
    TrueLine("The ferry carries the letters", "text", 1, Box(50, 100, 200, 9)),
    TrueLine("here.", "text", 1, Box(50, 110, 30, 9)),
    TrueLine("12", "page_number", 2, Box(300, 780, 10, 9)),
)


@pytest.mark.parametrize(
    ("kinds", "tally"),
    [
        ((Kind.PARAGRAPH, Kind.FOOTER), Tally(1, 1, 1)),
        ((Kind.PARAGRAPH, Kind.PARAGRAPH), Tally(0, 0, 1)),
        ((Kind.FOOTER, Kind.FOOTER), Tally(1, 3, 1)),
    ],
)
def test_numbers_of_pages_are_found_by_their_place(kinds: tuple[Kind, Kind], tally: Tally) -> None:
    blocks = (
        Block("", kinds[0], text="The ferry carries the letters here.", box=Box(50, 100, 200, 19)),
        Block("", kinds[1], text="12", box=Box(300, 780, 10, 9)),
    )
    assert (
        layout_tallies(NUMBERED, page_blocks(Page(1, 600, 800, "liteparse", blocks)))["running_f1"] == tally
    )


def test_a_number_of_a_page_that_no_block_has_is_left_out() -> None:
    block = Block("", Kind.PARAGRAPH, text="The ferry carries the letters", box=Box(50, 100, 200, 9))
    tallies = layout_tallies(NUMBERED, page_blocks(Page(1, 600, 800, "liteparse", (block,))))
    assert tallies["running_f1"] == Tally(1, 1, 1)


def test_a_text_keeps_the_number_of_a_page_if_it_is_a_block_of_its_own() -> None:
    text = "The ferry carries the letters here."
    assert layout_tallies(NUMBERED, answer_blocks(text))["running_f1"] == Tally(1, 1, 1)
    assert layout_tallies(NUMBERED, answer_blocks(f"{text}\n\n12"))["running_f1"] == Tally(0, 0, 1)


def test_confidence_is_compared_with_how_often_blocks_are_right() -> None:
    lines = (
        TrueLine("The ferry carries the letters", "text", 1),
        TrueLine("to the island every morning", "text", 1),
        TrueLine("In winter it stays here", "heading", 2),
    )
    whole = Block("", Kind.PARAGRAPH, text=f"{lines[0].text} {lines[1].text}", confidence=0.95)
    wrong = Block("", Kind.PARAGRAPH, text=lines[2].text, confidence=0.85)
    found = page_outcomes(Page(1, 600, 800, "liteparse", (whole, wrong), confidence=0.9), lines)
    assert [(one.confidence, one.right) for one in found["block"]] == [(0.95, 1.0), (0.85, 0.0)]
    assert found["page"][0].right == pytest.approx(46 / 65, abs=0.02)
    assert calibration_error(found["block"]) == pytest.approx((0.05 + 0.85) / 2)


def test_a_part_of_a_paragraph_is_not_right() -> None:
    lines = (TrueLine("The ferry carries the letters", "text", 1), TrueLine("to the island", "text", 1))
    blocks = tuple(Block("", Kind.PARAGRAPH, text=line.text, confidence=0.5) for line in lines)
    found = page_outcomes(Page(1, 600, 800, "liteparse", blocks), lines)
    assert [one.right for one in found["block"]] == [0.0, 0.0]
