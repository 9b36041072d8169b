"""ODS: sheets of OpenDocument, with typed values and cells that span others."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pagemill.errors import DocumentCorrupt
from pagemill.model.pages import Block, Kind, Origin
from pagemill.reading.office.package import Package
from pagemill.reading.office.reading_limits import MAX_CELLS, check_count
from pagemill.reading.office.sheets.values import CellRange, ShownValue, Value
from pagemill.reading.office.sheets.workbook import Workbook
from pagemill.reading.office.writing import safe_link
from pagemill.reading.office.xml_parts import Element, attribute, child, children, descendants, local, number

_DURATION = re.compile(r"-?PT(\d+)H(\d+)M(\d+)")
# Day and month as numbers, in an order that depends on the reader's country.
_NUMERIC_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}(?:\1\d{0,4})?(?!\d)")
WIDEST, LONGEST = 16_384, 1_048_576


@dataclass
class OdsSheet:
    """A sheet whose rows are unrolled once: those that repeat are repeated, blank ones at the end are dropped."""

    element: Element
    name: str
    hidden: bool
    _grid: list[list[Value | ShownValue]] | None = None
    _merged: list[CellRange] = field(default_factory=list)
    _comments: list[Block] = field(default_factory=list)
    _links: dict[tuple[int, int], str] = field(default_factory=dict)

    def size(self) -> CellRange | None:
        """The range from the first cell of the sheet to the last used one."""
        grid = self._unroll()
        width = max(map(len, grid), default=0)
        return CellRange(0, 0, len(grid) - 1, width - 1) if width else None

    def rows(self) -> Sequence[Sequence[Value | ShownValue]]:
        """The rows of that range."""
        return self._unroll()

    def merged_ranges(self) -> Sequence[CellRange]:
        """The cells that were made one."""
        self._unroll()
        return self._merged

    def links(self) -> Mapping[tuple[int, int], str]:
        """Where the links in cells lead, by row and column."""
        self._unroll()
        return self._links

    def extras(self) -> list[Block]:
        """The comments to cells."""
        self._unroll()
        return self._comments

    def _unroll(self) -> list[list[Value | ShownValue]]:
        if self._grid is None:
            self._grid = []
            total, waiting = 0, 0
            for row in _rows(self.element):
                cells = self._row(row, len(self._grid) + waiting)
                repeat = min(max(number(attribute(row, "number-rows-repeated"), 1), 1), LONGEST)
                if not cells:
                    waiting += repeat
                    continue
                total += len(cells) * repeat + waiting
                check_count(total, MAX_CELLS, "cells in a sheet")
                self._grid += [[] for _ in range(waiting)]
                self._grid += [cells for _ in range(repeat)]
                waiting = 0
        return self._grid

    def _row(self, row: Element, at: int) -> list[Value | ShownValue]:
        """The values of a row up to the last that is there."""
        cells: list[Value | ShownValue] = []
        waiting = 0
        for one in children(row, "table-cell", "covered-table-cell"):
            repeat = min(max(number(attribute(one, "number-columns-repeated"), 1), 1), WIDEST)
            value = _shown_value(one) if local(one) == "table-cell" else None
            self._note(one, at, len(cells) + waiting)
            if value is None:
                waiting += repeat
                continue
            check_count(len(cells) + waiting + repeat, WIDEST, "columns in a sheet")
            cells += [None] * waiting + [value] * repeat
            waiting = 0
        return cells

    def _note(self, cell: Element, row: int, column: int) -> None:
        rows, columns = (
            number(attribute(cell, "number-rows-spanned"), 1),
            number(attribute(cell, "number-columns-spanned"), 1),
        )
        if rows > 1 or columns > 1:
            self._merged.append(CellRange(row, column, row + rows - 1, column + columns - 1))
        if href := next(
            (link for one in descendants(cell, "a") if (link := safe_link(attribute(one, "href")))), None
        ):
            self._links[row, column] = href
        comment = child(cell, "annotation")
        if comment is not None:
            name = CellRange(row, column, row, column).name()
            text = f"[{name}] {_words(comment)}"
            self._comments.append(
                Block("", Kind.FOOTNOTE, text=text, role="comment", origin=Origin(cells=name))
            )


def _rows(element: Element) -> Iterator[Element]:
    for one in children(element):
        if local(one) == "table-row":
            yield one
        elif local(one) in ("table-row-group", "table-header-rows", "table-rows"):
            yield from _rows(one)


def _shown_value(cell: Element) -> Value | ShownValue:
    """The value of a cell, with the text that the file has for it; numeric dates are written as ISO dates."""
    value, text = _value(cell), _words(cell)
    is_date = isinstance(value, datetime)
    if value is None or isinstance(value, str) or not text or (is_date and _NUMERIC_DATE.match(text)):
        return value
    return ShownValue(value, text)


def _value(cell: Element) -> Value:
    kind = attribute(cell, "value-type")
    match kind:
        case "float" | "percentage" | "currency":
            return _float(attribute(cell, "value")) if attribute(cell, "value") else _words(cell) or None
        case "boolean":
            return attribute(cell, "boolean-value") == "true"
        case "date":
            return _date(attribute(cell, "date-value")) or _words(cell) or None
        case "time":
            return _time(attribute(cell, "time-value")) or _words(cell) or None
    return _words(cell) or None


def _float(text: str | None) -> Value:
    try:
        value = float(text or "")
    except ValueError:
        return text
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def _date(text: str | None) -> Value:
    try:
        return datetime.fromisoformat((text or "").removesuffix("Z"))
    except ValueError:
        return text


def _time(text: str | None) -> Value:
    match = _DURATION.match(text or "")
    return timedelta(hours=int(match[1]), minutes=int(match[2]), seconds=int(match[3])) if match else text


def _words(element: Element) -> str:
    """The paragraphs of a cell, without those of a comment to it."""
    return "\n".join("".join(one.itertext()) for one in children(element, "p")).strip()


def read_ods(package: Package) -> Workbook:
    """The sheets of an OpenDocument spreadsheet."""
    root = package.xml("content.xml")
    body = child(root, "body", "spreadsheet")
    if body is None:
        raise DocumentCorrupt("The file has no sheets.")
    hidden = {attribute(style, "name") for style in descendants(root, "style") if _is_hidden(style)}
    return Workbook(
        [
            OdsSheet(one, attribute(one, "name") or "", attribute(one, "style-name") in hidden)
            for one in children(body, "table")
        ]
    )


def _is_hidden(style: Element) -> bool:
    return attribute(child(style, "table-properties"), "display") == "false"
