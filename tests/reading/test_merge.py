"""Words of pictures come into a page once, and where they belong."""

from pagemill.model.pages import Block, Box, Kind, Line
from pagemill.reading.merge import apart, is_repeated, news, with_figures, with_words

PICTURE = Box(100, 200, 300, 150)


def paragraph(text: str, top: float, left: float = 72) -> Block:
    return Block("", Kind.PARAGRAPH, Box(left, top, 450, 14), text)


def figure(box: Box = PICTURE) -> Block:
    return Block("", Kind.FIGURE, box)


def line(text: str, top: float = 250) -> Line:
    return Line(text, Box(120, top, 200, 12))


def test_a_line_that_the_text_layer_has_there_is_no_news() -> None:
    printed = [paragraph("Exports of copper and timber by year", 248)]
    assert news([line("Exports of copper and tirnber"), line("Imports", 300)], printed) == [
        line("Imports", 300)
    ]


def test_the_same_words_elsewhere_on_the_page_don_t_count() -> None:
    assert not is_repeated(line("Exports of copper"), [paragraph("Exports of copper", 700)])


def test_words_that_the_text_layer_writes_together_are_the_same() -> None:
    assert is_repeated(line("Annual report"), [paragraph("Annualreport 2020", 250)])


def test_a_line_without_letters_is_no_news() -> None:
    assert news([line("— · —")], []) == []


def test_the_words_of_a_table_count_as_printed() -> None:
    from tests.reading.made import rows

    table = Block("", Kind.TABLE, Box(100, 200, 300, 100), rows=rows(("River", "Length"), ("Elbe", "1094")))
    assert is_repeated(line("Elbe 1094"), [table])


def test_words_follow_the_figure_that_they_were_found_in() -> None:
    blocks = [paragraph("Before", 100), figure(), paragraph("After", 400)]
    words = [paragraph("Inside", 250, left=110)]
    assert [block.text or block.kind for block in with_words(blocks, PICTURE, words)] == [
        "Before",
        Kind.FIGURE,
        "Inside",
        "After",
    ]


def test_words_of_a_picture_without_a_figure_stand_between_its_neighbours() -> None:
    blocks = [paragraph("Before", 100), paragraph("After", 400)]
    words = with_words(blocks, PICTURE, [paragraph("Inside", 250)])
    assert [block.text for block in words] == ["Before", "Inside", "After"]


def test_words_of_the_last_picture_end_the_page() -> None:
    assert with_words([paragraph("Before", 100)], PICTURE, [paragraph("Inside", 250)])[-1].text == "Inside"


def test_figures_are_put_back_where_they_stand() -> None:
    blocks = with_figures([paragraph("Before", 100), paragraph("After", 400)], [figure()])
    assert [block.kind for block in blocks] == [Kind.PARAGRAPH, Kind.FIGURE, Kind.PARAGRAPH]


def test_pictures_that_lie_over_each_other_are_read_once() -> None:
    far = Box(100, 600, 50, 50)
    assert apart([PICTURE, far, Box(350, 300, 100, 100)]) == [far, Box(100, 200, 350, 200)]
