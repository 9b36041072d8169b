"""Tables in HTML, which can say what pipes can't: a cell over several rows or columns."""

from collections.abc import Collection
from dataclasses import replace
from html import escape

from pagemill.model.pages import Block, Cell
from pagemill.reading.writers.spans import covered_places


def is_beyond_pipes(block: Block) -> bool:
    """Whether a table has what pipes can't say: a cell over several rows or columns, or a head of several rows."""
    return head_rows(block) > 1 or any(cell.row_span > 1 or cell.column_span > 1 for cell in block.cells)


def table_html(block: Block, attributes: str = "") -> str:
    """A table with its header, if it has one; no line of it is empty."""
    heads = head_rows(block)
    every, hidden = block.all_rows, covered_places(block.all_rows)
    lines = [
        row_html(
            _within(row, (heads if at < heads else len(every)) - at), "th" if at < heads else "td", places
        )
        for at, (row, places) in enumerate(zip(every, hidden, strict=True))
    ]
    head = f"<thead>{''.join(lines[:heads])}</thead>" if heads else ""
    body = "\n".join(lines[heads:])
    return f"<table{attributes}>{head}<tbody>\n{body}\n</tbody></table>"


def head_rows(block: Block) -> int:
    """How many rows name the columns, with those that a cell of the header reaches down to; some row is left."""
    if not block.header:
        return 0
    reach = max((cell.row_span for cell in block.header), default=1)
    return min(max(reach, block.header_rows), max(len(block.rows), 1))


def _within(row: tuple[Cell, ...], left: int) -> tuple[Cell, ...]:
    """A row whose cells end with its part of the table, as a cell of a head can't reach into the body."""
    if all(cell.row_span <= left for cell in row):
        return row
    return tuple(replace(cell, row_span=min(cell.row_span, left)) for cell in row)


def row_html(row: tuple[Cell, ...], tag: str, hidden: Collection[int]) -> str:
    """A row of cells without the places that another cell covers."""
    cells = (cell_html(cell, tag) for place, cell in enumerate(row) if place not in hidden)
    return f"<tr>{''.join(cells)}</tr>"


def cell_html(cell: Cell, tag: str) -> str:
    """A cell over as many rows and columns as it spans."""
    rows = f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
    columns = f' colspan="{cell.column_span}"' if cell.column_span > 1 else ""
    text = escape(cell.text, quote=False).replace("\n", "<br>")
    text = f'<a href="{escape(cell.href)}">{text}</a>' if cell.href and text else text
    return f"<{tag}{rows}{columns}>{text}</{tag}>"
