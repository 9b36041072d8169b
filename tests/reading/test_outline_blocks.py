"""The steps of the outline, on blocks made by hand."""

import re
from dataclasses import replace

import pytest

from pagemill.model.pages import Block, Box, Kind, Span
from pagemill.reading.structure.body import Body, body_of, unbolded
from pagemill.reading.structure.bylines import without_bylines
from pagemill.reading.structure.columns import in_columns
from pagemill.reading.structure.dropcaps import with_drop_caps
from pagemill.reading.structure.flow import flowing
from pagemill.reading.structure.lines import Large
from pagemill.reading.structure.lists import with_depths
from pagemill.reading.structure.notes import is_caption, with_notes
from pagemill.reading.structure.order import in_reading_order
from pagemill.reading.structure.pieces import part_of, reworded, together
from pagemill.reading.structure.rules import gridlines, without_stray_rules
from pagemill.reading.structure.strays import without_strays

LONG = "This is a paragraph that is long enough to be taken for one of the columns of a page. " * 2


def block(text: str, x: float, y: float, width: float = 200, height: float = 12, size: float = 10) -> Block:
    """A paragraph at some place."""
    return Block("", Kind.PARAGRAPH, Box(x, y, width, height), text, font_size=size)


def texts(blocks: list[Block]) -> list[str]:
    """The texts of blocks."""
    return [one.text for one in blocks]


def test_what_stands_above_in_the_same_column_is_read_first() -> None:
    blocks = [
        block("title", 50, 50, 400),
        block("left", 50, 120),
        block("right", 300, 120),
        block("names", 50, 80, 400),
    ]
    assert texts(in_reading_order(blocks)) == ["title", "names", "left", "right"]


def test_columns_that_were_mixed_are_each_read_to_the_end() -> None:
    blocks = [
        block("Title", 50, 40, 480),
        block(LONG + "1", 50, 80, height=100),
        block(LONG + "3", 320, 80, height=100),
        block("label", 60, 200, 40),
        block(LONG + "2", 50, 240, height=100),
        block(LONG + "4", 320, 240, height=100),
    ]
    assert [text[-1] for text in texts(in_columns(blocks, 595))] == ["e", "1", "l", "2", "3", "4"]


def test_blocks_in_one_column_stay_as_they_are() -> None:
    blocks = [block(LONG, 50, 80 * place, 480, 70) for place in range(1, 6)]
    assert in_columns(blocks, 595) == blocks


def test_a_word_broken_between_two_blocks_is_mended() -> None:
    upper, lower = block("a deep architec-", 50, 100), block("ture of stone.", 50, 112)
    assert texts(flowing([upper, lower])) == ["a deep architecture of stone."]


def test_a_hyphen_before_a_capital_is_kept() -> None:
    assert (
        together(block("ten Billion-", 50, 100), block("Parameter", 50, 112)).text == "ten Billion-Parameter"
    )


@pytest.mark.parametrize(
    "lower",
    [
        block("Another sentence.", 50, 112),
        block("far below.", 50, 180),
        block("in larger type.", 50, 112, size=14),
        block("in another column", 400, 112),
    ],
)
def test_a_block_that_begins_anew_is_not_joined(lower: Block) -> None:
    assert len(flowing([block("a text that stops", 50, 100), lower])) == 2


def test_an_entry_of_a_list_goes_on_in_the_next_line() -> None:
    entry = replace(block("what the sources say about", 60, 100), kind=Kind.LIST_ITEM, marker="•", level=0)
    assert texts(flowing([entry, block("the level of research.", 70, 112)])) == [
        "what the sources say about the level of research."
    ]


def test_a_last_line_in_bold_belongs_to_its_heading() -> None:
    title = replace(block("The Survey of the Northern District and", 50, 50), kind=Kind.HEADING, level=2)
    [whole] = flowing([title, replace(block("of its farms", 50, 62), bold=True, italic=True)])
    assert (whole.kind, whole.text) == (Kind.HEADING, f"{title.text} of its farms")
    assert not whole.spans


def entry(text: str, width: float = 480) -> Block:
    """A numbered entry that is said to be bold as far as its first line goes."""
    span = Span(0, len(text), bold=True)
    item = replace(block(text, 50, 100, width), kind=Kind.LIST_ITEM, marker="3.", ordered=True)
    return replace(item, spans=(span,))


def test_an_entry_goes_on_with_a_capital_if_it_fills_its_line_and_only_its_title_is_bold() -> None:
    upper, lower = entry("TERM. It starts when the"), block("COUNCIL has met (e.g. in May).", 70, 112, 460)
    [whole] = flowing([upper, lower])
    assert whole.text == "TERM. It starts when the COUNCIL has met (e.g. in May)."
    assert whole.spans == (Span(0, 5, bold=True),)


@pytest.mark.parametrize(
    "upper", [entry("TERM. It starts", width=200), entry("TERM. It starts when the council has met.")]
)
def test_an_entry_that_ends_is_not_joined(upper: Block) -> None:
    assert len(flowing([upper, block("COUNCIL members are paid.", 70, 112, 460)])) == 2


@pytest.mark.parametrize(
    ("letter", "rest", "whole"),
    [
        ("T", "his valley", "This valley"),
        ("I", "ndia suffers", "India suffers"),
        ("A", "fter the war", "After the war"),
        ("A", "man walked", "A man walked"),
        ("“W", "e came", "“We came"),
        ("This", "report says", "This report says"),
    ],
)
def test_a_large_first_letter_is_put_before_its_text(letter: str, rest: str, whole: str) -> None:
    blocks = [block(letter, 50, 90, 30, 40, size=40), block(rest, 50, 100, 300, 90)]
    assert texts(with_drop_caps(blocks, 10, ())) == [whole]


def test_depths_of_a_list_follow_its_indents() -> None:
    steps = [60, 80, 80, 100, 60, 61]
    entries = [
        replace(block("entry", x, 100 + 12 * at), kind=Kind.LIST_ITEM, level=3) for at, x in enumerate(steps)
    ]
    assert [one.level for one in with_depths(entries)] == [0, 1, 1, 2, 0, 0]


def test_lines_drawn_again_and_again_are_a_grid() -> None:
    rules = [Block("", Kind.RULE, Box(100, y, 300, 1)) for y in (200, 250, 300)]
    single = Block("", Kind.RULE, Box(60, 400, 450, 1))
    header = Block("", Kind.RULE, Box(60, 50, 450, 1))
    blocks = [header, *rules, single]
    assert without_stray_rules(blocks, gridlines(blocks), 595, 842) == [single]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Figure 1: A map", True),
        ("Table 2. Crops", True),
        ("Abb. 3 Das Tal", True),
        ("TABLE 28: BREAKDOWN", True),
        ("Figure 4-9. Prices", True),
        ("Table 2 shows the crops of the valley.", False),
        ("Table of contents", False),
        ("Map of the valley", False),
    ],
)
def test_captions_are_known_by_their_beginning(text: str, expected: bool) -> None:
    assert is_caption(text) is expected


def test_a_small_note_above_more_text_is_no_footnote() -> None:
    blocks = [block("2 mm of rain fell", 50, 500, size=8), block(LONG, 50, 600)]
    assert [one.kind for one in with_notes(blocks, 10, 842)] == [Kind.PARAGRAPH, Kind.PARAGRAPH]


def test_names_in_a_row_are_no_heading() -> None:
    def heading(text: str, size: float, y: float) -> Block:
        return replace(block(text, 50, y, size=size), kind=Kind.HEADING, level=1)

    blocks = [heading("On Crops", 20, 50), heading("Ada Stone∗, Ben van Field, Cy Hill†", 12, 80)]
    assert [one.kind for one in without_bylines(blocks)] == [Kind.HEADING, Kind.PARAGRAPH]


def test_the_body_is_what_most_letters_are_set_in() -> None:
    blocks = [block("Small but many words are set in this.", 50, 50), block("BIG", 50, 90, size=30)]
    assert body_of(blocks) == Body(10, bold_stands_out=True)


def bold_page(heading: str, text: str) -> list[Block]:
    """A bold line that the engine took for a heading, and a bold body below it."""
    line = replace(block(heading, 50, 50), kind=Kind.HEADING, level=2)
    return [line, replace(block(f"{text} {LONG * 4}", 50, 62), bold=True, spans=(Span(0, 3, italic=True),))]


def test_a_page_set_in_bold_has_no_emphasis_and_no_headings_that_break_off() -> None:
    first, body = unbolded(bold_page("The survey of the valley was made in", "spring and went well."))
    assert (first.kind, body.bold, body.spans) == (Kind.PARAGRAPH, False, (Span(0, 3, italic=True),))


@pytest.mark.parametrize(
    ("heading", "text"), [("The Survey", "It was made in spring."), ("Made in spring:", "the survey")]
)
def test_a_heading_that_ends_stays_on_a_page_set_in_bold(heading: str, text: str) -> None:
    assert unbolded(bold_page(heading, text))[0].kind is Kind.HEADING


def test_a_few_bold_words_are_no_body() -> None:
    blocks = [replace(block("Closed on Mondays", 50, 50), bold=True)]
    assert unbolded(blocks) == blocks


def test_emphasis_stays_on_its_words_when_a_text_is_cut_and_reworded() -> None:
    whole = replace(block("one . . . . two three", 50, 50), spans=(Span(12, 15, bold=True),))
    short = reworded(whole, re.compile(r"(?: \.)+ "), " ")
    assert (short.text, short.spans) == ("one two three", (Span(4, 7, bold=True),))
    last = part_of(short, 4, 13, None)
    assert (last.text, last.spans) == ("two three", (Span(0, 3, bold=True),))


def test_two_styles_put_together_keep_their_own() -> None:
    bold = replace(block("Note:", 50, 50), bold=True)
    whole = together(bold, block("read this", 50, 62))
    assert (whole.bold, whole.spans) == (False, (Span(0, 5, bold=True),))


def test_emphasis_that_goes_on_in_the_next_line_is_one() -> None:
    upper = replace(block("see the old", 50, 50), spans=(Span(8, 11, italic=True),))
    lower = replace(block("mill there", 50, 62), spans=(Span(0, 4, italic=True),))
    assert together(upper, lower).spans == (Span(8, 16, italic=True),)


def test_a_large_word_that_got_into_a_text_goes_back_to_its_heading() -> None:
    heading = replace(block("Executive", 50, 80, 150, 40, size=34), kind=Kind.HEADING, level=1)
    text = block("The valley suffers from old Summary habits that are in its way.", 50, 90, 480, 200)
    blocks = without_strays([heading, text], [Large("Summary", Box(50, 122, 140, 40), 34)])
    assert texts(blocks) == ["Executive Summary", "The valley suffers from old habits that are in its way."]
