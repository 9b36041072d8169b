"""Links in the cells of a sheet."""

import re
from collections.abc import Mapping

from pagemill.reading.office.package import Package
from pagemill.reading.office.reading_limits import MAX_SHEET_BYTES
from pagemill.reading.office.sheets.values import column_number
from pagemill.reading.office.writing import safe_link

_LINK = re.compile(rb"<(?:\w+:)?hyperlink\s[^>]{1,2000}>")
_CELL = re.compile(rb'\sref="([A-Z]{1,3})(\d{1,7})')
_RELATION = re.compile(rb'\s\w+:id="([^"]{1,200})"')
_OVERLAP = 2_100


def cell_links(package: Package, part: str) -> Mapping[tuple[int, int], str]:
    """Where the links of a sheet to other places lead, by row and column; a range has its link in its first cell."""
    relations = package.relations(part)
    if not any(one.kind == "hyperlink" and one.external for one in relations.values()):
        return {}
    found: dict[tuple[int, int], str] = {}
    rest = b""
    for piece in package.stream(part, MAX_SHEET_BYTES):
        block = rest + piece
        for match in _LINK.finditer(block):
            cell, name = _CELL.search(match[0]), _RELATION.search(match[0])
            relation = relations.get(name[1].decode("utf-8", "replace")) if name else None
            href = safe_link(relation.target) if relation and relation.external else None
            if cell and href:
                found[int(cell[2]) - 1, column_number(cell[1])] = href
        rest = block[-_OVERLAP:]
    return found
