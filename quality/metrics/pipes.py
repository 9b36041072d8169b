"""Pipe tables in Markdown, written as HTML so that tables of both forms can be compared."""

from collections.abc import Iterator, Sequence
from html import escape


def with_html_tables(markdown: str) -> str:
    """The Markdown with each of its pipe tables written as one line of HTML."""
    return "".join(_segments(markdown.splitlines(keepends=True)))


def _segments(lines: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        header = row_cells(lines[at])
        ruler = row_cells(lines[at + 1]) if header and at + 1 < len(lines) else []
        if not _is_ruler(ruler):
            yield lines[at]
            at += 1
            continue
        first, at = at, _end_of_rows(lines, at + 2)
        width = max(len(header), len(ruler))
        rows = [_fitted(row_cells(line), width) for line in lines[first + 2 : at]]
        yield _html(_fitted(header, width), rows) + _ending(lines[first])


def row_cells(line: str) -> list[str]:
    """The cells of a line of a pipe table; none if it is not one."""
    line = line.strip()
    if "|" not in line:
        return []
    cells = line.split("|")
    cells = cells[1:] if line.startswith("|") else cells
    cells = cells[:-1] if cells and line.endswith("|") else cells
    return [cell.strip() for cell in cells]


def _is_ruler(cells: Sequence[str]) -> bool:
    return bool(cells) and all(set(cell) <= set("-: ") and cell.strip() for cell in cells)


def _end_of_rows(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and row_cells(lines[at]):
        at += 1
    return at


def _fitted(cells: list[str], width: int) -> list[str]:
    """The cells as many as the table is wide; of three, the middle one is taken for a heading over the rest."""
    if len(cells) == 3 and width > 3:
        return [cells[0], *[cells[1]] * (width - 2), cells[2]]
    return (cells + [""] * (width - len(cells)))[:width]


def _html(header: list[str], rows: list[list[str]]) -> str:
    if rows and not any(header):
        header, rows = rows[0], rows[1:]
    body = "".join(_row(row, "td") for row in rows)
    return f"<table>{_row(header, 'th')}{body}</table>"


def _row(cells: Sequence[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _ending(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]
