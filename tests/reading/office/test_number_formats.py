"""Numbers, dates and durations as a sheet shows them."""

import io
from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest
import xlsxwriter  # type: ignore[import-untyped]

from pagemill.reading.artifacts.tables import cell_number
from pagemill.reading.office.sheets.date_formats import Moment, shown_moment
from pagemill.reading.office.sheets.number_formats import shown_number
from tests.office_files import zipped
from tests.reading.office.opened import blocks

MOMENT = datetime.fromisoformat("2024-03-05T14:07:09.500")
ACCOUNTING = '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-'
LETTERS_AND_SHOWN = [
    (0.25, "0%", "25%"),
    (0.02555, "0.00%", "2.56%"),
    (1234.5, "#,##0.00", "1,234.50"),
    (-1234.5, '"$"#,##0.00_);[Red]\\("$"#,##0.00\\)', "($1,234.50)"),
    (1234.5, "[$€-407]\\ #,##0.00", "€ 1,234.50"),
    (12, "000", "012"),
    (5551234567, "(###) ###-####", "(555) 123-4567"),
    (5.5, '0\\ "dollars and"\\ .00\\ "cents"', "5 dollars and .50 cents"),
    (5.5, ".00", "5.50"),
    (0.00012, "0.00E+00", "1.20E-04"),
    (2.5, "# ?/?", "2 1/2"),
    (1234567, '#,##0,"k"', "1,235k"),
    (1_500_000, '0.0,,"M"', "1.5M"),
    (3, "#.##", "3"),
    (-3.2, "0.0", "-3.2"),
    (5, '[<10]"few";"many"', "few"),
    (50, '[<10]"few";"many"', "many"),
    (0, ACCOUNTING, "-"),
    (3, ACCOUNTING, "3.00"),
    (0.5, "General", None),
    (0.5, "@", None),
]


@pytest.mark.parametrize(("value", "code", "shown"), LETTERS_AND_SHOWN)
def test_a_number_is_shown_as_its_format_says(value: float, code: str, shown: str | None) -> None:
    assert shown_number(value, code) == shown


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (MOMENT, "yyyy-mm-dd", "2024-03-05"),
        (MOMENT, "d-mmm-yy", "5-Mar-24"),
        (MOMENT, '"At" h:mm AM/PM "on" dddd mmmm d"," yyyy', "At 2:07 PM on Tuesday March 5, 2024"),
        (MOMENT, "mm:ss.0", "07:09.5"),
        (MOMENT, 'yyyy"年"m"月"d"日"', "2024年3月5日"),
        (MOMENT, "[$-409]d-mmm-yyyy;@", "5-Mar-2024"),
        (time(9, 5), "h:mm", "9:05"),
        (date(2024, 1, 2), "mmmm yyyy", "January 2024"),
        (timedelta(hours=30, minutes=5), "[h]:mm:ss", "30:05:00"),
        (timedelta(seconds=75), "mm:ss", "01:15"),
    ],
)
def test_a_date_is_shown_as_its_format_says(value: Moment, code: str, shown: str) -> None:
    assert shown_moment(value, code) == shown


@pytest.mark.parametrize("code", ["m/d/yy", "dd.mm.yyyy hh:mm", "[$-407]d. mmmm yyyy", "0.00", "[Red]yyyy"])
def test_a_date_whose_order_or_language_is_unknown_has_no_text_of_its_format(code: str) -> None:
    assert shown_moment(MOMENT, code) is None


def test_cells_have_the_text_that_the_sheet_shows_and_the_value_that_the_file_has(tmp_path: Path) -> None:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    sheet = book.add_worksheet("Ledger")
    sheet.write_row(0, 1, ["Share", "Price", "Day", "Due", "Plain"])
    formats = [{"num_format": code} for code in ("0.0%", "$#,##0.00", "d mmm yyyy", "m/d/yyyy")]
    for at in (3, 4):
        values = [0.125, 1234.5, date(2024, 3, 5), date(2024, 4, 6)]
        for column, (value, code) in enumerate(zip(values, formats, strict=True), 1):
            sheet.write(at, column, value, book.add_format(code))
        sheet.write(at, 5, 7)
    book.close()
    *_, table = blocks(tmp_path, out.getvalue())
    assert [(cell.text, cell.value, cell.value_type) for cell in table.rows[0]] == [
        ("12.5%", 0.125, "number"),
        ("$1,234.50", 1234.5, "number"),
        ("5 Mar 2024", "2024-03-05", "date"),
        ("2024-04-06", "2024-04-06", "date"),
        ("7", 7, "number"),
    ]
    assert [cell_number(cell) for cell in table.rows[0][:2]] == [0.125, 1234.5]


def test_an_ods_cell_has_the_text_that_the_file_has_for_its_value(tmp_path: Path) -> None:
    office = "urn:oasis:names:tc:opendocument:xmlns"
    cells = "".join(
        f'<t:table-cell o:value-type="{kind}" o:{name}="{value}"><x:p>{text}</x:p></t:table-cell>'
        for kind, name, value, text in (
            ("percentage", "value", "0.125", "12.5%"),
            ("currency", "value", "1234.5", "€1,234.50"),
            ("date", "date-value", "2024-03-05", "5 March 2024"),
            ("date", "date-value", "2024-04-06", "06/04/24"),
        )
    )
    content = (
        f'<o:document-content xmlns:o="{office}:office:1.0" xmlns:t="{office}:table:1.0" xmlns:x="{office}:text:1.0">'
        f'<o:body><o:spreadsheet><t:table t:name="S"><t:table-row>{cells}</t:table-row></t:table></o:spreadsheet>'
        "</o:body></o:document-content>"
    )
    made = zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content})
    *_, table = blocks(tmp_path, made)
    assert [(cell.text, cell.value) for cell in table.rows[0]] == [
        ("12.5%", 0.125),
        ("€1,234.50", 1234.5),
        ("5 March 2024", "2024-03-05"),
        ("2024-04-06", "2024-04-06"),
    ]


def test_a_chart_has_the_titles_of_its_axes(tmp_path: Path) -> None:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    sheet = book.add_worksheet("Data")
    sheet.write_column(0, 0, [1, 2])
    chart = book.add_chart({"type": "column"})
    chart.add_series({"values": "=Data!$A$1:$A$2"})
    chart.set_x_axis({"name": "Months"})
    chart.set_y_axis({"name": "Tonnes"})
    sheet.insert_chart("C3", chart)
    book.close()
    *_, axis, table = blocks(tmp_path, out.getvalue())
    assert (axis.text, axis.role, table.role) == ("Tonnes", "chart", "chart")
    assert table.header[0].text == "Months"
