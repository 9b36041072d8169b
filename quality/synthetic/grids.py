"""Made tables: their cells, how they are ruled, and their true reading as HTML."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from typing import Any, Literal

from reportlab.lib import colors
from reportlab.platypus import Flowable, KeepTogether, Paragraph, Spacer, Table

from quality.synthetic.pieces import Look
from quality.synthetic.words import Words

Command = tuple[str, tuple[int, int], tuple[int, int], *tuple[Any, ...]]
LEFT, RIGHT = 0, 2


class Ruling(StrEnum):
    """The lines of a table."""

    FULL = "full"
    HORIZONTAL = "horizontal"
    BOOK = "book"
    SHADED = "shaded"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Place:
    """A cell and how far it reaches."""

    text: str
    rows: int = 1
    columns: int = 1


# None where a cell from above or from the left reaches to.
Row = tuple[Place | None, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; figures are set to the right of their columns."""

    rows: tuple[Row, ...]
    ruling: Ruling = Ruling.FULL
    header_rows: int = 1
    bold_header: bool = True
    widths: tuple[float, ...] = ()
    padding: float = 4.0
    side: Literal["LEFT", "CENTER"] = "CENTER"

    def flowables(self, look: Look) -> list[Flowable]:
        """The drawn table with room around it."""
        cells = [[self._cell(place, at, look) for place in row] for at, row in enumerate(self.rows)]
        commands: list[Command] = [*self._spans(), *ruled(self.ruling, len(self.rows), self.header_rows)]
        commands += [("VALIGN", (0, 0), (-1, -1), "MIDDLE"), ("LEFTPADDING", (0, 0), (-1, -1), self.padding)]
        commands += [("TOPPADDING", (0, 0), (-1, -1), 2.0), ("BOTTOMPADDING", (0, 0), (-1, -1), 3.0)]
        table = Table(cells, colWidths=list(self.widths) or None, style=commands, hAlign=self.side)
        return [Spacer(1, look.size * 0.5), KeepTogether([table]), Spacer(1, look.size)]

    def markdown(self) -> str:
        """The table in HTML, which knows spans."""
        return f"<table>{''.join(self._html(row) for row in self.rows)}</table>"

    def _html(self, row: Row) -> str:
        cells = (
            f"<td{_reach('rowspan', place.rows)}{_reach('colspan', place.columns)}>{escape(place.text)}</td>"
            for place in row
            if place is not None
        )
        return f"<tr>{''.join(cells)}</tr>"

    def _cell(self, place: Place | None, row: int, look: Look) -> Paragraph | str:
        if place is None or not place.text:
            return ""
        header = row < self.header_rows
        alignment = RIGHT if not header and is_figure(place.text) else LEFT
        return Paragraph(
            escape(place.text), look.style(bold=header and self.bold_header, alignment=alignment)
        )

    def _spans(self) -> list[Command]:
        return [
            ("SPAN", (column, row), (column + place.columns - 1, row + place.rows - 1))
            for row, places in enumerate(self.rows)
            for column, place in enumerate(places)
            if place is not None and (place.rows > 1 or place.columns > 1)
        ]


def ruled(ruling: Ruling, rows: int, header_rows: int) -> list[Command]:
    """The lines and shades of a table."""
    below_header = (0, header_rows - 1), (-1, header_rows - 1)
    match ruling:
        case Ruling.FULL:
            return [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
        case Ruling.HORIZONTAL:
            return [
                ("LINEBELOW", (0, 0), (-1, -1), 0.4, colors.grey),
                ("LINEABOVE", (0, 0), (-1, 0), 0.4, colors.grey),
            ]
        case Ruling.BOOK:
            outer: list[Command] = [
                ("LINEABOVE", (0, 0), (-1, 0), 1.0, colors.black),
                ("LINEBELOW", (0, -1), (-1, -1), 1.0, colors.black),
            ]
            return [*outer, ("LINEBELOW", *below_header, 0.5, colors.black)]
        case Ruling.SHADED:
            return [("BACKGROUND", (0, row), (-1, row), colors.whitesmoke) for row in range(1, rows, 2)]
        case _:
            return []


def is_figure(text: str) -> bool:
    """Whether a cell holds a number."""
    return text[:1] in "$(-0123456789" and text[-1:] in ").%0123456789"


def _reach(name: str, count: int) -> str:
    return f' {name}="{count}"' if count > 1 else ""


def plain_rows(words: Words, rows: int, columns: int, *, wrapped: bool, gaps: float = 0.0) -> tuple[Row, ...]:
    """A header, then a name and figures or words in each row; `gaps` is the share of empty cells."""
    writers = [_column(words, wrapped=wrapped and index == 1) for index in range(1, columns)]
    header = (words.phrase(1), *(words.phrase(words.random.randint(1, 2)) for _ in writers))
    body = [
        (
            f"{words.place()} {words.phrase(1).lower()}",
            *("" if words.random.random() < gaps else write() for write in writers),
        )
        for _ in range(rows)
    ]
    return tuple(tuple(Place(text) for text in row) for row in (header, *body))


def _column(words: Words, *, wrapped: bool) -> Callable[[], str]:
    if wrapped:
        return lambda: words.phrase(words.random.randint(5, 11))
    if words.random.random() < 0.25:
        return lambda: words.phrase(2)
    form = words.form()
    return lambda: words.figure(form)


def spanned_rows(words: Words, groups: Sequence[int], pairs: int) -> tuple[Row, ...]:
    """Two header rows, of which the first spans pairs of columns, and a first column that spans groups of rows."""
    forms = [words.form() for _ in range(2 * pairs)]
    top: list[Place | None] = [Place(words.phrase(1), rows=2), Place(words.phrase(1), rows=2)]
    under: list[Place | None] = [None, None]
    for _ in range(pairs):
        top += [Place(words.phrase(2), columns=2), None]
        under += [Place(words.phrase(1)), Place(words.phrase(1))]
    rows: list[Row] = [tuple(top), tuple(under)]
    for count in groups:
        for index in range(count):
            first = Place(words.place(), rows=count) if index == 0 else None
            rows.append((first, Place(words.phrase(1)), *(Place(words.figure(form)) for form in forms)))
    return tuple(rows)
