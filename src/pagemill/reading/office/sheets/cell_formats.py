"""Which cells of a sheet have a number format; the sheet is streamed, so that a long one takes no memory."""

import re
from collections.abc import Iterator, Sequence

from pagemill.reading.office.package import Package
from pagemill.reading.office.reading_limits import MAX_SHEET_BYTES
from pagemill.reading.office.sheets.date_formats import shown_moment
from pagemill.reading.office.sheets.number_formats import is_plain, shown_number
from pagemill.reading.office.sheets.values import ShownValue, Value, column_number
from pagemill.reading.office.xml_parts import attribute, child, children, number

_STYLED = re.compile(rb'<(?:\w+:)?c\s[^>]{0,200}?\br="([A-Z]{1,3})(\d{1,7})"[^>]{0,200}>')
_STYLE = re.compile(rb'\ss="(\d{1,6})"')
_OVERLAP = 300
# Formats that every workbook has; 14 and 22 look as the reader's country has it, so they are not among them.
BUILT_IN = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    37: "#,##0_);(#,##0)",
    38: "#,##0_);(#,##0)",
    39: "#,##0.00_);(#,##0.00)",
    40: "#,##0.00_);(#,##0.00)",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
}

Formats = Sequence[str | None]


def read_formats(package: Package, main: str) -> Formats:
    """The format codes of a workbook by the number of the style; None where values are shown as they are."""
    root = package.xml_if_any(next(iter(package.related_parts(main, "styles")), None))
    if root is None:
        return ()
    own = {
        number(attribute(one, "numFmtId"), -1): attribute(one, "formatCode") or ""
        for listed in children(root, "numFmts")
        for one in children(listed, "numFmt")
    }
    listed = child(root, "cellXfs")
    ids = (
        number(attribute(one, "numFmtId")) for one in (children(listed, "xf") if listed is not None else ())
    )
    codes = [own.get(one) or BUILT_IN.get(one) for one in ids]
    return [code if code and not is_plain(code) else None for code in codes]


def row_formats(package: Package, part: str, formats: Formats) -> Iterator[tuple[int, dict[int, str]]]:
    """The format codes of the cells of each row that has some, by column; rows come in the order of the file."""
    row, found = -1, dict[int, str]()
    for at, column, code in _cells_with_format(package, part, formats):
        if at != row:
            if found:
                yield row, found
            row, found = at, {}
        found[column] = code
    if found:
        yield row, found


def _cells_with_format(package: Package, part: str, formats: Formats) -> Iterator[tuple[int, int, str]]:
    rest = b""
    for piece in package.stream(part, MAX_SHEET_BYTES):
        block, end = rest + piece, 0
        for match in _STYLED.finditer(block):
            end = match.end()
            style = _STYLE.search(match[0])
            at = int(style[1]) if style else 0
            code = formats[at] if at < len(formats) else None
            if code:
                yield int(match[2]) - 1, column_number(match[1]), code
        rest = block[max(end, len(block) - _OVERLAP) :]


def show(value: Value, code: str) -> Value | ShownValue:
    """A value with its text as the sheet shows it, if the format says how."""
    match value:
        case None | str() | bool():
            return value
        case int() | float():
            text = shown_number(value, code)
        case _:
            text = shown_moment(value, code)
    return ShownValue(value, text) if text else value


def show_rows(
    rows: Iterator[Sequence[Value]], first: int, left: int, formats: Iterator[tuple[int, dict[int, str]]]
) -> Iterator[Sequence[Value | ShownValue]]:
    """Rows from the row `first` and the column `left` on, with their values as they are shown."""
    at, codes = next(formats, (-1, {}))
    for number_, row in enumerate(rows, first):
        while 0 <= at < number_:
            at, codes = next(formats, (-1, {}))
        if at == number_:
            yield [
                show(value, code) if (code := codes.get(place)) else value
                for place, value in enumerate(row, left)
            ]
        else:
            yield row
