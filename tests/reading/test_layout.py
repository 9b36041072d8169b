"""Lines of recognised text become paragraphs, headings, lists, captions and notes."""

import random
from collections import Counter
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from pagemill.model.pages import Block, Box, Kind, Line
from pagemill.reading.layout import laid_out
from pagemill.reading.page.sheet import Stroke
from pagemill.reading.sources.recognised import recognised_sheet
from tests.reading.recognised import HEIGHT, WIDTH, column, grid, line, prose, read, texts


def characters_of(blocks: list[Block]) -> Counter[str]:
    printed = [block.marker or "" for block in blocks] + [block.text for block in blocks]
    printed += [cell.text for block in blocks for row in (block.header, *block.rows) for cell in row]
    return Counter(character for text in printed for character in text if character.isalnum())


def test_a_page_without_lines_has_no_blocks() -> None:
    assert read([]) == []
    assert read([line("  ", 50, 50)]) == []


def test_lines_that_follow_each_other_are_one_paragraph() -> None:
    blocks = read(
        column(["The river rises in the hills and", "runs down to the sea, where it", "ends."], 60, 100)
    )
    assert texts(blocks, Kind.PARAGRAPH) == [
        "The river rises in the hills and runs down to the sea, where it ends."
    ]


def test_the_order_in_which_lines_come_does_not_matter() -> None:
    lines = [*prose(60, 100, 6), *prose(60, 300, 5, word="next")]
    shuffled = random.Random(7).sample(lines, len(lines))
    assert read(shuffled) == read(lines)


def test_a_line_with_more_space_above_begins_a_paragraph() -> None:
    blocks = read([*prose(60, 100, 4), *prose(60, 100 + 4 * 13 + 12, 4)])
    assert [block.kind for block in blocks] == [Kind.PARAGRAPH, Kind.PARAGRAPH]


def test_a_first_line_that_is_set_in_begins_a_paragraph() -> None:
    first, second = prose(60, 100, 4), prose(60, 152, 4)
    second[0] = line("Later on the road went over the pass and down", 75, 152)
    assert len(read([*first, *second])) == 2


def test_a_short_last_line_ends_a_paragraph() -> None:
    blocks = read([*prose(60, 100, 4), *prose(60, 152, 4, word="other")])
    assert [block.text.split()[1] for block in blocks] == ["word", "other"]


def test_a_broken_word_is_mended_and_a_compound_keeps_its_hyphen() -> None:
    lines = [
        "The inter-",
        "national meeting of the well-",
        "known friends of Anglo-",
        "Saxon poems, Inter-City.",
    ]
    [block] = read(column(lines, 60, 100))
    assert (
        block.text == "The international meeting of the well-known friends of Anglo-Saxon poems, Inter-City."
    )


def test_a_word_that_the_page_prints_with_a_hyphen_keeps_it() -> None:
    lines = [
        "A by-product of the first kind and the second by-",
        "product of the other kind were found there.",
    ]
    [block] = read(column(lines, 60, 100))
    assert "second by-product" in block.text


def test_chinese_lines_are_joined_without_spaces() -> None:
    [block] = read(column(["我们今天在这里学习中文的", "写法和读法因为这很重要"], 60, 100))
    assert block.text == "我们今天在这里学习中文的写法和读法因为这很重要"


def test_korean_lines_are_joined_with_spaces() -> None:
    [block] = read(column(["우리는 오늘 여기에서 한국어를 배우고", "내일은 다른 것을 배웁니다"], 60, 100))
    assert block.text == "우리는 오늘 여기에서 한국어를 배우고 내일은 다른 것을 배웁니다"


def test_a_justified_line_that_was_cut_at_a_wide_gap_is_whole_again() -> None:
    lines = prose(60, 100, 5)
    lines[2:3] = [line("this half stands", 60, 126), line("apart from that half", 60 + 80 + 25, 126)]
    [block] = read(lines)
    assert "this half stands apart from that half" in block.text


def test_pieces_in_hebrew_are_put_together_from_the_right() -> None:
    [block] = read([line("שלום לכל", 300, 100, width=60), line("הקוראים", 255, 100, width=40)])
    assert block.text == "שלום לכל הקוראים"


def test_larger_text_makes_a_heading_and_the_largest_has_the_highest_rank() -> None:
    lines = [line("The Book of Rivers", 60, 60, 22), *prose(60, 110, 6)]
    lines += [line("Where They Rise", 60, 215, 15), *prose(60, 245, 6)]
    headings = [block for block in read(lines) if block.kind is Kind.HEADING]
    assert [(block.text, block.level) for block in headings] == [
        ("The Book of Rivers", 1),
        ("Where They Rise", 2),
    ]


def test_headings_of_one_kind_have_one_size_although_their_boxes_differ() -> None:
    lines = [line("Where They Rise", 60, 60, 15.2), *prose(60, 90, 6)]
    lines += [line("How They Flow", 60, 195, 14.7), *prose(60, 225, 6)]
    sizes = {block.font_size for block in read(lines) if block.kind is Kind.HEADING}
    assert len(sizes) == 1


def test_a_numbered_line_that_stands_apart_is_a_heading_in_any_font_size() -> None:
    lines = [*prose(60, 60, 6), line("2.1 Rivers of the North", 60, 165), *prose(60, 190, 6)]
    assert texts(read(lines), Kind.HEADING) == ["2.1 Rivers of the North"]


def test_a_sentence_is_no_heading() -> None:
    lines = [*prose(60, 60, 6), line("it was late when they came there.", 60, 160), *prose(60, 190, 6)]
    assert texts(read(lines), Kind.HEADING) == []


def test_bullets_make_a_list_and_deeper_ones_are_nested() -> None:
    lines = [
        line("• First we walk", 60, 100),
        line("• Then we rest", 60, 116),
        line("- by the river", 80, 132),
        line("- or in the wood", 80, 148),
        line("• At last we go home", 60, 164),
    ]
    blocks = read(lines)
    assert [block.kind for block in blocks] == [Kind.LIST_ITEM] * 5
    assert [block.level for block in blocks] == [0, 0, 1, 1, 0]
    assert blocks[2].text == "by the river"
    assert blocks[2].marker == "-"


def test_a_marker_that_was_read_apart_goes_to_its_text() -> None:
    lines = [
        line("1.", 60, 100),
        line("Open the lid", 85, 100),
        line("2.", 60, 116),
        line("Take it out", 85, 116),
    ]
    blocks = read(lines)
    assert [(block.marker, block.text, block.ordered) for block in blocks] == [
        ("1.", "Open the lid", True),
        ("2.", "Take it out", True),
    ]


def test_lines_of_a_list_item_stay_with_it() -> None:
    lines = [
        line("(a) a thing that needs more than a single line", 60, 100),
        line("of text to be told", 76, 113),
        line("(b) another thing", 60, 132),
    ]
    blocks = read(lines)
    assert [block.text for block in blocks] == [
        "a thing that needs more than a single line of text to be told",
        "another thing",
    ]


def test_a_year_at_the_start_of_a_line_is_no_marker() -> None:
    lines = column(
        ["He was born in the town in the year of our Lord", "19. That was all that they knew of it then."],
        60,
        100,
    )
    assert [block.kind for block in read(lines)] == [Kind.PARAGRAPH]


@pytest.mark.parametrize("start", ["Figure 3.", "Table 2:", "Fig. 4", "Tab. 1", "Abb. 7:", "图 2"])
def test_a_caption_is_known_by_how_it_starts(start: str) -> None:
    blocks = read([*prose(60, 60, 6), line(f"{start} The height of the water", 60, 160), *prose(60, 190, 6)])
    assert texts(blocks, Kind.CAPTION) == [f"{start} The height of the water"]


def test_small_text_with_a_sign_at_the_foot_is_a_footnote() -> None:
    note = [line("1 As told by the miller, who had it from his father.", 60, 700, 8)]
    blocks = read([*prose(60, 60, 20), *note])
    assert texts(blocks, Kind.FOOTNOTE) == ["1 As told by the miller, who had it from his father."]


def test_a_short_line_at_the_foot_parts_off_footnotes_of_any_size() -> None:
    note = [line("* As told by the miller, who had it from his father.", 60, 700)]
    blocks = read([*prose(60, 60, 20), *note], [Stroke(60, 690, 180, 690)])
    assert texts(blocks, Kind.FOOTNOTE) == ["* As told by the miller, who had it from his father."]


def test_the_lines_of_contents_stay_apart() -> None:
    lines = [
        piece
        for at, (title, page) in enumerate(
            [("The Source", "3"), ("The Mill", "17"), ("The Sea", "42"), ("Notes", "60")]
        )
        for piece in (line(title, 60, 100 + at * 18), line(page, 480, 100 + at * 18))
    ]
    assert [block.text for block in read(lines)] == ["The Source 3", "The Mill 17", "The Sea 42", "Notes 60"]


def test_a_page_number_is_a_footer() -> None:
    blocks = read([*prose(60, 60, 20), line("17", 290, 770)])
    assert (blocks[-1].kind, blocks[-1].text) == (Kind.FOOTER, "17")


def test_a_block_is_as_sure_as_its_characters_and_as_large_as_its_lines() -> None:
    lines = [
        Line("a long line of thirty letters!", Box(60, 100, 150, 12.3), 1.0),
        Line("ten of, say", Box(60, 113, 55, 12.3), 0.5),
    ]
    [block] = read(lines)
    assert block.confidence == pytest.approx((30 * 1.0 + 11 * 0.5) / 41, abs=0.001)
    assert block.box == Box(60, 100, 150, 25.3)
    assert block.font_size == pytest.approx(10, abs=1)


pieces = some.builds(
    Line,
    some.text(alphabet="abc XYZ 019 .-•()中文שלום", min_size=1, max_size=30),
    some.builds(
        Box,
        some.floats(-50, 700),
        some.floats(-50, 900),
        some.floats(0, 700),
        some.floats(0, 60),
    ),
    some.floats(0, 1),
)
strokes = some.builds(
    lambda x, y, length, upright: Stroke(x, y, x, y + length) if upright else Stroke(x, y, x + length, y),
    some.floats(-50, 700),
    some.floats(-50, 900),
    some.floats(0, 900),
    some.booleans(),
)


@settings(max_examples=150, deadline=None)
@given(some.lists(pieces, max_size=40), some.lists(strokes, max_size=12))
def test_no_character_is_lost_or_doubled(lines: list[Line], drawn: list[Stroke]) -> None:
    came = Counter(character for one in lines for character in one.text if character.isalnum())
    assert characters_of(laid_out(recognised_sheet(lines, WIDTH, HEIGHT, drawn))) == came


def test_a_full_page_takes_milliseconds() -> None:
    lines = [*prose(40, 60, 50), *prose(320, 60, 50), *grid([["Name", "12", "13"]] * 7, (40, 200, 400), 720)]
    start = process_time()
    for _ in range(5):
        read(lines)
    assert (process_time() - start) / 5 < 0.1


def test_numbers_that_count_on_make_a_list() -> None:
    texts = [
        "18. Turn the wheel until it stops.",
        "19. Take out the stone.",
        "20. Clean the floor of the mill.",
    ]
    steps = [line(text, 60, 250 + 40 * at) for at, text in enumerate(texts)]
    blocks = read([*prose(60, 60, 12), *steps])
    assert [block.marker for block in blocks if block.kind is Kind.LIST_ITEM] == ["18.", "19.", "20."]


def test_centred_lines_of_one_heading_are_put_together() -> None:
    title = [line("WHAT EVERY HARBOUR", 200, 100, size=24), line("MASTER KNOWS", 250, 130, size=24)]
    blocks = read([*title, *prose(60, 200, 12)])
    assert texts(blocks, Kind.HEADING) == ["WHAT EVERY HARBOUR MASTER KNOWS"]


def test_several_large_numbers_are_no_headings() -> None:
    steps = [line(str(at + 1), 40, 100 + 150 * at, size=80 + 5 * at) for at in range(4)]
    bodies = [piece for at in range(4) for piece in prose(160, 100 + 150 * at, 4)]
    assert texts(read([*steps, *bodies]), Kind.HEADING) == []


def test_headings_that_count_on_with_no_text_between_them_are_a_list() -> None:
    steps = ["1. Open the lid", "2. Take it out", "3. Close it again"]
    lines = [*column(steps, 60, 60, 16, 30), *prose(60, 180, 8)]
    kinds = [block.kind for block in read(lines)]
    assert kinds[:3] == [Kind.LIST_ITEM] * 3


def test_a_sentence_that_goes_on_with_a_small_letter_has_no_heading_in_it() -> None:
    lines = column(["A Note on", "the side of the page", "that tells more"], 60, 100)
    assert [block.kind for block in read(lines)] == [Kind.PARAGRAPH]
