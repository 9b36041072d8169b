"""Tables on a sheet: rectangles of cells with blank rows and columns around them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pagemill.model.pages import Block, Cell, Kind, Origin, Span
from pagemill.reading.office.sheets.values import EMPTY, CellRange
from pagemill.reading.page.headed_tables import headed_table

Grid = Sequence[Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class PlacedRows:
    """Rows of a sheet, and where the first of their cells is."""

    rows: Grid
    top: int
    left: int

    def cells(self) -> CellRange:
        """The range that the rows take up."""
        width = max(map(len, self.rows), default=1)
        return CellRange(self.top, self.left, self.top + len(self.rows) - 1, self.left + width - 1)


def regions(grid: PlacedRows) -> Iterator[PlacedRows]:
    """The rectangles that hold something, from the top, and from the left where they are side by side."""
    for band in _bands(grid):
        columns = list(_columns(band))
        if len(columns) < 2 or _share_rows(columns):
            yield _trim(band)
        else:
            for part in columns:
                yield from regions(part) if len(list(_bands(part))) > 1 else [_trim(part)]


def _bands(grid: PlacedRows) -> Iterator[PlacedRows]:
    """The rows between blank ones."""
    first: int | None = None
    for at, row in enumerate((*grid.rows, ())):
        filled = any(cell.text for cell in row)
        if filled and first is None:
            first = at
        elif not filled and first is not None:
            yield PlacedRows(grid.rows[first:at], grid.top + first, grid.left)
            first = None


def _columns(band: PlacedRows) -> Iterator[PlacedRows]:
    """The columns between blank ones; a cell that spans some fills them."""
    width = max(map(len, band.rows), default=0)
    used = [False] * (width + 1)
    for row in band.rows:
        for at, cell in enumerate(row):
            if cell.text:
                used[at : at + cell.column_span] = [True] * (min(at + cell.column_span, width) - at)
    first: int | None = None
    for at in range(width + 1):
        if used[at] and first is None:
            first = at
        elif not used[at] and first is not None:
            yield PlacedRows([row[first:at] for row in band.rows], band.top, band.left + first)
            first = None


def _share_rows(parts: Sequence[PlacedRows]) -> bool:
    """Whether parts side by side have words in the same rows, so that they are one table with blank columns."""
    spans = [{at for at, row in enumerate(part.rows) if any(cell.text for cell in row)} for part in parts]
    widest = max(spans, key=len)
    return all(span <= widest for span in spans) and all(
        len(part.rows[0]) < 2 or span == widest for part, span in zip(parts, spans, strict=True)
    )


def _trim(part: PlacedRows) -> PlacedRows:
    """The part without blank rows and columns at its edges."""
    rows = list(part.rows)
    top, left = part.top, part.left
    while rows and not any(cell.text for cell in rows[0]):
        rows, top = rows[1:], top + 1
    while rows and not any(cell.text for cell in rows[-1]):
        rows = rows[:-1]
    filled = [at for row in rows for at, cell in enumerate(row) if cell.text]
    first = min(filled, default=0)
    last = max((at + cell.column_span for row in rows for at, cell in enumerate(row) if cell.text), default=1)
    return PlacedRows([row[first:last] for row in rows], top, left + first)


def region_blocks(part: PlacedRows, sheet: str) -> Iterator[Block]:
    """A table, after the line above it that names it; a cell alone is a paragraph."""
    rows = list(part.rows)
    origin = Origin(sheet=sheet, cells=part.cells().name())
    texts = [cell for row in rows for cell in row if cell.text]
    if len(texts) == 1:
        link = Span(0, len(texts[0].text), href=texts[0].href)
        spans = (link,) if link.href else ()
        yield Block("", Kind.PARAGRAPH, text=texts[0].text, spans=spans, origin=origin)
        return
    if len(rows) > 2 and _says_one_thing(rows[0]) and not _says_one_thing(rows[1]):
        cell = next(cell for cell in rows[0] if cell.text)
        where = CellRange(part.top, part.left, part.top, part.cells().right)
        yield Block("", Kind.CAPTION, text=cell.text, origin=Origin(sheet=sheet, cells=where.name()))
        below = _trim(PlacedRows(rows[1:], part.top + 1, part.left))
        rows, origin = list(below.rows), Origin(sheet=sheet, cells=below.cells().name())
    yield as_table(rows, origin)


def _says_one_thing(row: Sequence[Cell]) -> bool:
    return sum(bool(cell.text) for cell in row) == 1


def as_table(rows: Grid, origin: Origin) -> Block:
    """Rows of cells as a table; the first is its header if it has words alone and others have more."""
    width = max(map(len, rows), default=0)
    filled = tuple(tuple(row) + (EMPTY,) * (width - len(row)) for row in rows)
    heads = len(filled) > 1 and is_header(filled[0], filled[1])
    return replace(headed_table(filled, int(heads)), origin=origin)


def is_header(first: Sequence[Cell], second: Sequence[Cell]) -> bool:
    """Whether a row names the columns: words without values, in as many columns as the row below."""
    texts = [cell for cell in first if cell.text]
    below = sum(bool(cell.text) for cell in second)
    return bool(texts) and all(cell.value is None for cell in texts) and len(texts) >= min(below, 2)


def with_merged(rows: list[list[Cell]], top: int, left: int, merged: Sequence[CellRange]) -> None:
    """Give cells that were merged their spans; the places that they cover are emptied."""
    bottom = top + len(rows) - 1
    for area in merged:
        if area.top < top or area.top > bottom or area.left < left:
            continue
        row = rows[area.top - top]
        at = area.left - left
        if at >= len(row) or not row[at].text:
            continue
        height = min(area.bottom, bottom) - area.top + 1
        width = min(area.right - area.left + 1, len(row) - at)
        row[at] = replace(row[at], row_span=height, column_span=max(width, 1))
        _cover(rows, area.top - top, at, height, width)


def _cover(rows: list[list[Cell]], first: int, at: int, height: int, width: int) -> None:
    for line in range(first, first + height):
        for place in range(at, min(at + width, len(rows[line]))):
            if (line, place) != (first, at):
                rows[line][place] = EMPTY
