"""A table keeps no prose of the columns above it or between two of them, and has no columns of dots."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from pagemill.model.pages import Block, Box, Cell, Kind
from pagemill.reading.layout.judging import Judged
from pagemill.reading.layout.lines import TextLine, lines_of
from pagemill.reading.layout.trimming import without_prose, without_titles
from pagemill.reading.page.tokens import Token, without_leaders
from pagemill.reading.sources.liteparse_native import parse
from pagemill.reading.sources.text_layer import sheet_of
from tests.reading.journey import stored

LEFT = (
    "the use of the ferry after the storm also went down,",
    "as other ships of the same harbour were preferred by",
)
RIGHT = (
    "several groups of people have tried to find out how",
    "a harbour can be kept open in winter, as was shown in",
)
ROWS = [
    ("Harbour", "Ships", "Letters", "Share"),
    *((f"Town {n}", f"{n}/9", f"{7 * n}", f"{3 * n}%") for n in range(1, 9)),
]


def judged_page(folder: Path, *, drawn: bool = False) -> Judged:
    """A page with two columns of prose, and a ruled table below them; if drawn, with strokes between its columns."""
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    canvas.setFont("Times-Roman", 10)
    for at in range(14):
        canvas.drawString(60, 760 - 12 * at, LEFT[at % 2])
        canvas.drawString(310, 760 - 12 * at, RIGHT[at % 2])
    canvas.setFont("Times-Roman", 9)
    for at, row in enumerate(ROWS):
        for column, text in enumerate(row):
            canvas.drawString(60 + 120 * column, 570 - 12 * at, text)
    for height in (582, 566, 460):
        canvas.line(60, height, 540, height)
    for left in (55, 300, 545) if drawn else ():
        canvas.line(left, 455, left, 775)
    canvas.save()
    native = parse(stored(folder, buffer.getvalue()), [1], None).pages[0]
    sheet = sheet_of(native, native.text_items)
    return Judged(sheet, lines_of(sheet))


def row_of(lines: list[TextLine]) -> tuple[Cell, ...]:
    return tuple(Cell(line.text, line.box) for line in sorted(lines, key=lambda line: line.left))


def whole_table(judged: Judged) -> Block:
    heights = sorted({round(line.centre) for line in judged.lines})
    rows = tuple(row_of([line for line in judged.lines if round(line.centre) == at]) for at in heights)
    return Block("", Kind.TABLE, Box(60, 60, 490, 330), rows=rows)


def none_within(_: Box) -> tuple[Block, ...]:
    return ()


def test_prose_above_a_table_is_no_part_of_it(tmp_path: Path) -> None:
    judged = judged_page(tmp_path)
    [table] = without_prose(whole_table(judged), judged.lines, judged, none_within)
    assert [row[0].text for row in table.rows] == [row[0] for row in ROWS]
    assert table.box is not None
    assert table.box.y > 240
    assert without_prose(table, judged.lines, judged, none_within) == [table]


def test_prose_between_two_tables_parts_them(tmp_path: Path) -> None:
    judged = judged_page(tmp_path)
    whole = whole_table(judged)
    prose, figures = whole.rows[:14], whole.rows[14:]
    upper = without_prose(
        replace(whole, rows=(*figures, *prose, *figures)), judged.lines, judged, none_within
    )
    assert [len(table.rows) for table in upper] == [len(ROWS), len(ROWS)]


def test_what_is_left_of_a_table_is_looked_at_again(tmp_path: Path) -> None:
    judged = judged_page(tmp_path)
    whole = whole_table(judged)
    better = replace(whole, rows=whole.rows[14:], confidence=0.5)
    assert without_prose(whole, judged.lines, judged, lambda box: (better,)) == [better]
    # One that lacks characters is no better.
    worse = replace(better, rows=better.rows[:4])
    assert without_prose(whole, judged.lines, judged, lambda box: (worse,)) != [worse]


def test_rows_of_drawn_cells_are_kept_whatever_they_say(tmp_path: Path) -> None:
    judged = judged_page(tmp_path, drawn=True)
    whole = whole_table(judged)
    assert without_prose(whole, judged.lines, judged, none_within) == [whole]


def titled_page(folder: Path, size: float, *, drawn: bool = False) -> Judged:
    """A page with a title of a size over a table; if drawn, with a stroke beside the title."""
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    canvas.setFont("Helvetica-Bold", size)
    canvas.drawString(60, 760, "Harbours of the north")
    canvas.setFont("Helvetica", 12)
    for at, row in enumerate(ROWS):
        for column, text in enumerate(row):
            canvas.drawString(60 + 120 * column, 720 - 20 * at, text)
    if drawn:
        canvas.line(480, 500, 480, 790)
    canvas.save()
    native = parse(stored(folder, buffer.getvalue()), [1], None).pages[0]
    sheet = sheet_of(native, native.text_items)
    return Judged(sheet, lines_of(sheet))


def test_a_title_above_a_table_is_none_of_its_rows(tmp_path: Path) -> None:
    judged = titled_page(tmp_path, 18)
    whole = Block("", Kind.TABLE, Box(60, 50, 480, 300), rows=(row_of([*judged.lines]),))
    found = without_titles(whole, judged.lines, judged, lambda box: (replace(whole, box=box),))
    below = found[-1]
    assert below.box is not None
    assert (82 < below.box.y < 110, below.box.bottom) == (True, 350)
    assert without_titles(below, judged.lines, judged, none_within) == [below]


def test_larger_text_in_a_drawn_cell_is_a_head(tmp_path: Path) -> None:
    for size, kept in ((18, True), (24, False)):
        judged = titled_page(tmp_path, size, drawn=True)
        whole = Block("", Kind.TABLE, Box(60, 50, 480, 300), rows=(row_of([*judged.lines]),))
        assert (without_titles(whole, judged.lines, judged, none_within) == [whole]) is kept


def test_dots_that_lead_to_a_figure_are_no_columns() -> None:
    words = [Token("Fraud.", 60, 10, 90, 20), Token("173.7", 300, 10, 320, 20), Token(".", 400, 10, 402, 20)]
    dots = [Token(".", 95 + 5 * at, 18, 97 + 5 * at, 20) for at in range(20)]
    assert without_leaders([*words, *dots]) == tuple(words)
    assert without_leaders(words) == tuple(words)
