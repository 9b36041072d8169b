"""F1 of the cells of tables, and of the neighbourhoods between them, as the ICDAR 2013 table competition counts."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bs4 import BeautifulSoup, Tag

from quality.metrics.tables import tables_of


@dataclass(frozen=True, slots=True)
class Spot:
    """A cell of a table: its first and last row and column, and its text without spaces."""

    top: int
    bottom: int
    left: int
    right: int
    text: str


Spots = tuple[Spot, ...]
Neighbours = tuple[str, str, str]


def cell_f1(truth: Sequence[Spots], answer: Sequence[Spots]) -> float:
    """F1 of the texts of all cells, each counted as often as it is there; empty cells don't count."""
    return f1(_texts(truth), _texts(answer))


def adjacency_f1(truth: Sequence[Spots], answer: Sequence[Spots]) -> float:
    """F1 of the pairs of neighbours: a cell and the next with text to its right or below it."""
    return f1(_pairs(truth), _pairs(answer))


def f1(truth: Counter[str] | Counter[Neighbours], answer: Counter[str] | Counter[Neighbours]) -> float:
    """The harmonic mean of precision and recall; 1 where there is nothing and nothing was found."""
    together = truth.total() + answer.total()
    return 2 * (truth & answer).total() / together if together else 1.0  # type: ignore[operator]


def concerned(truth: Sequence[Spots], pages: Sequence[Sequence[Spots]]) -> list[Spots]:
    """Of the page that has most of the truth, the tables that share text with it, for truths that don't have every table."""
    known = _texts(truth)
    page = max(pages, key=lambda tables: (known & _texts(tables)).total(), default=())
    return [table for table in page if any(spot.text in known for spot in table)]


def spots_of(markdown: str) -> list[Spots]:
    """The tables of a Markdown document."""
    return [tuple(_spots(table)) for table in tables_of(markdown)]


def from_rows(rows: Iterable[Sequence[str]]) -> Spots:
    """A table from rows of texts."""
    return tuple(
        Spot(row, row, column, column, squeezed(text))
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
    )


def squeezed(text: str) -> str:
    """The text without white space, with ligatures and the like taken apart."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def _texts(tables: Sequence[Spots]) -> Counter[str]:
    return Counter(spot.text for table in tables for spot in table if spot.text)


def _pairs(tables: Sequence[Spots]) -> Counter[Neighbours]:
    return Counter(pair for table in tables for pair in _neighbours([spot for spot in table if spot.text]))


def _neighbours(spots: Sequence[Spot]) -> Iterator[Neighbours]:
    for spot in spots:
        beside = [
            one
            for one in spots
            if one.left > spot.right and _meet(one.top, one.bottom, spot.top, spot.bottom)
        ]
        below = [
            one
            for one in spots
            if one.top > spot.bottom and _meet(one.left, one.right, spot.left, spot.right)
        ]
        nearest = min((one.left for one in beside), default=0)
        yield from (("beside", spot.text, one.text) for one in beside if one.left == nearest)
        nearest = min((one.top for one in below), default=0)
        yield from (("below", spot.text, one.text) for one in below if one.top == nearest)


def _meet(first: int, last: int, other_first: int, other_last: int) -> bool:
    return first <= other_last and other_first <= last


def _spots(table: str) -> Iterator[Spot]:
    taken: set[tuple[int, int]] = set()
    for row, line in enumerate(BeautifulSoup(table, "html.parser").find_all("tr")):
        column = 0
        for cell in line.find_all(["td", "th"]):
            while (row, column) in taken:
                column += 1
            rows, columns = _span(cell, "rowspan"), _span(cell, "colspan")
            taken |= {(row + down, column + across) for down in range(rows) for across in range(columns)}
            yield Spot(row, row + rows - 1, column, column + columns - 1, squeezed(_words(cell)))


def _words(cell: Tag) -> str:
    return cell.get_text().replace("<br>", " ").replace("\\", "")


def _span(cell: Tag, name: str) -> int:
    value = str(cell.get(name, "1"))
    return max(1, int(value)) if value.isdecimal() else 1
