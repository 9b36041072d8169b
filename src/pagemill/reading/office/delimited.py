"""CSV and TSV: one long table, cut into pages."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from pagemill.errors import DocumentCorrupt
from pagemill.model.pages import Block, Cell, Kind, Origin, Page
from pagemill.model.sniffing import DELIMITERS, without_delimiter_line
from pagemill.reading.clean import clean
from pagemill.reading.office.reading_limits import MAX_CELLS, check_count
from pagemill.reading.office.sheets.values import CellRange
from pagemill.reading.office.sheets.workbook import PAGE_ROWS, PROVIDER

SAMPLE_CHARACTERS = 16_384
LONGEST_FIELD = 1 << 20


def dialect_of(text: str) -> type[csv.Dialect] | None:
    """How the columns of a text are divided; None if it is no table."""
    sample = text[:SAMPLE_CHARACTERS].rpartition("\n")[0] or text[:SAMPLE_CHARACTERS]
    try:
        return csv.Sniffer().sniff(sample, DELIMITERS)
    except csv.Error:
        return None


@dataclass
class DelimitedTable:
    """The rows of a CSV or TSV file."""

    text: str
    delimiter: str | None = None

    @cached_property
    def rows(self) -> list[list[str]]:
        """All rows that have something in them."""
        csv.field_size_limit(LONGEST_FIELD)
        text = without_delimiter_line(self.text)
        known = dialect_of(text)
        delimiter = self.delimiter or (known.delimiter if known else ",")
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        rows: list[list[str]] = []
        cells = 0
        try:
            for row in reader:
                cells += len(row)
                check_count(cells, MAX_CELLS, "cells")
                if any(row):
                    rows.append(row)
        except csv.Error as error:
            raise DocumentCorrupt(f"The table breaks off in line {reader.line_num}.") from error
        return rows

    @property
    def total_pages(self) -> int:
        """How many pages there are."""
        return max(1, -(-max(len(self.rows) - 1, 1) // PAGE_ROWS))

    def pages(self, numbers: Sequence[int]) -> Iterator[Page]:
        """The pages with these numbers; each repeats the header."""
        header = tuple(Cell(clean(one.strip())) for one in self.rows[0]) if self.rows else ()
        for page in numbers:
            first = 1 + (page - 1) * PAGE_ROWS
            body = self.rows[first : first + PAGE_ROWS]
            yield Page(page, 0.0, 0.0, PROVIDER, tuple(_table(header, body, page, first)))


def _table(header: tuple[Cell, ...], body: list[list[str]], page: int, first: int) -> Iterator[Block]:
    if not header:
        return
    width = max(len(header), *map(len, body), 1) if body else len(header)
    rows = tuple(
        tuple(Cell(clean(one.strip())) for one in row) + (Cell(""),) * (width - len(row)) for row in body
    )
    head = header + (Cell(""),) * (width - len(header))
    cells = CellRange(first if page > 1 else 0, 0, max(first + len(body) - 1, 0), width - 1).name()
    yield Block(f"p{page}-b1", Kind.TABLE, header=head, rows=rows, origin=Origin(cells=cells, index=1))
