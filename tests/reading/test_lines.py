"""Lines of a sheet: words on one baseline, never over the gutter between columns."""

from pagemill.model.pages import Box, Line
from pagemill.reading.layout.lines import TextLine, lines_of
from pagemill.reading.page.sheet import Hint, Precision, Sheet, Stroke, Word
from pagemill.reading.sources.recognised import recognised_sheet

SIZE = 10.0


def run(
    number: int, text: str, left: float, top: float, size: float = SIZE, gap: float = 3.0, bold: bool = False
) -> list[Word]:
    """A run of words, each character half as wide as it is high."""
    words, at = [], left
    for word in text.split():
        right = at + len(word) * size / 2
        words.append(Word(word, at, top, right, top + 1.2 * size, size, top + 0.9 * size, number, bold=bold))
        at = right + gap
    return words


def texts(lines: list[TextLine]) -> list[str]:
    """What the lines say."""
    return [line.text for line in lines]


def test_runs_that_are_close_make_one_line_and_keep_their_order() -> None:
    words = run(0, "in the beginning", 50, 100) + run(1, "was the word", 129, 100)
    assert texts(lines_of(Sheet(600, 800, words=words))) == ["in the beginning was the word"]


def test_two_columns_are_two_lines_even_when_their_gutter_is_narrow() -> None:
    words = []
    for at in range(4):
        words += run(2 * at, "the left column goes on and on", 50, 100 + 12 * at)
        words += run(2 * at + 1, "the right column too", 50 + 30 * 5 + 12, 100 + 12 * at)
    assert len(lines_of(Sheet(600, 800, words=words))) == 8


def test_a_justified_line_with_wide_gaps_is_one_line() -> None:
    above = run(0, "a long line of words that runs on over every gap", 50, 100)
    loose = (
        run(1, "a", 50, 112)
        + run(2, "loose", 70, 112)
        + run(3, "line", 112, 112)
        + run(4, "of few", 150, 112)
    )
    assert texts(lines_of(Sheet(600, 800, words=above + loose)))[1] == "a loose line of few"


def test_larger_text_in_another_column_pulls_no_two_lines_into_one_row() -> None:
    large = run(0, "a lead in large letters", 50, 105, size=13.0)
    indented = run(1, "some writers go on", 262, 100)
    below = run(2, "to", 250, 111.5) + run(3, "the end", 264, 111.5)
    assert texts(lines_of(Sheet(600, 800, words=large + indented + below))) == [
        "a lead in large letters",
        "some writers go on",
        "to the end",
    ]


def test_a_drawn_line_parts_what_is_close() -> None:
    words = run(0, "left", 50, 100) + run(1, "right", 74, 100)
    assert len(lines_of(Sheet(600, 800, words=words))) == 1
    assert len(lines_of(Sheet(600, 800, words=words, strokes=[Stroke(72, 90, 72, 130)]))) == 2


def test_a_raised_number_belongs_to_its_line_and_does_not_set_its_size() -> None:
    words = run(0, "a word", 50, 100) + run(1, "12", 78.5, 98, size=6.0)
    [line] = lines_of(Sheet(600, 800, words=words))
    assert line.text == "a word12"
    assert line.size == SIZE


def test_the_number_of_a_heading_stands_with_its_words() -> None:
    words = run(0, "8", 50, 100) + run(1, "Choosing between two models", 80, 100)
    assert texts(lines_of(Sheet(600, 800, words=words))) == ["8 Choosing between two models"]
    row = run(0, "8", 50, 100) + run(1, "litres", 80, 100)
    assert texts(lines_of(Sheet(600, 800, words=row))) == ["8", "litres"]


def test_a_line_knows_what_the_engine_takes_it_for_and_how_bold_it_is() -> None:
    words = run(0, "A heading of", 50, 100, bold=True) + run(1, "two lines", 50, 112, bold=True)
    words += run(2, "and some text", 50, 140)
    hints = [
        Hint("heading", Box(50, 100, 60, 12), 2, "A heading of two lines"),
        Hint("paragraph", Box(50, 140, 80, 12)),
    ]
    lines = lines_of(Sheet(600, 800, words=words, hints=hints))
    assert [line.hint for line in lines] == [0, 0, 1]
    assert [line.bold for line in lines] == [1.0, 1.0, 0.0]


def test_recognised_lines_make_a_sheet_whose_lines_say_the_same() -> None:
    lines = [
        Line("Recognised text of one line", Box(50, 100, 200, 14), 0.9),
        Line("次の行", Box(50, 120, 60, 14), 0.8),
    ]
    sheet = recognised_sheet(lines, 600, 800)
    assert sheet.precision is Precision.RECOGNISED
    assert [word.bold for word in sheet.words[:2]] == [None, None]
    found = lines_of(sheet)
    assert texts(found) == ["Recognised text of one line", "次の行"]
    assert [round(line.confidence, 2) for line in found] == [0.9, 0.8]
