"""Cells of XLSX for which calamine has no value: errors, and formulas whose result was never stored."""

import re
from collections.abc import Iterator, Mapping, Sequence

from pagemill.reading.office.package import Package
from pagemill.reading.office.reading_limits import MAX_SHEET_BYTES
from pagemill.reading.office.sheets.values import Value, column_number

_PLACE = re.compile(rb'\br="([A-Z]{1,3})(\d{1,7})"')
_ERROR = re.compile(
    rb'<c\s([^>]{0,200}\bt="e"[^>]{0,200})>(?:<f\b[^>]{0,300}>(?:[^<]{0,9000}</f>)?)?<v>(#[^<]{1,20})</v>'
)
_WITHOUT_RESULT = re.compile(rb"<c\s([^>]{0,200})><f\b[^>]{0,300}>([^<]{1,9000})</f>(?:<v\s?/>|<v></v>)?</c>")
# What a sheet that has such cells says somewhere.
_SIGNS = (b't="e"', b"</f></c>", b"</f><v></v>", b"</f><v/>", b"</f><v />")
# A formula has at most 8,192 characters.
_LONGEST_CELL = 10_000
_ENTITIES = {b"&lt;": b"<", b"&gt;": b">", b"&quot;": b'"', b"&apos;": b"'", b"&amp;": b"&"}
_ENTITY = re.compile(rb"&(?:lt|gt|quot|apos|amp);")

Texts = Mapping[int, Mapping[int, str]]


def has_unread_cells(block: bytes) -> bool:
    """Whether a piece of a sheet may hold a cell without a value that is read."""
    return any(sign in block for sign in _SIGNS)


def unread_cells(package: Package, part: str) -> Texts:
    """What such cells show, by row and column: the name of the error, or the formula with its equals sign."""
    found: dict[int, dict[int, str]] = {}
    rest = b""
    for piece in package.stream(part, MAX_SHEET_BYTES):
        block = rest + piece
        for row, column, text in _cells(block):
            found.setdefault(row, {})[column] = text
        rest = block[-_LONGEST_CELL:]
    return found


def _cells(block: bytes) -> Iterator[tuple[int, int, str]]:
    for pattern, before in ((_ERROR, ""), (_WITHOUT_RESULT, "=")):
        for match in pattern.finditer(block):
            if place := _PLACE.search(match[1]):
                plain = _ENTITY.sub(lambda entity: _ENTITIES[entity[0]], match[2])
                yield int(place[2]) - 1, column_number(place[1]), before + plain.decode("utf-8", "replace")


def fill_unread(
    rows: Iterator[Sequence[Value]], first: int, left: int, texts: Texts
) -> Iterator[Sequence[Value]]:
    """Rows from the row `first` and the column `left` on, with the texts of cells that have no value."""
    for number, row in enumerate(rows, first):
        own = texts.get(number)
        yield [value or own.get(place, value) for place, value in enumerate(row, left)] if own else row
