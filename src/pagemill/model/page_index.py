"""The index beside document.json: the byte range of each page, so that one page is served by reading one slice.

A record is three unsigned 64-bit little-endian numbers: page number, offset, length. Records are sorted by page number.
"""

from struct import Struct

RECORD = Struct("<QQQ")


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
