"""What models write in forms of their own: grounding tags, front matter, and circles."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagemill.model.pages import Box, Kind
from pagemill.reading.contract import assert_on_page
from pagemill.reading.provider import Refusal
from pagemill.reading.remote.answers import ModelReply, answer_of, confidence_of
from pagemill.reading.remote.front_matter import picture_box, without_front
from pagemill.reading.remote.grounding import box_in, grounded_blocks
from pagemill.reading.remote.loops import without_loop
from tests.reading.remote_made import SQUARE, texts

TAGGED = """<|ref|>title<|/ref|><|det|>[[100, 50, 900, 90]]<|/det|>
# Mills

<|ref|>sub_title<|/ref|><|det|>[[100, 100, 300, 120]]<|/det|>
Water

<|ref|>text<|/ref|><|det|>[[100, 130, 900, 200]]<|/det|>
- one
- two

<|ref|>image<|/ref|><|det|>[[100, 210, 500, 400]]<|/det|>
<|ref|>image_caption<|/ref|><|det|>[[100, 410, 500, 430]]<|/det|>
<center>Figure 1: A **mill** </center>

<|ref|>equation<|/ref|><|det|>[[100, 440, 500, 460]]<|/det|>
\\[v = \\sqrt{2gh} \\quad (1)\\]

<|ref|>table<|/ref|><|det|>[[100, 470, 900, 600]]<|/det|>
<table><tr><td>a</td><td>b</td></tr></table>

<|ref|>table_footnote<|/ref|><|det|>[[100, 610, 900, 620]]<|/det|>
Rounded.

<|ref|>page_number<|/ref|><|det|>[[490, 950, 510, 970]]<|/det|>
7
"""


SCRAPS = (
    "# ",
    "\n",
    "\n\n",
    "word ",
    "**",
    "*",
    "_",
    "$",
    "$$",
    "\\[",
    "\\]",
    "\\(",
    "\\)",
    "<table>",
    "</table>",
    "<tr>",
    "<td>",
    "<td rowspan=3 colspan=2>",
    "<br>",
    "| a | b |\n",
    "|---|---|\n",
    "- ",
    "  - ",
    "1. ",
    "> ",
    "```",
    "```html\n",
    "<!--",
    "-->",
    "![a](b.png)",
    "[x](http://y)",
    "<|ref|>",
    "<|/ref|>",
    "<|det|>",
    "<|/det|>",
    "[[1,2,3,4]]",
    "title",
    "---\n",
    "rotation_correction: 90\n",
    "<h1>",
    "</h1>",
    "<li>",
    "<div>",
    "<img alt='b'>",
    "&amp;",
    "\x00",
    "\ud800",
    "中",
    "<b>",
)


def tag(label: str, corners: str) -> str:
    """A pair of grounding tags."""
    return f"<|ref|>{label}<|/ref|><|det|>{corners}<|/det|>"


def test_grounding_tags_say_what_each_block_is() -> None:
    assert texts(grounded_blocks(TAGGED, SQUARE)) == [
        ("heading", "Mills"),
        ("heading", "Water"),
        ("list_item", "one"),
        ("list_item", "two"),
        ("figure", ""),
        ("caption", "Figure 1: A mill"),
        ("formula", "v = \\sqrt{2gh} \\quad (1)"),
        ("table", ""),
        ("footnote", "Rounded."),
        ("paragraph", "7"),
    ]


def test_grounding_tags_say_where_each_block_stands() -> None:
    blocks = grounded_blocks(TAGGED, SQUARE)
    assert blocks[0].box == Box(50.05, 25.03, 400.4, 20.02)
    assert blocks[2].box == blocks[3].box
    assert [block.level for block in blocks[:2]] == [1, 2]
    assert all(block.box for block in blocks)


@pytest.mark.parametrize(
    ("corners", "box"),
    [
        ("[[0, 0, 999, 999]]", Box(0, 0, 500, 500)),
        ("[0,0,999,999]", Box(0, 0, 500, 500)),
        ("[[[0, 0, 999, 999]]]", Box(0, 0, 500, 500)),
        ("[[0, 0, 333, 333], [333, 333, 999, 999]]", Box(0, 0, 500, 500)),
        ("[[0, 0, 5000, 999]]", Box(0, 0, 500, 500)),
        ("[[500, 10, 500, 20]]", None),
        ("[[500, 10, 400, 20]]", None),
        ("[[1, 2, 3]]", None),
        ("", None),
    ],
)
def test_boxes_are_in_points_and_stay_on_the_page(corners: str, box: Box | None) -> None:
    assert box_in(corners, SQUARE) == box


def test_words_in_place_of_a_label_are_text() -> None:
    text = tag("Water mill", "[[0, 0, 500, 100]]") + "\n" + tag("1742", "[[0, 100, 500, 200]]")
    assert texts(grounded_blocks(text, SQUARE)) == [("paragraph", "Water mill"), ("paragraph", "1742")]


def test_words_before_the_first_tag_are_kept() -> None:
    blocks = grounded_blocks("Loose words\n" + tag("text", "[[0, 0, 9, 9]]") + "More", SQUARE)
    assert [(block.text, block.box is None) for block in blocks] == [("Loose words", True), ("More", False)]


@pytest.mark.parametrize("rest", ["<|ref|>tex", "<|ref|>text<|/ref|>", "<|ref|>text<|/ref|><|det|>[[12, 3"])
def test_a_tag_that_was_cut_off_leaves_no_trace(rest: str) -> None:
    [block] = answer_of(
        ModelReply(tag("text", "[[0, 0, 9, 9]]") + "\nWords\n\n" + rest, stopped=True), SQUARE
    ).blocks
    assert block.text == "Words"


def test_blocks_that_repeat_in_ever_new_places_are_a_circle() -> None:
    circle = "\n".join(
        tag("text", f"[[0, {at}, 99, {at + 5}]]") + "\nAll rights reserved." for at in range(0, 900, 10)
    )
    answer = answer_of(ModelReply(tag("title", "[[0, 0, 9, 9]]") + "\nMills\n\n" + circle), SQUARE)
    assert [block.text for block in answer.blocks] == ["Mills", "All rights reserved."]
    assert answer.warnings == ("remote_answer_cut",)


def test_front_matter_is_taken_off() -> None:
    front = without_front(
        "---\nprimary_language: en\nrotation_correction: 270\nis_table: True\n---\n\nWords\n\n---\n\nmore"
    )
    assert front
    assert (front.text, front.turned) == ("Words\n\n---\n\nmore", 270)


def test_rules_are_no_front_matter() -> None:
    assert without_front("---\nSome: words\n---\nmore") is None
    assert without_front("Words") is None


def test_the_older_form_in_json_is_understood() -> None:
    answer = answer_of(
        ModelReply('{"primary_language": "en", "rotation_correction": 0, "natural_text": "Water\\n\\nmill"}'),
        SQUARE,
    )
    assert texts(answer.blocks) == [("paragraph", "Water"), ("paragraph", "mill")]


@pytest.mark.parametrize(
    "text", ['{"rotation_correction": 0, "natural_text": null}', "---\nrotation_correction: 0\n---\n"]
)
def test_a_page_of_which_only_the_front_is_there_is_blank(text: str) -> None:
    answer = answer_of(ModelReply(text), SQUARE)
    assert (answer.blocks, answer.warnings) == ((), ("no_text",))


def test_a_figure_that_is_named_after_its_place_has_a_box() -> None:
    assert picture_box("page_100_200_300_400.png", SQUARE) == Box(50, 100, 150, 200)
    assert picture_box("page_900_200_300_400.png", SQUARE) is None
    assert picture_box("figure.png", SQUARE) is None
    [figure] = answer_of(ModelReply("![A mill](page_0_0_1000_500.png)"), SQUARE).blocks
    assert (figure.kind, figure.box) == (Kind.FIGURE, Box(0, 0, 500, 250))


def test_thoughts_are_not_part_of_the_page() -> None:
    assert texts(answer_of(ModelReply("<think>Let me see.</think>\nWords<|im_end|>"), SQUARE).blocks) == [
        ("paragraph", "Words")
    ]


@pytest.mark.parametrize(
    "circle",
    [
        "and so on ",
        "The wheel turns.\n",
        "The wheel turns.\n\n",
        "<tr><td>wheel</td><td>turns</td></tr>",
        "水车转",
        "One line of some length.\nAnother line, and then both of them again.\n",
    ],
)
def test_a_circle_is_left_after_one_turn(circle: str) -> None:
    text = "It began well, with different words.\n\n" + circle * (4000 // len(circle)) + circle[:2]
    left = without_loop(text)
    assert left.startswith("It began well, with different words.\n\n")
    assert len(left) <= 40 + 2 * len(circle)


def test_a_circle_that_the_model_found_out_of_is_taken_out() -> None:
    text = "Before\n" + "The wheel turns again.\n" * 30 + "After all that, the end."
    assert without_loop(text) == "Before\nThe wheel turns again.\nAfter all that, the end."


@pytest.mark.parametrize(
    "text",
    [
        "<table>" + "<tr><td></td><td></td><td></td></tr>" * 40 + "</table>",
        "| n | 0 | 0 |\n" * 30,
        "Contents " + "." * 500,
        "_" * 900,
        "<table>" + "<tr><td>0</td><td>0</td><td>0</td></tr>" * 30 + "</table>",
        "yes\n" * 40,
        "",
    ],
)
def test_what_repeats_on_many_a_page_is_no_circle(text: str) -> None:
    assert without_loop(text) == text


@given(st.lists(st.sampled_from(SCRAPS), max_size=40).map("".join))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_whatever_a_model_writes_gives_sound_blocks_or_a_refusal(text: str) -> None:
    try:
        answer = answer_of(ModelReply(text), SQUARE)
    except Refusal:
        return
    assert_on_page(answer.blocks, SQUARE.width, SQUARE.height)
    for block in answer.blocks:
        assert block.text.encode()[:0] == b""
        assert all(0 <= span.start < span.end <= len(block.text) for span in block.spans)


def test_confidence_without_probabilities_is_the_usual_one() -> None:
    assert confidence_of([]) == confidence_of([float("nan"), float("-inf")]) == 0.9
    assert confidence_of([0.0, 5.0]) == 1.0
