"""The index beside document.json: the byte range of each page, so that one page is served by reading one slice.

A record is three unsigned 64-bit little-endian numbers: page number, offset, length. Records are sorted by page number.
A document of one page has no such file: making one costs as much as all the rest of the join, and a look at the lines
of so short a document.json finds the page as well.
"""

import re
from collections.abc import Iterator
from struct import Struct
from typing import BinaryIO

RECORD = Struct("<QQQ")
_NUMBER = re.compile(rb'\{"number":(\d+),')


def index_record(number: int, offset: int, length: int) -> bytes:
    """The record of one page."""
    return RECORD.pack(number, offset, length)


def find_page(index: bytes, number: int) -> tuple[int, int] | None:
    """Offset and length of a page's JSON in document.json, or None if the document has no such page."""
    low, high = 0, len(index) // RECORD.size
    while low < high:
        middle = (low + high) // 2
        found, offset, length = RECORD.unpack_from(index, middle * RECORD.size)
        if found == number:
            return offset, length
        low, high = (middle + 1, high) if found < number else (low, middle)
    return None


def index_from(document: BinaryIO) -> bytes:
    """The index of a document.json that has none beside it."""
    return b"".join(_records(document))


def _records(document: BinaryIO) -> Iterator[bytes]:
    """The records of the pages, each of which has a line of its own behind the first."""
    offset = len(document.readline())
    for line in document:
        found = _NUMBER.match(line)
        if found is None:
            return
        yield index_record(int(found[1]), offset, len(line.rstrip(b",\n")))
        offset += len(line)
