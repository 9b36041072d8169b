"""A workbook as pages: one for each sheet, or several for a long one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Protocol

from pagemill.errors import DocumentCorrupt
from pagemill.model.pages import Block, Cell, Kind, Origin, Page, PageError
from pagemill.reading.office.sheets.regions import PlacedRows, as_table, region_blocks, regions, with_merged
from pagemill.reading.office.sheets.values import EMPTY, CellRange, ShownValue, Value, cell_of
from pagemill.reading.office.writing import heading
from pagemill.reading.windows import WINDOW_PAGES

PROVIDER = "office"
HIDDEN_SHEET = "hidden_sheet"
# A page of more rows is slow to show and heavy to hold.
PAGE_ROWS = 1_000


class WorkbookSheet(Protocol):
    """One sheet of a workbook, whatever the format."""

    name: str
    hidden: bool

    def size(self) -> CellRange | None:
        """The range from the first to the last used cell; None for an empty sheet."""
        ...

    def rows(self) -> Iterable[Sequence[Value | ShownValue]]:
        """The rows of that range, read one by one."""
        ...

    def merged_ranges(self) -> Sequence[CellRange]:
        """The cells that were made one."""
        ...

    def links(self) -> Mapping[tuple[int, int], str]:
        """Where the links in cells lead, by row and column."""
        ...

    def extras(self) -> list[Block]:
        """Charts, images, text boxes and comments of the sheet."""
        ...


@dataclass
class Workbook:
    """A workbook, read sheet by sheet."""

    sheets: Sequence[WorkbookSheet]
    _plan: list[tuple[int, int]] = field(default_factory=list)

    @property
    def plan(self) -> list[tuple[int, int]]:
        """For each page its sheet, and which piece of the sheet it is."""
        if not self._plan:
            self._plan = [
                (at, piece) for at, sheet in enumerate(self.sheets) for piece in range(_pieces(sheet))
            ]
        return self._plan

    @property
    def total_pages(self) -> int:
        """How many pages there are."""
        return len(self.plan)

    def check_sheets(self) -> None:
        """Load the sheets of a workbook that is read in one go; DocumentCorrupt if one of them is damaged."""
        if self.total_pages <= WINDOW_PAGES:
            for sheet in self.sheets:
                sheet.merged_ranges()

    def pages(self, numbers: Sequence[int]) -> Iterator[Page]:
        """The pages with these numbers, in order; each sheet is read once, from its start."""
        wanted: dict[int, set[int]] = {}
        for one in numbers:
            wanted.setdefault(self.plan[one - 1][0], set()).add(one)
        for at in sorted(wanted):
            yield from self._sheet(at, wanted[at])

    def _sheet(self, at: int, wanted: set[int]) -> Iterator[Page]:
        """The wanted pages of one sheet; one that is damaged fails alone."""
        left = set(wanted)
        try:
            for page in sheet_pages(self.sheets[at], self.plan.index((at, 0)) + 1, wanted):
                left.discard(page.number)
                yield page
        except DocumentCorrupt as error:
            failure = PageError(error.code, error.message)
            yield from (Page(one, 0.0, 0.0, PROVIDER, confidence=0.0, error=failure) for one in sorted(left))


def _pieces(sheet: WorkbookSheet) -> int:
    size = sheet.size()
    return 1 if size is None else max(1, -(-(size.bottom - size.top + 1) // PAGE_ROWS))


def sheet_pages(sheet: WorkbookSheet, first: int, wanted: set[int]) -> Iterator[Page]:
    """The wanted pages of a sheet whose first page has the number `first`."""
    last = max(wanted)
    pieces, header = _pieces(sheet), _Header()
    rows = iter(sheet.rows())
    size, links = sheet.size() or CellRange(0, 0, 0, 0), sheet.links()
    for page in range(first, last + 1):
        piece = page - first
        taken = [_cells(row, size.right - size.left + 1) for row in islice(rows, PAGE_ROWS)]
        top = size.top + piece * PAGE_ROWS
        _add_links(taken, top, size.left, links)
        with_merged(taken, top, size.left, sheet.merged_ranges())
        blocks = list(_blocks(PlacedRows(taken, top, size.left), sheet, header))
        if page in wanted:
            opening = [heading(sheet.name, 1)] if piece == 0 else []
            closing = sheet.extras() if piece == pieces - 1 else []
            yield _page(page, sheet, [*opening, *blocks, *closing])


def _cells(row: Sequence[Value | ShownValue], width: int) -> list[Cell]:
    cells = [cell_of(value) for value in row]
    return cells + [EMPTY] * (width - len(cells))


def _add_links(rows: list[list[Cell]], top: int, left: int, links: Mapping[tuple[int, int], str]) -> None:
    """Give cells the links that they have in the file."""
    for (row, column), href in links.items():
        line, place = row - top, column - left
        if 0 <= line < len(rows) and 0 <= place < len(rows[line]) and rows[line][place].text:
            rows[line][place] = replace(rows[line][place], href=href)


def _page(page: int, sheet: WorkbookSheet, blocks: Iterable[Block]) -> Page:
    named = tuple(_name_block(block, page, at, sheet.name) for at, block in enumerate(blocks, 1))
    warnings = (HIDDEN_SHEET,) if sheet.hidden else ()
    return Page(page, 0.0, 0.0, PROVIDER, named, label=sheet.name, warnings=warnings)


def _name_block(block: Block, page: int, count: int, sheet: str) -> Block:
    origin = replace(block.origin or Origin(), sheet=sheet, index=count)
    return replace(block, id=f"p{page}-b{count}", origin=origin)


@dataclass(slots=True)
class _Header:
    """The header of the table that reaches the end of a piece, for the piece that follows."""

    cells: tuple[Cell, ...] = ()
    left: int = -1
    last_row: int = -1


def _blocks(grid: PlacedRows, sheet: WorkbookSheet, header: _Header) -> Iterator[Block]:
    """The tables of a piece; one that goes on from the piece before gets its header again."""
    for part in regions(grid):
        where = part.cells()
        goes_on = header.cells and header.last_row == where.top - 1 and header.left == where.left
        if goes_on and len(part.rows[0]) <= len(header.cells):
            origin = Origin(sheet=sheet.name, cells=where.name())
            blocks = [
                replace(
                    as_table([header.cells, *part.rows], origin),
                    header=header.cells,
                    rows=_fill_rows(part, header),
                )
            ]
        else:
            blocks = list(region_blocks(part, sheet.name))
        for block in blocks:
            if block.kind is Kind.TABLE and where.bottom == grid.top + len(grid.rows) - 1 and block.header:
                header.cells, header.left, header.last_row = block.header, where.left, where.bottom
        yield from blocks


def _fill_rows(part: PlacedRows, header: _Header) -> tuple[tuple[Cell, ...], ...]:
    width = len(header.cells)
    return tuple((*row, *(EMPTY,) * (width - len(row))) for row in part.rows)
