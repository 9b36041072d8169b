"""Links are the words in the rectangles that a file makes links of, in paragraphs, headings and cells."""

from io import BytesIO
from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph

from pagemill.model.pages import Block, Box, Cell, Kind, Page
from pagemill.reading.page.sheet import TypedRun, Word
from pagemill.reading.sources.links import Link, mark_links, with_linked_cells
from tests.reading.drawn import PROSE, read
from tests.timing import can_take_less_than, cpu_seconds_of

CAT, ISLE, ROW = "https://example.com/cat", "https://example.com/isle", "mailto:row@example.com"
BODY = (
    f'The ferry left at dawn and carried <a href="{CAT}">Thermopylae, the <b>cat</b> of the <i>harbour</i></a>, to the '
    'island (<a href="javascript:alert(1)">see below</a>), where it stayed until the evening.'
)


def _draw(
    canvas: Canvas, text: str, top: float, size: float = 11, font: str = "Times-Roman", left: float = 72
) -> None:
    paragraph = Paragraph(text, ParagraphStyle("", fontName=font, fontSize=size, leading=1.25 * size))
    _, height = paragraph.wrap(450, 700)
    paragraph.drawOn(canvas, left, top - height)


def linked_pdf(turn: int) -> bytes:
    """A page with links, on its side or not."""
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    if turn:
        canvas.setPageRotation(360 - turn)
        canvas.translate(A4[0], 0)
        canvas.rotate(turn)
    _draw(canvas, f'The <a href="{ISLE}">island</a> and its keeper', 560, 18, "Times-Bold")
    for at, text in enumerate((BODY, PROSE, PROSE)):
        _draw(canvas, text, 520 - 60 * at)
    canvas.grid([72, 172, 272, 372], [240, 260, 280, 300])
    for row in range(3):
        for column in range(3):
            words = f"{1234 * row + 321 * column:,}" if row else ("Region", "Revenue", "Others")[column]
            cell = f'<a href="{ROW}">{words}</a>' if (row, column) == (2, 1) else words
            _draw(canvas, cell, 298 - 20 * row, 9, left=76 + 100 * column)
    canvas.save()
    return buffer.getvalue()


@pytest.fixture(scope="module", params=[0, 90])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Page:
    return read(tmp_path_factory.mktemp("links"), linked_pdf(request.param))


def links_of(block: Block) -> list[tuple[str, str, bool, bool]]:
    """The words of links, where they lead, and whether they are bold and italic."""
    spans = [span for span in block.spans if span.href]
    return [(block.text[s.start : s.end], str(s.href), s.bold, s.italic) for s in spans]


def test_a_link_is_on_its_words_alone(page: Page) -> None:
    [block] = [block for block in page.blocks if "Thermopylae" in block.text]
    words = " ".join(words for words, *_ in links_of(block))
    assert words == "Thermopylae, the cat of the harbour"
    assert {href for _, href, *_ in links_of(block)} == {CAT}


def test_words_in_a_link_stay_bold_and_italic(tmp_path: Path) -> None:
    [block] = [block for block in read(tmp_path, linked_pdf(0)).blocks if "Thermopylae" in block.text]
    assert links_of(block) == [
        ("Thermopylae, the", CAT, False, False),
        ("cat", CAT, True, False),
        ("of the", CAT, False, False),
        ("harbour", CAT, False, True),
    ]


def test_a_heading_has_its_link(page: Page) -> None:
    [block] = [block for block in page.blocks if block.kind is Kind.HEADING]
    assert [(words, href) for words, href, *_ in links_of(block)] == [("island", ISLE)]


def test_a_cell_has_its_link(page: Page) -> None:
    [table] = [block for block in page.blocks if block.kind is Kind.TABLE]
    linked = {cell.text: cell.href for row in (table.header, *table.rows) for cell in row if cell.href}
    assert linked == {"2,789": ROW}


def test_thousands_of_links_over_each_other_take_no_time_and_the_last_holds() -> None:
    words = [
        Word(f"w{row}", 20.0 * at, 5.0 * row, 20.0 * at + 15, 5.0 * row + 4, 5.0, 5.0 * row + 4, row)
        for row in range(150)
        for at in range(25)
    ]
    links = [Link(Box(0, 100, 600, 400), f"https://example.com/{at}") for at in range(2_000)]
    assert can_take_less_than(2.0, lambda: cpu_seconds_of(lambda: mark_links(words, links)))
    hrefs = {run.href for word in words for run in word.printed}
    assert hrefs == {"https://example.com/1999"}


def test_a_cell_with_one_linked_word_among_many_is_no_link() -> None:
    linked = Word("here", 10, 10, 30, 20, 9, 20, 0)
    linked.printed = (TypedRun("here", False, False, href=CAT),)
    box = Box(0, 0, 200, 40)
    table = Block("", Kind.TABLE, box, rows=((Cell("here is what the keeper wrote", box),),))
    assert with_linked_cells(table, [linked]) == table
    short = Block("", Kind.TABLE, box, rows=((Cell("see here", box),),))
    assert with_linked_cells(short, [linked]).rows[0][0].href == CAT
