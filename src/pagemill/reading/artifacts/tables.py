"""Tables: each as CSV, and all of them in one workbook.

Words of a document never become formulas. In the workbook a cell is a number if nothing of it is lost in that way,
otherwise text. In CSV, where a program that opens the file
decides, a cell that begins like a formula and is no number gets an apostrophe in front.
"""

import csv
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pagemill.model.artifacts import MadeFile
from pagemill.model.formats import ON_DEMAND
from pagemill.model.pages import Block, Cell, Kind, Rows
from pagemill.reading.artifacts.stored import Original, appearing, made_file
from pagemill.reading.stored_document import StoredDocument
from pagemill.reading.writers.figures import captions
from pagemill.reading.writers.table_html import head_rows

if TYPE_CHECKING:
    from xlsxwriter import Workbook  # type: ignore[import-untyped]
    from xlsxwriter.worksheet import Worksheet  # type: ignore[import-untyped]

# Some programs pass over spaces, and take the wide forms of East Asian writing for the usual ones.
FORMULA_START = tuple("=+-@\uff1d\uff0b\uff0d\uff20")
SPACE_START = ("\t", "\r", "\n")
# Where programs end a cell that take semicolons or tabs for what parts cells, whatever quotes there are in the line.
BETWEEN_CELLS = re.compile(r"([;\t\r\n])")
NUMBER = re.compile(r"[+-]?\s?[$€£¥]?\s?\d[\d.,'\s]*(e[+-]?\d+)?\s?%?", re.IGNORECASE)
# Without a leading zero; thousands are parted by commas only where that can't be a decimal comma.
PLAIN_NUMBER = re.compile(
    r"[-\u2212]?(?:(?:0|[1-9]\d*)(?:\.\d+)?|[1-9]\d{0,2}(?:,\d{3})+\.\d+|[1-9]\d{0,2}(?:,\d{3}){2,})",
    re.ASCII,
)
# What a workbook's floating-point numbers hold.
MOST_DIGITS = 15
INDEX_SHEET, FURTHER_SHEET = "Index", "Further tables"
INDEX_COLUMNS = ("Table", "Page", "Rows", "Columns", "Caption", "Sheet", "First row")
# Each sheet keeps a file open until the workbook is done.
MOST_SHEETS = 500
# Limits of the format.
MOST_ROWS, MOST_COLUMNS, MOST_CHARACTERS = 1_048_576, 16_384, 32_767
# The same document gives the same bytes, whenever it is made.
CREATED = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table of the document, the page that it begins on, and its caption."""

    block: Block
    page: int
    caption: str

    @property
    def rows(self) -> Rows:
        """All rows, the header first."""
        return self.block.all_rows

    def file(self) -> MadeFile:
        """What is known of the table's CSV before it is written."""
        columns = max(map(len, self.rows), default=0)
        return MadeFile(
            f"{self.block.id}.csv", page=self.page, caption=self.caption, rows=len(self.rows), columns=columns
        )


def make_tables(document: StoredDocument, _: Original, folder: Path) -> tuple[MadeFile, ...]:
    """The workbook, then a CSV for each table."""
    files = []
    workbook_file = folder / ON_DEMAND["tables"].file
    with appearing(workbook_file) as part, workbook(part) as book:
        for table in find_tables(document):
            book.add(table)
            files.append(write_csv(table, folder))
    return (made_file(workbook_file), *files)


def find_tables(document: StoredDocument) -> Iterator[FoundTable]:
    """The tables of a document, one at a time."""
    for page in document.pages():
        tables = [block for block in page.blocks if block.kind is Kind.TABLE]
        known = captions(page.blocks) if tables else {}
        for block in tables:
            yield FoundTable(block, page.number, known.get(block.id, ""))


def write_csv(table: FoundTable, folder: Path) -> MadeFile:
    """Write the CSV of one table."""
    entry = table.file()
    with appearing(folder / entry.name) as part, part.open("w", encoding="utf-8", newline="") as file:
        write_rows(table.rows, file)
    whole = made_file(folder / entry.name)
    return replace(entry, size_bytes=whole.size_bytes, sha256=whole.sha256)


def write_rows(rows: Rows, file: IO[str]) -> None:
    """Rows as CSV (RFC 4180), with line breaks inside of cells kept."""
    lines = csv.writer(file)
    for row in rows:
        lines.writerow([harmless(cell.text) for cell in row])


def harmless(text: str) -> str:
    """The text of a cell, with an apostrophe where a spreadsheet might take it, or the rest of it, for a formula."""
    start = "'" if text.startswith(SPACE_START) else ""
    return start + "".join(map(with_apostrophe, BETWEEN_CELLS.split(text)))


def with_apostrophe(text: str) -> str:
    """A cell, or a part of one, with an apostrophe if it begins like a formula and is no number."""
    begins_so = text.lstrip().startswith(FORMULA_START)
    return f"'{text}" if begins_so and not NUMBER.fullmatch(text.strip()) else text


def number_in(text: str) -> float | None:
    """The number that a cell holds; None if it is none, or more than one could be meant, or digits would be lost.

    A leading zero and a long row of digits belong to identifiers; `1,234` is one thing in London and another in Berlin.
    """
    if not PLAIN_NUMBER.fullmatch(text) or sum(map(str.isdigit, text)) > MOST_DIGITS:
        return None
    return float(text.replace(",", "").replace("\u2212", "-"))


def cell_number(cell: Cell) -> float | None:
    """The number in a cell: its value, where a spreadsheet had one, or what its text says."""
    if cell.value_type == "number" and isinstance(cell.value, int | float):
        return float(cell.value)
    return number_in(cell.text)


class TableBook:
    """A workbook with a sheet for each table, and an index in front."""

    def __init__(self, book: "Workbook") -> None:
        self._book = book
        self._bold = book.add_format({"bold": True})
        self._index = book.add_worksheet(INDEX_SHEET)
        self._index.write_row(0, 0, INDEX_COLUMNS, self._bold)
        self.count = 0
        self._further: Worksheet | None = None
        self._further_row = 0

    def add(self, table: FoundTable) -> None:
        """Write one table, and its line in the index; past the last sheet of its own, tables are below each other."""
        self.count += 1
        if self.count < MOST_SHEETS:
            sheet, first = self._book.add_worksheet(table.block.id), 0
        else:
            self._further = self._further or self._book.add_worksheet(FURTHER_SHEET)
            sheet, first = self._further, self._further_row
            self._further_row += len(table.rows) + 1
        self._write(sheet, first, table)
        self._note(table, sheet.get_name(), first)

    def _write(self, sheet: "Worksheet", first: int, table: FoundTable) -> None:
        heads = head_rows(table.block)
        for at, row in enumerate(table.rows[: MOST_ROWS - first], first):
            style = self._bold if at < first + heads else None
            for column, cell in enumerate(row[:MOST_COLUMNS]):
                number = cell_number(cell)
                if number is None:
                    sheet.write_string(at, column, cell.text[:MOST_CHARACTERS], style)
                else:
                    sheet.write_number(at, column, number, style)

    def _note(self, table: FoundTable, sheet: str, first: int) -> None:
        entry, row = table.file(), self.count
        self._index.write_string(row, 0, table.block.id)
        self._index.write_number(row, 1, table.page)
        self._index.write_number(row, 2, entry.rows or 0)
        self._index.write_number(row, 3, entry.columns or 0)
        self._index.write_string(row, 4, table.caption[:MOST_CHARACTERS])
        self._index.write_string(row, 5, sheet)
        self._index.write_number(row, 6, first + 1)


@contextmanager
def workbook(file: Path) -> Iterator[TableBook]:
    """A workbook that is written as it grows, never held in memory."""
    import xlsxwriter

    # Its temporary files stay where all others of ours are.
    workbook_options = {"constant_memory": True, "tmpdir": str(file.parent), "use_zip64": True}
    with closing(xlsxwriter.Workbook(str(file), workbook_options)) as book:
        book.set_properties({"created": CREATED})
        yield TableBook(book)
