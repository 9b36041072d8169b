"""Tables of digital pages: ruled, half ruled and not ruled, and text that must not become one."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, Table

from pagemill.model.pages import Block, Box, Kind
from pagemill.reading.layout import laid_out
from pagemill.reading.page.block_parts import words_of
from pagemill.reading.providers.liteparse import LiteParseProvider
from pagemill.reading.sources.liteparse_native import parse
from pagemill.reading.sources.native_sheet import NativeSheet
from pagemill.reading.sources.text_layer import sheet_of

HEIGHT = A4[1]
PROSE = (
    "The northern harbour was rebuilt after the great storm and its keepers",
    "wrote down every ship that came in with the tide, what it carried and",
    "where it was bound, so that a reader may follow the trade of the town",
    "through four hundred years without leaving the quiet of the archive.",
)
FIGURES = (
    ("Region", "Ships", "Tons", "Share"),
    ("North", "1,204", "88,310", "41.2%"),
    ("South", "933", "61,007", "28.4%"),
    ("East", "501", "40,118", "18.7%"),
    ("West", "264", "25,090", "11.7%"),
)

Rows = Sequence[Sequence[str]]
Command = tuple[str, tuple[int, int], tuple[int, int], *tuple[Any, ...]]
Style = list[Command]
GRID: Command = ("GRID", (0, 0), (-1, -1), 0.5, colors.black)
FLAT = [words for row in FIGURES for words in row]


class Sketch:
    """A page that is drawn from the top down."""

    def __init__(self, folder: Path) -> None:
        self.path = str(folder / "page.pdf")
        self.canvas = Canvas(self.path, pagesize=A4, invariant=1)
        self.canvas.setFont("Helvetica", 10)

    def text(self, x: float, y: float, words: str) -> None:
        """Words whose base line is so far from the top."""
        self.canvas.drawString(x, HEIGHT - y, words)

    def prose(self, x: float, y: float, lines: Sequence[str] = PROSE) -> None:
        """Lines of running text."""
        for count, line in enumerate(lines):
            self.text(x, y + 13 * count, line)

    def rule(self, y: float, left: float, right: float) -> None:
        """A line across."""
        self.canvas.line(left, HEIGHT - y, right, HEIGHT - y)

    def columns(self, y: float, edges: Sequence[float], rows: Rows, step: float = 16) -> None:
        """Rows of words that start at the edges."""
        for count, row in enumerate(rows):
            for edge, words in zip(edges, row, strict=True):
                self.text(edge, y + step * count, words)

    def table(self, y: float, rows: Rows, style: Style, widths: Sequence[float], left: float = 60) -> None:
        """A drawn table."""
        plain = getSampleStyleSheet()["BodyText"]
        cells = [[Paragraph(words, plain) if words else "" for words in row] for row in rows]
        drawn = Table(cells, colWidths=list(widths), style=style)
        _, height = drawn.wrapOn(self.canvas, 500, 700)
        drawn.drawOn(self.canvas, left, HEIGHT - y - height)

    def blocks(self) -> tuple[Block, ...]:
        """What is read on the page."""
        self.canvas.save()
        (page,) = LiteParseProvider().read(self.path, [1], None)
        return page.blocks


@pytest.fixture
def sketch(tmp_path: Path) -> Sketch:
    """An empty page."""
    return Sketch(tmp_path)


def tables(blocks: Sequence[Block]) -> list[Block]:
    """The tables among blocks."""
    return [block for block in blocks if block.kind is Kind.TABLE]


def texts(table: Block) -> list[tuple[str, ...]]:
    """The words of a table by row."""
    return [tuple(cell.text for cell in row) for row in (table.header, *table.rows)]


def spans(table: Block) -> dict[str, tuple[int, int]]:
    """How many rows and columns the cells reach over that reach over more than one."""
    return {
        cell.text: (cell.row_span, cell.column_span)
        for row in (table.header, *table.rows)
        for cell in row
        if cell.row_span > 1 or cell.column_span > 1
    }


def words(blocks: Sequence[Block]) -> Counter[str]:
    """How often each word is in the blocks."""
    return Counter(word for block in blocks for text in words_of(block) for word in text.split())


def test_a_ruled_table_keeps_its_spans(sketch: Sketch) -> None:
    rows = (
        ("Port", "Cargo", "", "Total"),
        ("", "Grain", "Timber", ""),
        ("Aldham", "12", "30", "42"),
        ("Borrow", "7", "9", "16"),
    )
    merged: Style = [("SPAN", (0, 0), (0, 1)), ("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (3, 1))]
    sketch.table(100, rows, [GRID, *merged], [90, 80, 80, 80])
    (table,) = tables(sketch.blocks())
    assert texts(table) == list(rows)
    assert spans(table) == {"Port": (2, 1), "Cargo": (1, 2), "Total": (2, 1)}


def test_wrapped_cells_of_a_ruled_table_are_one_cell_each(sketch: Sketch) -> None:
    rows = (
        ("Name", "Remark"),
        ("Aldham", "The keeper of the harbour came late and left early that year"),
        ("Borrow", "Nothing was written down of the ships that were lost in the storm"),
    )
    sketch.table(100, rows, [GRID], [80, 120])
    (table,) = tables(sketch.blocks())
    assert texts(table) == list(rows)


BANDED = (
    ("Item", "2024", "2025"),
    ("Income from sales", "1,204", "1,310"),
    ("Wages<br/>Rent", "310<br/>20", "324<br/>21"),
    ("Owners<br/>Lenders<br/>Others", "", ""),
    ("Interest<br/>Result before tax", "", ""),
)


def test_lines_of_figures_in_one_drawn_row_are_rows_and_so_are_names_without_figures(sketch: Sketch) -> None:
    sketch.table(80, BANDED, [GRID], [200, 90, 90])
    [table] = tables(sketch.blocks())
    names = [row[0] for row in texts(table)]
    assert names[2:4] == ["Wages", "Rent"]
    assert texts(table)[3] == ("Rent", "20", "21")
    assert names[4:] == ["Owners", "Lenders", "Others", "Interest", "Result before tax"]


def test_a_name_that_goes_on_in_the_next_line_stays_one(sketch: Sketch) -> None:
    long = "Income from the sale of timber and of other goods"
    rows = [("Item", "2024", "2025"), (long, "1,204<br/>(12)", "1,310<br/>(14)"), ("Rent", "20", "21")]
    sketch.table(80, rows, [GRID], [150, 90, 90])
    [table] = tables(sketch.blocks())
    assert texts(table)[1] == (long, "1,204 (12)", "1,310 (14)")


def test_white_parts_cells_where_others_beside_them_are_parted_by_a_line(sketch: Sketch) -> None:
    rows = [
        ("Source", "Definition"),
        ("Major", "Ten tons<br/>or more<br/><br/>Less than<br/>ten tons"),
        ("Area", ""),
    ]
    lines: Style = [
        ("BOX", (0, 0), (-1, -1), 0.5, colors.black),
        ("LINEAFTER", (0, 0), (0, -1), 0.5, colors.black),
        ("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black),
        ("LINEBELOW", (0, 1), (0, 1), 0.5, colors.black),
        ("SPAN", (1, 1), (1, 2)),
    ]
    sketch.table(80, rows, lines, [120, 160])
    [table] = tables(sketch.blocks())
    assert texts(table) == [
        ("Source", "Definition"),
        ("Major", "Ten tons or more"),
        ("Area", "Less than ten tons"),
    ]


ACCOUNTS = (
    ("", "Jan 2025", "Jan 2024"),
    ("Cost of revenue", "178", "141"),
    ("Research", "3,423", "2,532"),
    ("Sales and administration", "1,136", "876"),
    ("Total", "4,737", "3,549"),
)


def test_names_beside_figures_that_alone_are_ruled_belong_to_the_table(sketch: Sketch) -> None:
    sketch.columns(100, (60, 300, 400), ACCOUNTS)
    for y in (88, 104, 156, 168):
        sketch.rule(y, 295, 360)
        sketch.rule(y, 395, 460)
    [table] = tables(sketch.blocks())
    assert texts(table) == [tuple(row) for row in ACCOUNTS]


def test_text_side_by_side_in_drawn_cells_is_not_cut_into_rows(sketch: Sketch) -> None:
    sketch.table(80, [(" ".join(PROSE), " ".join(reversed(PROSE))), ("North", "South")], [GRID], [220, 220])
    read = sketch.blocks()
    cells = [words for table in tables(read) for row in texts(table) for words in row]
    assert any(words.startswith(" ".join(PROSE)[:150]) for words in [*cells, *(block.text for block in read)])


def test_a_table_with_three_rules_has_its_columns_and_a_head_over_two(sketch: Sketch) -> None:
    for y, left, right in ((100, 60, 420), (118, 150, 330), (136, 60, 420), (190, 60, 420)):
        sketch.rule(y, left, right)
    sketch.text(200, 113, "Ships in port")
    sketch.columns(131, (64, 155, 260, 350), [("Year", "Sail", "Steam", "Lost")], 18)
    sketch.columns(150, (64, 155, 260, 350), [("1850", "310", "12", "4"), ("1870", "220", "95", "9")])
    sketch.columns(182, (64, 155, 260, 350), [("1890", "85", "260", "3")])
    (table,) = tables(sketch.blocks())
    assert texts(table)[2:] == [
        ("1850", "310", "12", "4"),
        ("1870", "220", "95", "9"),
        ("1890", "85", "260", "3"),
    ]
    assert spans(table) == {"Year": (2, 1), "Ships in port": (1, 2), "Lost": (2, 1)}


def test_figures_in_columns_are_a_table_without_any_rule(sketch: Sketch) -> None:
    sketch.prose(60, 80)
    sketch.columns(160, (80, 200, 280, 370), FIGURES)
    sketch.prose(60, 260)
    blocks = sketch.blocks()
    (table,) = tables(blocks)
    assert texts(table) == list(FIGURES)
    assert words(blocks) == Counter(" ".join([*PROSE, *PROSE, *FLAT]).split())


def test_names_and_what_belongs_to_them_are_a_table_of_two_columns(sketch: Sketch) -> None:
    pairs = (
        ("Name of the ship", "Margaret"),
        ("Home port", "Aldham"),
        ("Master", "J. Kelling"),
        ("Built in", "1851"),
        ("Cargo", "Grain and timber"),
    )
    sketch.columns(100, (70, 260), pairs)
    (table,) = tables(sketch.blocks())
    assert texts(table) == list(pairs)


def test_cells_that_go_on_in_the_next_line_stay_in_their_row(sketch: Sketch) -> None:
    for y, row in ((100, ("Port", "Remark", "Ships")), (122, ("Aldham", "rebuilt after the", "120"))):
        sketch.columns(y, (70, 160, 320), [row])
    sketch.text(160, 133, "great storm")
    sketch.columns(155, (70, 160, 320), [("Borrow", "closed to large", "84")])
    sketch.text(160, 166, "ships in winter")
    sketch.columns(188, (70, 160, 320), [("Calder", "new quay", "31")])
    (table,) = tables(sketch.blocks())
    assert texts(table)[1:] == [
        ("Aldham", "rebuilt after the great storm", "120"),
        ("Borrow", "closed to large ships in winter", "84"),
        ("Calder", "new quay", "31"),
    ]


def test_lines_of_figures_between_two_rules_are_rows(sketch: Sketch) -> None:
    rows = (
        ("Engine", "Part", "First", "Second"),
        ("Old mill", "front", "62.3", "88.2"),
        ("", "back", "97.5", "89.7"),
        ("New mill", "front", "61.8", "88.6"),
        ("", "back", "97.6", "89.5"),
    )
    sketch.columns(100, (60, 160, 260, 340), rows, step=13)
    for y in (88, 104, 130, 156):
        sketch.rule(y, 55, 400)
    (table,) = tables(sketch.blocks())
    assert texts(table) == list(rows)


def test_a_head_of_two_wide_lines_hides_no_column(sketch: Sketch) -> None:
    sketch.text(60, 100, "What the harbour took in by")
    sketch.text(220, 100, "region and by the kind of ship")
    sketch.text(60, 113, "in the years after the storm,")
    sketch.text(220, 113, "as its keepers wrote it down")
    sketch.columns(129, (60, 160, 260, 340), FIGURES[1:])
    (table,) = tables(sketch.blocks())
    assert texts(table)[-4:] == list(FIGURES[1:])


@pytest.mark.parametrize(("degrees", "corner"), [(90, (A4[0], 0)), (270, (0, A4[1])), (180, A4)])
def test_a_table_on_its_side_is_read_upright(
    sketch: Sketch, degrees: int, corner: tuple[float, float]
) -> None:
    sketch.canvas.translate(*corner)
    sketch.canvas.rotate(degrees)
    sketch.canvas.translate(0, A4[0] - HEIGHT if degrees % 180 else 0)
    sketch.prose(60, 60)
    sketch.table(140, FIGURES, [GRID], [80] * 4)
    blocks = sketch.blocks()
    (table,) = tables(blocks)
    assert texts(table) == list(FIGURES)
    assert table.box
    tall = table.box.height > table.box.width
    assert tall == bool(degrees % 180)
    assert blocks[0].text == " ".join(PROSE)


def test_coloured_bands_take_in_the_rows_that_have_none(sketch: Sketch) -> None:
    bands: Style = [("BACKGROUND", (0, row), (-1, row), colors.lightgrey) for row in (1, 3)]
    sketch.table(100, FIGURES, bands, [90, 80, 80, 80])
    (table,) = tables(sketch.blocks())
    assert texts(table) == list(FIGURES)


def test_two_columns_of_text_stay_text(sketch: Sketch) -> None:
    left, right = [line[:44] for line in PROSE * 4], [line[20:62] for line in PROSE * 4]
    sketch.prose(50, 80, left)
    sketch.prose(310, 80, right)
    blocks = sketch.blocks()
    assert tables(blocks) == []


def test_a_list_behind_its_markers_is_no_table(sketch: Sketch) -> None:
    for count, line in enumerate(PROSE):
        sketch.text(60, 100 + 16 * count, "•")
        sketch.text(80, 100 + 16 * count, line[:40])
    assert tables(sketch.blocks()) == []


def test_a_table_beside_text_takes_nothing_of_it(sketch: Sketch) -> None:
    lines = [line[:40] for line in PROSE * 3]
    sketch.prose(50, 100, lines)
    sketch.table(100, FIGURES, [GRID], [55, 50, 55, 50], left=310)
    sketch.prose(310, 220, lines[:6])
    blocks = sketch.blocks()
    (table,) = tables(blocks)
    assert texts(table) == list(FIGURES)
    assert words(blocks) == Counter(" ".join([*lines, *lines[:6], *FLAT]).split())


def test_a_line_that_was_no_table_goes_on_with_the_text_above_it(sketch: Sketch) -> None:
    sketch.prose(60, 100, PROSE)
    assert [block.text for block in sketch.blocks()] == [" ".join(PROSE)]


def test_the_lines_of_a_chart_are_no_table(sketch: Sketch) -> None:
    for count in range(6):
        sketch.rule(100 + 30 * count, 90, 400)
        sketch.text(70, 103 + 30 * count, str(100 - 20 * count))
    for count, name in enumerate(("Aldham", "Borrow", "Calder")):
        sketch.text(120 + 90 * count, 265, name)
        sketch.canvas.rect(125 + 90 * count, HEIGHT - 250, 30, 40 + 30 * count, fill=1)
    assert tables(sketch.blocks()) == []


@pytest.mark.parametrize("seed", range(12))
def test_no_word_is_lost_or_doubled(sketch: Sketch, seed: int) -> None:
    pick = Random(seed)
    printed: list[str] = []

    def word() -> str:
        printed.append(f"w{len(printed)}{pick.choice('aeoz') * pick.randint(1, 4)}")
        return printed[-1]

    y = 60.0
    for _ in range(3):
        sketch.prose(60, y, [" ".join(word() for _ in range(9)) for _ in range(pick.randint(1, 4))])
        columns, rows = pick.randint(2, 5), pick.randint(2, 6)
        cells = [[word() if pick.random() < 0.9 else "" for _ in range(columns)] for _ in range(rows)]
        lines = pick.choice([[GRID], [("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black)], []])
        sketch.table(y + 70, cells, lines, [pick.randint(70, 90)] * columns)
        y += 250
    found = words(sketch.blocks())
    assert found == Counter(printed)


def test_a_page_of_one_column_is_not_searched_for_tables(sketch: Sketch) -> None:
    sketch.prose(60, 80, PROSE * 8)
    sketch.canvas.save()
    (native,) = parse(sketch.path, [1], None).pages

    def find_tables(_: Box | None = None, /) -> list[Block]:
        raise AssertionError("there is nothing to be found")

    assert laid_out(sheet_of(native, native.text_items), find_tables)


def test_words_that_kerning_tore_apart_are_whole(sketch: Sketch) -> None:
    sketch.text(60, 100, "VAT, (e.g., 5.2). AVAYA")
    sketch.canvas.save()
    (native,) = parse(sketch.path, [1], None).pages
    assert [token.text for token in NativeSheet(native).tokens] == ["VAT,", "(e.g.,", "5.2).", "AVAYA"]
