"""The rows of a table that name its columns."""

import re
from pathlib import Path

from pagemill.reading.writers.table_html import table_html
from tests.reading.test_tables import GRID, Sketch, Style, tables, texts


def test_all_rows_that_name_the_columns_are_its_head(tmp_path: Path) -> None:
    sketch = Sketch(tmp_path)
    rows = (
        ("People", "", "Money", ""),
        ("Men", "Women", "2020", "2021"),
        ("12", "30", "42", "40"),
        ("7", "9", "16", "18"),
    )
    merged: Style = [("SPAN", (0, 0), (1, 0)), ("SPAN", (2, 0), (3, 0))]
    sketch.table(100, rows, [GRID, *merged], [90, 80, 80, 80])
    [table] = tables(sketch.blocks())
    assert texts(table) == list(rows)
    assert table.header_rows == 2
    head, body = table_html(table).split("</thead>")
    assert {"Women", "2021"} <= set(re.findall(r"\w+", head))
    assert "<th" not in body


def test_a_title_over_all_columns_and_all_rows_of_names_below_it_are_the_head(tmp_path: Path) -> None:
    sketch = Sketch(tmp_path)
    rows = (
        ("Goods of the harbour by year", "", "", ""),
        ("Port", "Grain", "", "Timber"),
        ("", "in", "out", ""),
        ("Aldham", "12", "30", "42"),
        ("Borrow", "7", "9", "16"),
    )
    merged: Style = [
        ("SPAN", (0, 0), (3, 0)),
        ("SPAN", (1, 1), (2, 1)),
        ("SPAN", (0, 1), (0, 2)),
        ("SPAN", (3, 1), (3, 2)),
    ]
    sketch.table(100, rows, [GRID, *merged], [90, 80, 80, 80])
    [table] = tables(sketch.blocks())
    assert texts(table)[1] == ("Port", "Grain", "", "Timber")
    assert table.header_rows == 3


def test_a_row_of_figures_below_a_wide_cell_is_no_head(tmp_path: Path) -> None:
    sketch = Sketch(tmp_path)
    rows = (("Port", "Tons", ""), ("Aldham", "12", "30"), ("Borrow", "7", "9"))
    sketch.table(100, rows, [GRID, ("SPAN", (1, 0), (2, 0))], [90, 80, 80])
    [table] = tables(sketch.blocks())
    assert table.header_rows == 1


def test_the_head_above_the_first_rule_has_several_rows(tmp_path: Path) -> None:
    sketch = Sketch(tmp_path)
    for x, words in ((200, "Grain"), (330, "Timber")):
        sketch.text(x + 25, 100, words)
        sketch.rule(104, x, x + 90)
    sketch.columns(116, (60, 200, 265, 330, 395), [("Port", "in", "out", "in", "out")])
    sketch.rule(94 - 4, 60, 420)
    sketch.rule(121, 60, 420)
    sketch.columns(
        134,
        (60, 200, 265, 330, 395),
        [("Aldham", "1", "2", "3", "4"), ("Borrow", "5", "6", "7", "8"), ("Corby", "9", "1", "2", "3")],
    )
    sketch.rule(172, 60, 420)
    [table] = tables(sketch.blocks())
    assert table.header_rows == 2
    assert texts(table)[1][1:] == ("in", "out", "in", "out")
