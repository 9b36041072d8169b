"""Characters are written as they are printed: quotes, dashes, emphasis, raised and lowered ones, references to notes."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pypdfium2
import pytest
import reportlab
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph

from pagemill.model.pages import Block, Box, Cell, Kind, Page, Script
from pagemill.reading.page.sheet import TypedRun, Word
from pagemill.reading.providers.liteparse import LiteParseProvider
from pagemill.reading.sources.liteparse_native import NativeText
from pagemill.reading.sources.page_characters import PageCharacters
from pagemill.reading.sources.printed import all_words_printed, with_printed_cells, words_as_printed
from tests.reading.journey import stored
from tests.reading.made import joined
from tests.timing import can_take_less_than, cpu_seconds_of

BODY = (
    "The ferry left at dawn – as it had “every day since 1953” – and carried <i>Thermopylae</i>, the cat of the "
    "harbour, to the island. Its population was 273.879<super>1</super> in that year, the captain’s log says, and water "
    "is H<sub>2</sub>O there as well as anywhere. Nobody on the island asked why the ferry had come so early, nor did "
    "anybody wonder that it stayed until the evening, when the lamps along the quay were lit by the keeper."
)
NOTE = "<super>1</super> The figure is that of the census, which counted sheep as well as people."


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    at = 760.0
    for text in (BODY, BODY.replace("<super>1</super>", ""), BODY.replace("<super>1</super>", "")):
        at = _draw(canvas, text, 11, at) - 12
    canvas.line(72, 112, 200, 112)
    _draw(canvas, NOTE, 8, 106)
    canvas.save()
    folder = tmp_path_factory.mktemp("printed")
    return next(iter(LiteParseProvider().read(stored(folder, buffer.getvalue()), (1,), None)))


def _draw(canvas: Canvas, text: str, size: float, top: float) -> float:
    paragraph = Paragraph(
        text, ParagraphStyle("", fontName="Times-Roman", fontSize=size, leading=1.25 * size)
    )
    _, height = paragraph.wrap(450, 700)
    paragraph.drawOn(canvas, 72, top - height)
    return float(top - height)


def test_quotes_and_dashes_stay_as_they_are_printed(page: Page) -> None:
    assert "dawn – as it had “every day since 1953” – and" in page.blocks[0].text
    assert "captain’s" in page.blocks[0].text


def test_emphasis_is_that_of_the_words_that_have_it(page: Page) -> None:
    block = page.blocks[0]
    emphasised = [block.text[span.start : span.end] for span in block.spans if span.italic]
    assert set(emphasised) == {"Thermopylae"}
    assert not any(span.bold for span in block.spans)


def test_raised_and_lowered_characters_are_no_part_of_numbers_and_words(page: Page) -> None:
    block = page.blocks[0]
    scripts = {block.text[span.start : span.end]: span.script for span in block.spans if span.script}
    assert scripts == {"1": Script.ABOVE, "2": Script.BELOW}


def test_a_raised_sign_refers_to_its_note(page: Page, tmp_path: Path) -> None:
    note = next(block for block in page.blocks if block.kind is Kind.FOOTNOTE)
    raised = next(span for span in page.blocks[0].spans if span.script is Script.ABOVE)
    assert raised.href == f"#{note.id}"
    joined(tmp_path, page)
    markdown = (tmp_path / "document.md").read_text()
    assert "273.879[^1] in that year" in markdown
    assert "H<sub>2</sub>O" in markdown
    assert "\n[^1]: The figure is that of the census" in markdown
    assert f'273.879<a href="#{note.id}"><sup>1</sup></a>' in (tmp_path / "document.html").read_text()


def test_notes_of_one_sign_on_two_pages_have_labels_of_their_own(page: Page, tmp_path: Path) -> None:
    def renamed(text: str | None) -> str | None:
        return text and text.replace("p1-", "p2-")

    blocks = tuple(
        replace(
            block,
            id=str(renamed(block.id)),
            spans=tuple(replace(span, href=renamed(span.href)) for span in block.spans),
        )
        for block in page.blocks
    )
    joined(tmp_path, page, replace(page, number=2, blocks=blocks))
    markdown = (tmp_path / "document.md").read_text()
    note = next(block for block in page.blocks if block.kind is Kind.FOOTNOTE)
    second = note.id.replace("p1-", "p2-")
    assert markdown.count("[^1]: ") == 1
    assert f"[^{second}] in that year" in markdown
    assert f"[^{second}]: The figure" in markdown


def test_the_confidence_of_a_page_is_that_of_its_blocks_by_characters(page: Page) -> None:
    rated = [
        (block.confidence, len(block.text.replace(" ", ""))) for block in page.blocks if block.confidence
    ]
    mean = sum(sure * characters for sure, characters in rated) / sum(characters for _, characters in rated)
    assert len(rated) == len(page.blocks)
    assert page.confidence == pytest.approx(mean, abs=0.011)
    assert 0.3 < page.confidence < 1.0


def test_a_raised_sign_in_a_cell_makes_no_other_number() -> None:
    word = Word("273.8791", 10, 10, 60, 20, 10.0, 18.0)
    word.printed = (TypedRun("273.879", False, False), TypedRun("1", False, False, Script.ABOVE))
    dash = Word("1-2", 80, 10, 95, 20, 10.0, 18.0, printed=(TypedRun("1–2", False, False),))
    cells = (Cell("273.8791 people", Box(8, 8, 60, 14)), Cell("1-2", Box(78, 8, 20, 14)))
    table = with_printed_cells(Block("", Kind.TABLE, Box(0, 0, 100, 30), rows=(cells,)), [word, dash])
    assert [cell.text for cell in table.rows[0]] == ["273.879¹ people", "1–2"]


def test_characters_of_a_scaled_font_are_raised_as_others(tmp_path: Path) -> None:
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    for at in (700, 680, 660):
        text = canvas.beginText()
        text.setTextTransform(11, 0, 0, 11, 72, at)
        text.setFont("Times-Roman", 1)
        text.textOut("It was signed in the town hall on the 28")
        text.setRise(0.4)
        text.setFont("Times-Roman", 0.6)
        text.textOut("th")
        text.setRise(0)
        text.setFont("Times-Roman", 1)
        text.textOut(" of May by all of them")
        canvas.drawText(text)
    canvas.save()
    read = next(iter(LiteParseProvider().read(stored(tmp_path, buffer.getvalue()), (1,), None)))
    raised = [
        block.text[span.start : span.end] for block in read.blocks for span in block.spans if span.script
    ]
    assert raised == ["th"] * 3


def test_a_raised_sign_in_a_cell_is_not_printed_beside_the_table_once_more(tmp_path: Path) -> None:
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    canvas.grid([72, 172, 272, 372, 472], [600, 620, 640, 660, 680, 700])
    names = ("Region", "Revenue", "Capital", "Others<super>(1)</super>")
    for row in range(5):
        for column, name in enumerate(names):
            cell = Paragraph(
                name if row == 0 else f"{1234 * row + 321 * column:,}", ParagraphStyle("", fontSize=9)
            )
            cell.wrap(90, 20)
            cell.drawOn(canvas, 76 + 100 * column, 684 - 20 * row)
    canvas.save()
    read = next(iter(LiteParseProvider().read(stored(tmp_path, buffer.getvalue()), (1,), None)))
    assert [block.kind for block in read.blocks] == [Kind.TABLE]
    assert read.blocks[0].header[3].text == "Others⁽¹⁾"


def test_words_are_parted_where_the_engine_has_overlooked_a_space() -> None:
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    canvas.setFont("Times-Roman", 10)
    canvas.drawString(72, 700, "a total of")
    edge = 72 + canvas.stringWidth("a total of", "Times-Roman", 10)
    canvas.drawString(edge + 2, 700, "1216 sketches")
    canvas.save()
    run = SimpleNamespace(x=72.0, y=A4[1] - 709, width=200.0, height=12.0, rotation=0.0)
    spelt = [("a", 72, 76), ("total", 79, 97), ("of1216", 100, 130), ("sketches", 133, 170)]
    told = [
        Word(text, left, 133, right, 145, 10.0, 142.0, bold=False, italic=False)
        for text, left, right in spelt
    ]
    with pypdfium2.PdfDocument(buffer) as document:
        words = words_as_printed(document[0], [cast(NativeText, run)], told)
    assert [word.text for word in words] == ["a", "total", "of", "1216", "sketches"]
    assert words[2].left == 100
    assert words[2].right == pytest.approx(edge, abs=1)
    assert words[3].left == pytest.approx(edge + 2, abs=1.5)


def test_words_on_their_side_are_parted_where_pdfium_sees_a_space(tmp_path: Path) -> None:
    path = tmp_path / "side.pdf"
    canvas = Canvas(str(path), pagesize=A4)
    canvas.translate(560, 200)
    canvas.rotate(90)
    canvas.drawString(0, 0, "Downloaded from here")
    canvas.save()
    pieces = ("Downl", "oaded", "from", "he", "re")
    words = [Word(piece, 550, 200, 560, 240, 12, 240, rotation=90.0) for piece in pieces]
    text = cast(NativeText, SimpleNamespace(rotation=90.0))
    with pypdfium2.PdfDocument(path) as pdf:
        found = words_as_printed(pdf[0], [text], words)
    assert [word.text for word in found] == ["Downloaded", "from", "here"]


def test_words_that_the_engine_has_in_no_run_are_found_but_not_those_printed_twice_or_numbers_of_pages(
    tmp_path: Path,
) -> None:
    path = tmp_path / "missed.pdf"
    canvas = Canvas(str(path), pagesize=A4)
    canvas.setFont("Times-Roman", 12)
    for x, y, text in (
        (72, 500, "release of the Bureau"),
        (72.2, 500, "release of the Bureau"),
        (72, 520, "This 1,186"),
        (290, 30, "65"),
    ):
        canvas.drawString(x, y, text)
    hidden = canvas.beginText(72, 300)
    hidden.setTextRenderMode(3)
    hidden.textOut("un")
    canvas.drawText(hidden)
    canvas.setFillColorRGB(1, 1, 1)
    canvas.drawString(72, 250, "W")
    canvas.setFillColorRGB(0, 0, 0)
    canvas.setFont("Times-Roman", 1)
    canvas.drawString(72, 200, "t")
    canvas.save()
    height = A4[1]
    run = "release of the Bureau".split()
    words = [
        Word(word, 72 + 30 * at, height - 510, 100 + 30 * at, height - 497, 12, height - 500)
        for at, word in enumerate(run)
    ]
    native = cast(NativeText, SimpleNamespace(rotation=0.0, x=72.0, y=height - 512, width=110.0, height=14.0))
    with pypdfium2.PdfDocument(path) as pdf:
        found, has_unseen = all_words_printed(pdf[0], [native], words)
    assert not has_unseen
    assert [word.text for word in found[4:]] == ["This", "1,186"]
    assert found[4].run != found[5].run


def test_characters_that_the_engine_drops_before_a_word_are_put_back(tmp_path: Path) -> None:
    path = tmp_path / "dropped.pdf"
    canvas = Canvas(str(path), pagesize=A4)
    canvas.setFont("Times-Bold", 12)
    canvas.drawString(72, 500, "How effective")
    left = 72 + canvas.stringWidth("How ef", "Times-Bold", 12)
    canvas.save()
    top = A4[1] - 510
    words = [
        Word("How", 72, top, 96, top + 12, 12, top + 10, bold=True, italic=False),
        Word("fective", left, top, left + 40, top + 12, 12, top + 10, bold=True, italic=False, run=1),
    ]
    runs = [
        cast(NativeText, SimpleNamespace(rotation=0.0, x=word.left, y=top, width=40.0, height=12.0))
        for word in words
    ]
    with pypdfium2.PdfDocument(path) as pdf:
        found, _ = all_words_printed(pdf[0], runs, words)
    assert [word.text for word in found] == ["How", "effective"]
    assert found[1].left < left


def test_characters_of_a_ligature_that_the_engine_drops_within_a_run_are_put_back(tmp_path: Path) -> None:
    path = tmp_path / "dropped.pdf"
    pdfmetrics.registerFont(TTFont("Vera", Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"))
    canvas = Canvas(str(path), pagesize=A4)
    canvas.setFont("Vera", 12)
    canvas.drawString(72, 500, "The \ufb01fth of\ufb01ce")
    canvas.save()
    top = A4[1] - 510
    spelt = (("The", 72), ("ifth", 98), ("ofice", 126))
    words = [Word(text, left, top, left + 24, top + 12, 12, top + 10) for text, left in spelt]
    run = cast(NativeText, SimpleNamespace(rotation=0.0, x=72.0, y=top, width=80.0, height=12.0))
    with pypdfium2.PdfDocument(path) as pdf:
        found, _ = all_words_printed(pdf[0], [run], words)
    assert [word.text for word in found] == ["The", "fifth", "office"]


def raised_pdf(
    lines: list[list[tuple[str, float]]], size: float = 11, scale: float = 1.0, turn: int = 0
) -> bytes:
    """A page of lines, each of pieces that are raised by so many sizes, all in one font size.

    It is drawn on its side, and turned upright by its rotation.
    """
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    canvas.setPageRotation(turn)
    canvas.translate(*{0: (0, 0), 90: (A4[0], 0), 180: A4, 270: (0, A4[1])}[turn])
    canvas.rotate(turn)
    for at, line in enumerate(lines):
        text = canvas.beginText(72, 500 - 15 * at)
        for piece, rise in line:
            text.setFont("Times-Roman", size * (scale if rise else 1))
            text.setRise(rise * size)
            text.textOut(piece)
        canvas.drawText(text)
    canvas.save()
    return buffer.getvalue()


@pytest.mark.parametrize("rise", [0.25, 0.35, 0.48])
@pytest.mark.parametrize("scale", [0.97, 1.0])
def test_raised_characters_of_full_size_are_no_part_of_numbers_and_stay_in_their_line(
    tmp_path: Path, rise: float, scale: float
) -> None:
    lines = [
        [
            ("Its population was 273.879.750", 0.0),
            ("1", rise),
            (" in that year, the captain's log says, and", 0.0),
        ],
        [
            ("water is H", 0.0),
            ("2", -rise),
            ("O there as well as anywhere. In 2021", 0.0),
            ("12", rise),
            (" and in the year", 0.0),
        ],
        [
            ("after it they asked why the ferry had come so early.", 0.0),
            ("3", rise),
            (" They stayed until the", 0.0),
        ],
        [("evening, when the lamps along the quay were lit by the keeper and his wife.", 0.0)],
    ]
    pdf = raised_pdf(lines, scale=scale)
    [block] = next(iter(LiteParseProvider().read(stored(tmp_path, pdf), (1,), None))).blocks
    assert "was 273.879.7501 in that year" in block.text
    scripts = [(block.text[span.start : span.end], span.script) for span in block.spans]
    above, below = Script.ABOVE, Script.BELOW
    assert scripts == [("1", above), ("2", below), ("12", above), ("3", above)]


def test_a_stop_or_a_word_of_its_own_that_is_off_the_baseline_is_not_raised(tmp_path: Path) -> None:
    line = [
        ("There was a word", 0.0),
        (".", -0.2),
        (" It was the ", 0.0),
        ("next", 0.3),
        (" of them all.", 0.0),
    ]
    [block] = next(iter(LiteParseProvider().read(stored(tmp_path, raised_pdf([line])), (1,), None))).blocks
    assert block.spans == ()


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_characters_are_raised_on_the_page_as_it_is_shown(tmp_path: Path, turn: int) -> None:
    lines = [
        [("The harbour of the town is old and un", 0.0), ("believ", 0.0), ("able, said the captain", 0.0)],
        [("and the ferry went on for the sake of the H", 0.0), ("2", -0.25), ("O that was there", 0.0)],
        [("after the water was gone, in two thousand", 0.0), ("12", 0.25), (" and so it stayed", 0.0)],
    ]
    pdf = raised_pdf(lines, turn=turn)
    page = next(iter(LiteParseProvider().read(stored(tmp_path, pdf), (1,), None)))
    assert "unbelievable" in " ".join(block.text for block in page.blocks)
    scripts = [(block.text[s.start : s.end], s.script) for block in page.blocks for s in block.spans]
    assert scripts == [("2", Script.BELOW), ("12", Script.ABOVE)]


def test_characters_beyond_sixteen_bits_do_not_move_those_after_them(tmp_path: Path) -> None:
    pdfmetrics.registerFont(TTFont("Vera", str(Path(reportlab.__file__).parent / "fonts" / "Vera.ttf")))
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4, pageCompression=0)
    canvas.setFont("Vera", 11)
    canvas.drawString(72, 700, "Q sweet")
    canvas.save()
    pdf = buffer.getvalue().replace(b"<51> <0051>", b"<51> <D835DF07>")
    path = tmp_path / "beyond.pdf"
    path.write_bytes(pdf)
    with pypdfium2.PdfDocument(path) as document, PageCharacters(document[0]) as characters:
        assert characters.text == "\U0001d707\0 sweet"
        assert characters.edges(3).left == pytest.approx(72 + canvas.stringWidth("Q ", "Vera", 11), abs=1)


def test_thousands_of_cells_with_other_signs_take_no_time() -> None:
    places = [
        (Box(20.0 * column, 10.0 * row, 15, 8), row * 40 + column)
        for row in range(75)
        for column in range(40)
    ]
    words = [Word(f"-{number}", b.x, b.y, b.right, b.bottom, 8.0, b.bottom, number) for b, number in places]
    for word in words:
        word.printed = (TypedRun(word.text.replace("-", "–"), False, False),)
    cells = tuple(Cell(word.text, box) for word, (box, _) in zip(words, places, strict=True))
    table = Block("", Kind.TABLE, Box(0, 0, 800, 750), rows=(cells,))
    assert can_take_less_than(1.5, lambda: cpu_seconds_of(lambda: with_printed_cells(table, words)))
    assert [cell.text for cell in with_printed_cells(table, words).rows[0][:2]] == ["–0", "–1"]
