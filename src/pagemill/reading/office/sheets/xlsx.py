"""XLSX and XLS through calamine; what could exhaust the memory is looked for before anything is read."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import IO

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from pagemill.errors import DocumentCorrupt, PasswordRequired
from pagemill.model.pages import Block
from pagemill.reading.office.package import MACROS, Package, main_part
from pagemill.reading.office.reading_limits import MAX_CELLS, MAX_SHEET_BYTES, check_count
from pagemill.reading.office.sheets.cell_formats import Formats, read_formats, row_formats, show_rows
from pagemill.reading.office.sheets.cell_links import cell_links
from pagemill.reading.office.sheets.sheet_drawings import drawing_blocks
from pagemill.reading.office.sheets.unread_cells import fill_unread, has_unread_cells, unread_cells
from pagemill.reading.office.sheets.values import CellRange, ShownValue, Value, column_number
from pagemill.reading.office.sheets.workbook import Workbook
from pagemill.reading.office.xml_parts import attribute, child, children

_CELL = re.compile(rb'<(?:\w+:)?c\s[^>]*?\br="([A-Z]{1,3})(\d{1,7})"')
# Twice as quick, for sheets whose names have no prefix: nearly all.
_PLAIN_CELL = re.compile(rb'<c\s[^>]*?\br="([A-Z]{1,3})(\d{1,7})"')
_OVERLAP = 300
MOST_SHARED_BYTES = 256 << 20
MOST_ROWS, MOST_COLUMNS = 1 << 20, 1 << 14


@dataclass
class CalamineSheetSource:
    """A sheet that calamine reads, when it is first needed."""

    book: CalamineWorkbook
    index: int
    name: str
    hidden: bool
    package: Package | None = None
    part: str | None = None
    known_size: CellRange | None = None
    has_unread: bool = False
    formats: Formats = ()
    _sheet: CalamineSheet | None = field(default=None, repr=False)

    def _load_sheet(self) -> CalamineSheet:
        if self._sheet is None:
            try:
                self._sheet = self.book.get_sheet_by_index(self.index)
            except CalamineError as error:
                raise DocumentCorrupt(f"The sheet {self.name!r} can't be read.") from error
            check_end(self._sheet)
        return self._sheet

    def size(self) -> CellRange | None:
        """The range from the first to the last used cell."""
        if self.known_size is not None:
            return self.known_size
        sheet = self._load_sheet()
        if sheet.start is None or sheet.end is None:
            return None
        area = CellRange(*sheet.start, *sheet.end)
        check_cells(area)
        return area

    def rows(self) -> Iterator[Sequence[Value | ShownValue]]:
        """The rows from the first used one on, with values as the sheet shows them where the file says how."""
        size = self.size()
        if size is None or not self.package or not self.part:
            return self._rows()
        rows = self._rows()
        if self.has_unread:
            rows = fill_unread(rows, size.top, size.left, unread_cells(self.package, self.part))
        if any(self.formats):
            return show_rows(rows, size.top, size.left, row_formats(self.package, self.part, self.formats))
        return rows

    def _rows(self) -> Iterator[Sequence[Value]]:
        sheet, size = self._load_sheet(), self.size()
        start = sheet.start
        if size is None or start is None:
            return
        blank: Sequence[Value] = [None] * (size.right - size.left + 1)
        # calamine begins with the first row of the sheet and the first used column; formats may use less than cell
        # references say.
        yield from (blank for _ in range(size.top, start[0]))
        lead: list[Value] = [None] * (start[1] - size.left)
        rows: Iterable[Sequence[Value]] = islice(sheet.iter_rows(), start[0], None)
        for row in rows:
            yield [*lead, *row[len(row) - (sheet.width or 0) :]]

    def merged_ranges(self) -> Sequence[CellRange]:
        """The cells that were made one."""
        ranges = self._load_sheet().merged_cell_ranges or []
        return [CellRange(*first, *last) for first, last in ranges]

    def links(self) -> Mapping[tuple[int, int], str]:
        """Where the links in cells lead, by row and column."""
        return cell_links(self.package, self.part) if self.package and self.part else {}

    def extras(self) -> list[Block]:
        """Charts, images, text boxes and comments of the sheet."""
        return drawing_blocks(self.package, self.part) if self.package and self.part else []


def check_end(sheet: CalamineSheet) -> None:
    """DocumentCorrupt if a cell is where no sheet has any: calamine would count up to its row."""
    if sheet.end and (sheet.end[0] >= MOST_ROWS or sheet.end[1] >= MOST_COLUMNS):
        raise DocumentCorrupt(f"The sheet {sheet.name!r} has a cell outside of its rows and columns.")


def read_workbook(path: str) -> Workbook:
    """An XLS, or any other workbook that calamine reads by itself."""
    book = _open_workbook(path)
    return Workbook(
        [
            CalamineSheetSource(book, at, meta.name, meta.visible is not SheetVisibleEnum.Visible)
            for at, meta in enumerate(book.sheets_metadata)
            if meta.typ in (SheetTypeEnum.WorkSheet, SheetTypeEnum.ChartSheet)
        ]
    )


def read_xlsx(package: Package, path: str | IO[bytes]) -> Workbook:
    """An XLSX, with the drawings of its sheets."""
    main = main_part(package, "xl/workbook.xml")
    if package.related_parts(main, "vbaProject"):
        package.warn(MACROS)
    parts = sheet_parts(package, main)
    check_shared(package, main)
    scans = {part: scan_sheet(package, part) for part in parts.values() if package.has(part)}
    book, formats = _open_workbook(path), read_formats(package, main)
    return Workbook(
        [
            CalamineSheetSource(
                book=book,
                index=at,
                name=meta.name,
                hidden=meta.visible is not SheetVisibleEnum.Visible,
                package=package,
                part=part,
                known_size=scan.size,
                has_unread=scan.has_unread,
                formats=formats,
            )
            for at, meta in enumerate(book.sheets_metadata)
            for part in [parts.get(meta.name, "")]
            for scan in [scans.get(part, SheetScan())]
            if meta.typ in (SheetTypeEnum.WorkSheet, SheetTypeEnum.ChartSheet)
        ]
    )


def _open_workbook(path: str | IO[bytes]) -> CalamineWorkbook:
    try:
        return CalamineWorkbook.from_object(path)
    except PasswordError as error:
        raise PasswordRequired() from error
    except CalamineError as error:
        raise DocumentCorrupt("The workbook can't be opened.") from error


def sheet_parts(package: Package, main: str) -> dict[str, str]:
    """The parts of the sheets, by the names of the sheets."""
    listed = child(package.xml(main), "sheets")
    found = {}
    for one in children(listed, "sheet") if listed is not None else ():
        relation_id = next((value for key, value in one.attrib.items() if key.endswith("}id")), None)
        part = package.target(main, relation_id)
        if part is not None:
            found[attribute(one, "name") or ""] = part
    return found


def check_shared(package: Package, main: str) -> None:
    """Refuse a workbook whose shared texts would not fit into memory."""
    for kind in ("sharedStrings", "styles"):
        for part in package.related_parts(main, kind):
            if package.has(part):
                for _ in package.stream(part, MOST_SHARED_BYTES):
                    pass


@dataclass(frozen=True, slots=True)
class SheetScan:
    """What is known of a sheet before it is read: the range of its cells, and whether some may have no value."""

    size: CellRange | None = None
    has_unread: bool = False


def scan_sheet(package: Package, part: str) -> SheetScan:
    """Find the range of the cells that a sheet names, without building a grid of them."""
    top = left = 1 << 30
    bottom = right = -1
    rest, has_unread = b"", False
    for piece in package.stream(part, MAX_SHEET_BYTES):
        block = rest + piece
        has_unread = has_unread or has_unread_cells(block)
        if found := (_CELL if b":c" in block else _PLAIN_CELL).findall(block):
            numbers = [int(row) - 1 for row in {row for _, row in found}]
            places = [column_number(column) for column in {column for column, _ in found}]
            top, bottom = min(top, *numbers), max(bottom, *numbers)
            left, right = min(left, *places), max(right, *places)
        rest = block[-_OVERLAP:]
    if bottom < 0:
        return SheetScan()
    area = CellRange(top, left, bottom, right)
    check_cells(area)
    return SheetScan(area, has_unread)


def check_cells(area: CellRange) -> None:
    """Raise DocumentTooLarge if the cells between the first and the last one are too many."""
    count = (area.bottom - area.top + 1) * (area.right - area.left + 1)
    check_count(count, MAX_CELLS, "cells between the first and the last used one of a sheet")
