"""Tables of a Word document, with cells that span rows and columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Protocol

from pagemill.model.pages import Block, Cell, Kind
from pagemill.reading.office.docx.runs import choose
from pagemill.reading.office.writing import only_link, table, tidy
from pagemill.reading.office.xml_parts import (
    Element,
    attribute,
    child,
    children,
    is_on,
    local,
    number,
    value_of,
)

WIDEST_SPAN = 64
FIRST_ROW_BIT = 0x20
PLAIN_STYLES = (None, "TableNormal", "TableGrid")


class Blocks(Protocol):
    """Reads the blocks of a cell."""

    def read_apart(self, element: Element) -> list[Block]:
        """The blocks below an element."""
        ...


@dataclass(slots=True)
class WordCell:
    """A cell as the file has it: how many columns it takes, and whether it goes on from the row above."""

    columns: int
    blocks: list[Block]
    goes_on: bool = False


def read_table(element: Element, reader: Blocks, changes: str = "final") -> list[Block]:
    """A table, then the figures in its cells; a table of one cell is only a frame around what it holds."""
    gone = {"final": "del", "original": "ins"}.get(changes)
    kept = (row for row in _rows(element) if gone is None or child(row, "trPr", gone) is None)
    rows = [list(_cells(row, reader)) for row in kept]
    if sum(map(len, rows)) == 1:
        return next(row for row in rows if row)[0].blocks
    figures = [block for row in rows for cell in row for block in cell.blocks if block.kind is Kind.FIGURE]
    made = table(_laid_out(rows), header_rows=_header_rows(element))
    return [made, *figures] if made else figures


def _rows(element: Element) -> Iterator[Element]:
    for one in children(element):
        match local(one):
            case "tr":
                yield one
            case "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo":
                yield from _rows(one)
            case "AlternateContent":
                chosen = choose(one)
                if chosen is not None:
                    yield from _rows(chosen)


def _cells(row: Element, reader: Blocks) -> Iterator[WordCell]:
    before = number(value_of(row, "trPr", "gridBefore"))
    if before:
        yield WordCell(min(before, WIDEST_SPAN), [])
    for one in _cell_elements(row):
        properties = child(one, "tcPr")
        columns = min(max(number(value_of(properties, "gridSpan"), 1), 1), WIDEST_SPAN)
        merge = child(properties, "vMerge")
        goes_on = merge is not None and attribute(merge, "val", "continue") != "restart"
        yield WordCell(columns, [] if goes_on else reader.read_apart(one), goes_on)


def _cell_elements(row: Element) -> Iterator[Element]:
    for one in children(row):
        match local(one):
            case "tc":
                yield one
            case "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo":
                yield from _cell_elements(one)


def _laid_out(rows: Sequence[Sequence[WordCell]]) -> list[list[Cell]]:
    """The cells in their columns; those that go on below lengthen the one that they go on from."""
    grid: list[list[Cell]] = []
    begun: dict[int, tuple[int, int]] = {}
    for at, row in enumerate(rows):
        line: list[Cell] = []
        for cell in row:
            place = len(line)
            above = begun.get(place)
            if cell.goes_on and above and grid[above[0]][place].column_span == cell.columns:
                first = grid[above[0]]
                first[place] = replace(first[place], row_span=at - above[0] + 1)
                line += [Cell("")] * cell.columns
                continue
            begun[place] = (at, place)
            link = only_link(cell.blocks)
            line.append(Cell(cell_text(cell.blocks), column_span=cell.columns, href=link))
            line += [Cell("")] * (cell.columns - 1)
        grid.append(line)
    return grid


def cell_text(blocks: Sequence[Block]) -> str:
    """The words of a cell: its paragraphs on lines of their own, a table inside of it row by row."""
    return tidy("\n".join(filter(None, map(_block_line, blocks))))


def _block_line(block: Block) -> str:
    if block.kind is Kind.TABLE:
        return "\n".join(
            " | ".join(" ".join(cell.text.split()) for cell in row if cell.text) for row in block.all_rows
        )
    if block.kind is Kind.LIST_ITEM:
        return f"{block.marker or '•'} {block.text}"
    if block.kind is Kind.FORMULA:
        return f"${block.text}$"
    return "" if block.kind is Kind.FIGURE else block.text


def _header_rows(element: Element) -> int:
    """How many rows repeat on each page, or look like a header."""
    if repeated := sum(
        1 for _ in takewhile(lambda row: is_on(child(row, "trPr", "tblHeader")), _rows(element))
    ):
        return repeated
    properties = child(element, "tblPr")
    style, look = value_of(properties, "tblStyle"), child(properties, "tblLook")
    return 1 if style not in PLAIN_STYLES and _marks_first_row(look) else 0


def _marks_first_row(look: Element | None) -> bool:
    flag = attribute(look, "firstRow")
    if flag is not None:
        return flag in ("1", "true")
    try:
        return bool(int(attribute(look, "val") or "0", 16) & FIRST_ROW_BIT)
    except ValueError:
        return False
