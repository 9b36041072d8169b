"""The parts of a page are read in the order in which a reader reads them."""

from io import BytesIO
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from pagemill.model.pages import Block, Kind
from pagemill.reading.page.sheet import Stroke
from tests.reading.drawn import read as read_pdf
from tests.reading.recognised import column, grid, line, prose, read


def words_in_order(blocks: list[Block]) -> list[str]:
    """The first word that tells a part from others, in the order of the blocks."""
    seen: list[str] = []
    for block in blocks:
        for word in block.text.split():
            if word.islower() and word not in ("word", *seen[-1:]) and len(word) > 4:
                seen.append(word.strip("."))
                break
    return seen


def test_two_columns_are_read_one_after_the_other() -> None:
    lines = [*prose(320, 60, 20, 46, word="right"), *prose(40, 60, 20, 46, word="lefts")]
    assert words_in_order(read(lines)) == ["lefts", "right"]


def test_a_line_that_reaches_into_the_gutter_parts_no_columns() -> None:
    """References hang over their second lines, and a recogniser's boxes are a little loose."""
    left = [line("lefts " * 6, 70, 60 + 13 * at, width=221 + 2.5 * (at % 2)) for at in range(30)]
    edges = [(303.2 if at == 18 else 304.4) if at % 6 == 0 else 315.0 for at in range(30)]
    right = [line("right " * 7, edge, 61 + 13 * at, width=528 - edge) for at, edge in enumerate(edges)]
    assert words_in_order(read([*left, *right]))[:2] == ["lefts", "right"]
    assert "lefts" not in " ".join(block.text for block in read([*left, *right])).partition("right")[2]


def test_three_columns_are_read_from_left_to_right() -> None:
    lines = [
        *prose(400, 60, 20, 32, word="third"),
        *prose(40, 60, 20, 32, word="first"),
        *prose(220, 60, 20, 32, word="second"),
    ]
    assert words_in_order(read(lines)) == ["first", "second", "third"]


def test_a_title_over_two_columns_comes_first() -> None:
    title = line("The Long Way Down the River to the Sea", 100, 60, 20)
    lines = [*prose(40, 110, 20, 46, word="lefts"), *prose(320, 110, 20, 46, word="right"), title]
    blocks = read(lines)
    assert blocks[0].kind is Kind.HEADING
    assert words_in_order(blocks[1:]) == ["lefts", "right"]


def test_a_wide_paragraph_between_columns_parts_them() -> None:
    upper = [*prose(40, 60, 10, 46, word="first"), *prose(320, 60, 10, 46, word="second")]
    lower = [*prose(40, 300, 10, 46, word="fourth"), *prose(320, 300, 10, 46, word="fifth")]
    wide = prose(40, 220, 3, 102, word="third")
    assert words_in_order(read([*lower, *wide, *upper])) == ["first", "second", "third", "fourth", "fifth"]


def test_a_line_drawn_over_both_columns_parts_them() -> None:
    upper = [*prose(40, 60, 10, 46, word="first"), *prose(320, 60, 10, 46, word="second")]
    lower = [*prose(40, 200, 10, 46, word="third"), *prose(320, 200, 10, 46, word="fourth")]
    blocks = read([*upper, *lower], [Stroke(40, 195, 550, 195)])
    assert words_in_order(blocks) == ["first", "second", "third", "fourth"]


def test_a_narrow_column_beside_the_text_is_read_by_itself() -> None:
    narrow = column(
        ["A note on", "the side of", "the page", "that tells", "more of", "the river", "and mill"],
        460,
        66,
        9,
        12,
    )
    blocks = read([*prose(40, 60, 20, 76), *narrow])
    assert any(block.text.startswith("A note on the side of the page") for block in blocks)


def test_a_heading_in_the_margin_is_not_mixed_with_the_text() -> None:
    blocks = read([*prose(200, 60, 12, 60), line("Summary", 50, 60, 18)])
    assert any(block.text == "Summary" for block in blocks)


def test_a_running_title_in_the_margin_is_in_no_sentence(tmp_path: Path) -> None:
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    canvas.setFont("Times-Roman", 10)
    for at in range(30):
        text = "the miller hears when the stones run dry, for they turn as fast as the river runs past"
        canvas.drawString(72, 760 - 11.2 * at, text)
    canvas.setFont("Times-Roman", 13)
    canvas.drawRightString(530, 758, "Shift work")
    canvas.drawRightString(530, 744, "interventions")
    canvas.save()
    told = [block.text for block in read_pdf(tmp_path, buffer.getvalue()).blocks]
    assert [text for text in told if "interventions" in text] == ["Shift work interventions"]


def test_header_and_footer_come_first_and_last() -> None:
    lines = [
        *prose(40, 100, 20, 46, word="lefts"),
        *prose(320, 100, 20, 46, word="right"),
        line("The River", 480, 30),
        line("12", 40, 30),
        line("Printed by the Mill", 320, 770),
    ]
    blocks = read(lines)
    assert [block.text for block in blocks[:2]] == ["12", "The River"]
    assert blocks[-1].text == "Printed by the Mill"


def test_arabic_columns_are_read_from_the_right() -> None:
    left = column(["هذا هو العمود الأيسر من النص العربي هنا"] * 6, 40, 60)
    right = column(["ذلك هو العمود الأيمن من النص العربي هنا"] * 6, 320, 60)
    assert read([*left, *right])[0].text.startswith("ذلك")


def test_texts_far_apart_on_one_height_are_two_and_no_part_of_the_title_below() -> None:
    lines = [
        line("Research article", 60, 100, 16),
        line("Open Access", 420, 100, 12),
        line("How rivers find the sea", 60, 130, 22),
        *prose(60, 180, 20),
    ]
    assert [block.text for block in read(lines)[:3]] == [
        "Research article",
        "Open Access",
        "How rivers find the sea",
    ]


def test_the_labels_of_a_drawing_are_read_one_by_one() -> None:
    lines = [
        *column(["Waste from", "the mill"], 80, 100),
        *column(["Wood of", "the hills"], 300, 106),
        *column(["Others"], 450, 140),
    ]
    assert [block.text for block in read(lines)] == ["Waste from the mill", "Wood of the hills", "Others"]


def test_a_narrow_column_at_the_heights_of_the_text_is_no_table() -> None:
    narrow = [
        "in these",
        "chapters we",
        "look for",
        "better ways",
        "to find",
        "what was",
        "lost and",
        "so on",
    ]
    blocks = read([*prose(40, 60, 8, 60), *column(narrow, 400, 60)])
    assert [block.kind for block in blocks] == [Kind.PARAGRAPH, Kind.PARAGRAPH]


def test_stories_under_their_headlines_are_read_one_after_the_other() -> None:
    """The headlines of the lower stories are level; one of them is over two columns."""
    upper = [
        *prose(40, 60, 12, 24, word="first"),
        *prose(180, 60, 12, 24, word="second"),
        *prose(320, 60, 12, 24, word="third"),
    ]
    heads = [line("Ferry", 40, 240, 18), line("News of the mill and river", 180, 240, 18)]
    lower = [
        *prose(40, 280, 12, 24, word="fourth"),
        *prose(180, 280, 12, 24, word="fifth"),
        *prose(320, 280, 12, 24, word="sixth"),
    ]
    order = words_in_order(
        [block for block in read([*lower, *heads, *upper]) if block.kind is Kind.PARAGRAPH]
    )
    assert order == ["first", "second", "third", "fourth", "fifth", "sixth"]


def test_a_short_headline_over_columns_that_begin_anew_parts_them() -> None:
    upper = [*prose(40, 60, 12, 46, word="first"), *prose(320, 60, 8, 46, word="second")]
    lower = [*prose(40, 290, 12, 46, word="third"), *prose(320, 290, 12, 46, word="fourth")]
    headline = line("The Mill", 40, 240, 18)
    blocks = read([*lower, headline, *upper])
    assert words_in_order(blocks) == ["first", "second", "third", "fourth"]
    assert [block.text for block in blocks].index("The Mill") == 2


def test_a_table_in_one_column_does_not_run_the_columns_together() -> None:
    left = [*prose(40, 60, 10, 46, word="lefts"), *prose(40, 330, 6, 46, word="lefts")]
    table = grid([[f"row {at}", f"{at}.5", f"{at}0"] for at in range(8)], [40, 140, 220], 200)
    blocks = read([*left, *table, *prose(320, 60, 28, 46, word="right")])
    printed = " ".join(block.text for block in blocks)
    assert "lefts" not in printed.partition("right")[2]


def test_a_line_that_is_set_wide_to_fill_its_column_stays_one_line() -> None:
    lines = prose(40, 60, 8, 46, word="lefts")
    # Two spaces of 40 points, between the edges of the other lines.
    wide = [
        line("operates", 40, 112, width=50),
        line("robust", 130, 112, width=50),
        line("and", 220, 112, width=50),
    ]
    kept = [one for one in lines if one.box.y != 112]
    assert "operates robust and" in " ".join(block.text for block in read([*kept, *wide]))
