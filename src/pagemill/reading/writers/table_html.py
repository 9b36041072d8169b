"""Tables in HTML, which can say what pipes can't: a cell over several rows or columns."""

from collections.abc import Collection
from html import escape

from pagemill.model.pages import Block, Cell
from pagemill.reading.writers.spans import covered


def has_spans(block: Block) -> bool:
    """Whether a cell of the table stands over several rows or columns."""
    return any(
        cell.row_span > 1 or cell.column_span > 1 for row in (block.header, *block.rows) for cell in row
    )


def table_html(block: Block, attributes: str = "") -> str:
    """A table with its header, if it has one; no line of it is empty."""
    hidden = covered((block.header, *block.rows))
    head = f"<thead>{row_html(block.header, 'th', hidden[0])}</thead>" if block.header else ""
    rows = zip(block.rows, hidden[1:], strict=True)
    body = "\n".join(row_html(row, "td", places) for row, places in rows)
    return f"<table{attributes}>{head}<tbody>\n{body}\n</tbody></table>"


def row_html(row: tuple[Cell, ...], tag: str, hidden: Collection[int]) -> str:
    """A row of cells without the places that another cell covers."""
    cells = (cell_html(cell, tag) for place, cell in enumerate(row) if place not in hidden)
    return f"<tr>{''.join(cells)}</tr>"


def cell_html(cell: Cell, tag: str) -> str:
    """A cell over as many rows and columns as it spans."""
    rows = f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
    columns = f' colspan="{cell.column_span}"' if cell.column_span > 1 else ""
    text = escape(cell.text, quote=False).replace("\n", "<br>")
    return f"<{tag}{rows}{columns}>{text}</{tag}>"
