"""Pieces that stand in cells become tables, with or without drawn lines."""

from pagemill.model.pages import Block, Kind
from pagemill.reading.page.sheet import Stroke
from tests.reading.recognised import cells, column, grid, line, prose, read, ruling

ROWS = [
    ["Town", "People", "Height"],
    ["Bern", "134,794", "540 m"],
    ["Chur", "38,373", "593 m"],
    ["Sion", "35,001", "500 m"],
]


def the_table(blocks: list[Block]) -> Block:
    [table] = [block for block in blocks if block.kind is Kind.TABLE]
    return table


def test_drawn_cells_make_a_table_with_a_header() -> None:
    strokes = ruling((50, 150, 250, 350), (95, 111, 127, 143, 159))
    table = the_table(read(grid(ROWS, (60, 160, 260), 97), strokes))
    assert cells(table) == ROWS
    assert [cell.text for cell in table.header] == ROWS[0]


def test_a_cell_without_a_line_inside_spans() -> None:
    strokes = [
        *(Stroke(50, y, 350, y) for y in (95, 127, 143)),
        Stroke(150, 111, 350, 111),
        *(Stroke(x, 95, x, 143) for x in (50, 150, 350)),
        Stroke(250, 111, 250, 143),
    ]
    lines = [
        line("Town", 60, 105),
        line("Facts of 2020", 200, 97),
        line("People", 160, 113),
        line("Height", 260, 113),
        *grid([ROWS[1]], (60, 160, 260), 129),
    ]
    table = the_table(read(lines, strokes))
    assert (table.header[0].text, table.header[0].row_span) == ("Town", 2)
    assert (table.header[1].text, table.header[1].column_span) == ("Facts of 2020", 2)
    assert cells(table)[1:] == [["", "People", "Height"], ROWS[1]]


def test_every_second_row_may_be_drawn() -> None:
    strokes = [*ruling((50, 150, 250, 350), (95, 111)), *ruling((50, 150, 250, 350), (127, 143))]
    assert cells(the_table(read(grid(ROWS[:3], (60, 160, 260), 97), strokes))) == ROWS[:3]


def test_numbers_in_columns_make_a_table_without_any_line() -> None:
    blocks = read([*prose(60, 60, 6), *grid(ROWS, (60, 200, 320), 170), *prose(60, 260, 6)])
    assert cells(the_table(blocks)) == ROWS
    assert [block.kind for block in blocks] == [Kind.PARAGRAPH, Kind.TABLE, Kind.PARAGRAPH]


def test_short_names_and_values_make_a_table_of_two_columns() -> None:
    rows = [
        ["Length", "7.5"],
        ["Weight", "12"],
        ["Price", "34.50"],
        ["Number", "1,204"],
        ["Year", "1998"],
    ]
    lines = [*prose(60, 60, 6), *grid(rows, (60, 220), 160), *prose(60, 260, 6)]
    assert cells(the_table(read(lines))) == rows


def test_a_cell_of_two_lines_is_one_cell() -> None:
    lines = [
        *grid(ROWS[:2], (60, 200, 320), 100, 22),
        line("St. Gallen and", 60, 139),
        line("its hills", 60, 151),
        line("75,833", 200, 145),
        line("675 m", 320, 145),
        *grid(ROWS[2:], (60, 200, 320), 173, 22),
    ]
    assert cells(the_table(read(lines)))[2] == ["St. Gallen and its hills", "75,833", "675 m"]


def test_names_of_columns_that_were_read_as_one_piece_are_parted() -> None:
    lines = [line("Town People Height Area", 60, 84, width=290)]
    rows = [[*row, "51"] for row in ROWS[1:]]
    lines = [
        line("Name", 0, 84, width=30),
        *lines,
        *grid([["x", *row] for row in rows], (0, 60, 150, 240, 320), 100),
    ]
    assert cells(the_table(read(lines)))[0] == ["Name", "Town", "People", "Height", "Area"]


def test_two_columns_of_text_are_no_table() -> None:
    blocks = read([*prose(40, 60, 12, 46), *prose(320, 60, 12, 46)])
    assert not any(block.kind is Kind.TABLE for block in blocks)


def test_the_labels_of_a_chart_are_no_table() -> None:
    lines = [line(str(number), 60, 100 + at * 20) for at, number in enumerate(range(80, 0, -10))]
    lines += [line(str(2014 + at), 90 + at * 50, 270) for at in range(7)]
    lines += [line(str(31 + at), 90 + at * 50, 106 + 17 * at) for at in range(7)]
    assert not any(block.kind is Kind.TABLE for block in read(lines))


def test_markers_beside_their_text_are_no_table() -> None:
    lines = grid([["1.", "Open it"], ["2.", "Look inside"], ["3.", "Close it again"]], (60, 90), 100)
    assert all(block.kind is Kind.LIST_ITEM for block in read(lines))


def test_a_box_around_a_text_is_no_table() -> None:
    strokes = ruling((50, 350), (90, 180))
    assert not any(block.kind is Kind.TABLE for block in read(prose(60, 100, 6), strokes))


def test_a_table_stays_in_its_column() -> None:
    table = grid(
        [["Bern", "134", "540"], ["Chur", "38", "593"], ["Sion", "35", "500"], ["Visp", "8", "650"]],
        (40, 120, 200),
        170,
    )
    lines = [*prose(40, 60, 8, 46), *table, *prose(40, 250, 8, 46), *prose(320, 60, 22, 46, word="right")]
    blocks = read(lines)
    assert len(cells(the_table(blocks))) == 4
    assert blocks[-1].text.split()[1] == "right"


def test_a_caption_over_a_table_is_not_part_of_it() -> None:
    lines = [*column(["Table 1: Towns of the country"], 60, 80), *grid(ROWS, (60, 200, 320), 100)]
    assert [block.kind for block in read(lines)] == [Kind.CAPTION, Kind.TABLE]


def test_lines_that_were_seen_in_the_text_of_a_table_part_nothing() -> None:
    strokes = ruling((50, 150, 250, 350), (95, 111, 127, 143, 159))
    seen = [Stroke(162, 103, 185, 103), Stroke(175, 98, 175, 108)]
    table = the_table(read(grid(ROWS, (60, 160, 260), 97), [*strokes, *seen]))
    assert cells(table) == ROWS


def test_a_table_with_lines_only_over_and_under_it_may_have_two_rows() -> None:
    strokes = [Stroke(50, y, 400, y) for y in (94, 110, 127)]
    assert cells(the_table(read(grid(ROWS[:2], (60, 200, 320), 96), strokes))) == ROWS[:2]


def test_rows_without_a_line_between_them_are_parted() -> None:
    strokes = ruling((50, 150, 250, 350), (95, 111, 159))
    assert cells(the_table(read(grid(ROWS, (60, 160, 260), 97), strokes))) == ROWS
