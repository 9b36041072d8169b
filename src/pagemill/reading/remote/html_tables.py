"""HTML tables, with cells that span rows and columns, as table blocks."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import takewhile

from pagemill.model.pages import Block, Cell, Kind, Rows
from pagemill.reading.clean import clean
from pagemill.reading.page.headed_tables import headed_table
from pagemill.reading.remote.markdown_source import with_dollars

# A model that miscounts may say that a cell spans a million columns.
WIDEST_SPAN = 100
# Past this, spans are not laid out any more: no printed page has as many cells.
MOST_CELLS = 20_000

_EMPTY = Cell("")


@dataclass(frozen=True, slots=True)
class _RawCell:
    """A cell as the tags say; it is not yet known in which column it is."""

    text: str
    rows: int
    columns: int
    heads: bool


@dataclass(slots=True)
class _RawTable:
    """The rows of a table as the tags say, and its caption."""

    rows: list[list[_RawCell]] = field(default_factory=list)
    caption: str = ""


def table_blocks(html: str) -> list[Block]:
    """The table in a piece of HTML, after its caption if it has one; nothing if it has no cells."""
    parser = _TableParser()
    parser.feed(html)
    parser.close()
    raw = parser.finish()
    caption = [Block("", Kind.CAPTION, text=raw.caption)] if raw.caption else []
    return [*caption, _block(raw)] if raw.rows else caption


def _block(raw: _RawTable) -> Block:
    heads = sum(1 for _ in takewhile(lambda row: all(cell.heads for cell in row), raw.rows))
    return headed_table(laid_out(raw.rows), heads)


def laid_out(rows: Sequence[Sequence[_RawCell]]) -> Rows:
    """The cells in their columns, with empty ones where another cell spans over."""
    covered: dict[tuple[int, int], Cell] = {}
    grid = []
    for number, row in enumerate(rows):
        line: list[Cell] = []
        for raw in row:
            _fill(line, covered, number)
            cell = _cell(raw, len(rows) - number, len(covered))
            _cover(covered, number, len(line), cell)
            line.append(cell)
        _fill(line, covered, number)
        grid.append(tuple(line))
    return tuple(grid)


def _fill(line: list[Cell], covered: dict[tuple[int, int], Cell], row: int) -> None:
    while (row, len(line)) in covered:
        line.append(_EMPTY)


def _cell(raw: _RawCell, rows_left: int, laid: int) -> Cell:
    if laid > MOST_CELLS:
        return Cell(raw.text)
    # HTML says that a span of zero rows reaches to the end.
    return Cell(raw.text, None, min(raw.rows or rows_left, rows_left), min(max(raw.columns, 1), WIDEST_SPAN))


def _cover(covered: dict[tuple[int, int], Cell], row: int, column: int, cell: Cell) -> None:
    for down in range(cell.row_span):
        for right in range(cell.column_span):
            if down or right:
                covered[row + down, column + right] = _EMPTY


class _TableParser(HTMLParser):
    """Collects rows, cells and the caption; tags that are not closed end where the next one begins."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._table = _RawTable()
        self._open: tuple[str, int, int] | None = None
        self._text: list[str] = []
        self._in_head = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a row, a cell or a caption, or break a line."""
        if tag in ("tr", "thead", "tbody", "tfoot", "td", "th", "caption"):
            self._end_cell()
        if tag in ("thead", "tbody", "tfoot"):
            self._in_head = tag == "thead"
        elif tag == "tr":
            self._table.rows.append([])
        elif tag in ("td", "th", "caption"):
            given = dict(attrs)
            self._open = (tag, _span(given.get("rowspan")), _span(given.get("colspan")))
        elif tag in ("br", "p", "li"):
            self._text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """End a cell, with its row or table if need be."""
        if tag in ("td", "th", "caption", "tr", "thead", "tbody", "table"):
            self._end_cell()
        if tag == "thead":
            self._in_head = False

    def handle_data(self, text: str) -> None:
        """Add to the text of the cell that is open."""
        if self._open:
            self._text.append(" ".join(text.split("\n")))

    def finish(self) -> _RawTable:
        """The table without rows that have no cells."""
        self._end_cell()
        return _RawTable([row for row in self._table.rows if row], self._table.caption)

    def _end_cell(self) -> None:
        if self._open:
            tag, rows, columns = self._open
            text = _tidy("".join(self._text))
            if tag == "caption":
                self._table.caption = text
            else:
                self._row().append(_RawCell(text, rows, columns, tag == "th" or self._in_head))
        self._open = None
        self._text = []

    def _row(self) -> list[_RawCell]:
        if not self._table.rows:
            self._table.rows.append([])
        return self._table.rows[-1]


def _span(value: str | None) -> int:
    return int(value) if value and value.isdecimal() and len(value) < 6 else 1


def _tidy(text: str) -> str:
    lines = (" ".join(line.split()) for line in with_dollars(clean(text)).split("\n"))
    return "\n".join(line for line in lines if line)
