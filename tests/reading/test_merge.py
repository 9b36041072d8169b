"""Words of pictures come into a page once, and where they belong."""

from pagemill.model.pages import ALT_TEXT, LABELS, Block, Box, Kind, Line
from pagemill.reading.layout.figures import (
    with_alternative_texts,
    with_figures,
    with_figures_and_labels,
    with_words,
)
from pagemill.reading.page.geometry import apart
from pagemill.reading.page.sheet import Hint
from pagemill.reading.recognition.repeated import is_repeated, news

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


def labels(text: str, box: Box) -> Block:
    return Block("", Kind.FIGURE, box, text, role=LABELS, confidence=0.9)


def test_labels_of_one_drawing_are_one_figure() -> None:
    above, below = labels("400\n300", Box(100, 200, 20, 60)), labels("2016\n2017", Box(120, 300, 200, 12))
    (figure,) = with_figures_and_labels([above, below], [])
    assert (figure.text, figure.kind) == ("400\n300\n2016\n2017", Kind.FIGURE)
    assert figure.box == Box(100, 200, 220, 112)


def test_a_text_between_labels_parts_two_drawings() -> None:
    blocks = [
        labels("A\nB", Box(100, 100, 90, 90)),
        paragraph("Words.", 250),
        labels("C", Box(100, 300, 90, 90)),
    ]
    assert [block.text for block in with_figures_and_labels(blocks, [])] == ["A\nB", "Words.", "C"]


def test_a_label_without_a_drawing_is_a_text() -> None:
    (block,) = with_figures_and_labels([labels("21", Box(100, 100, 12, 12))], [])
    assert (block.kind, block.text, block.role) == (Kind.PARAGRAPH, "21", None)


def test_labels_in_a_picture_belong_to_it() -> None:
    (block,) = with_figures_and_labels([labels("21 %", Box(150, 220, 20, 12))], [figure()])
    assert (block.box, block.text, block.role) == (PICTURE, "21 %", LABELS)


def test_a_picture_has_its_alternative_text_and_a_drawing_with_a_tag_is_a_figure() -> None:
    drawing = Box(100, 500, 300, 100)
    tags = [Hint("figure", Box(102, 202, 290, 140), None, "A map"), Hint("figure", drawing, None, "A plan")]
    first, second = with_alternative_texts([figure()], tags)
    assert (first.box, first.text, first.role) == (PICTURE, "A map", ALT_TEXT)
    assert (second.box, second.text) == (drawing, "A plan")
