"""Text boxes of a DOC file, which anydoc leaves out: a part of its text after the body, found by the table of its pieces.

The format is described in [MS-DOC].
"""

import re
import struct
from collections.abc import Iterator
from itertools import pairwise

import olefile  # type: ignore[import-untyped]

from pagemill.errors import ArchiveBomb
from pagemill.reading.office.reading_limits import MAX_PART_BYTES, check_bytes

FLAGS, TEXT_LENGTHS, PIECE_TABLE = 0x0A, 0x4C, 0x01A2
SECOND_TABLE, IN_ONE_BYTE = 0x0200, 0x40000000
PROPERTIES, PIECES = 1, 2
DEEPEST_FIELD = 8
# Instructions of fields are not text, and what is left of a field are its signs and those of objects.
_FIELD_CODE = re.compile("\x13[^\x13\x14\x15]*\x14|\x13[^\x13\x14\x15]*\x15")
_SIGNS = re.compile("[\x00-\x08\x0e-\x1f]")
_LINES = re.compile("[\r\x07\x0c]")


def read_text_boxes(path: str) -> list[str]:
    """The paragraphs of all text boxes; none if the file does not keep to the format."""
    try:
        with olefile.OleFileIO(path) as opened:
            check_bytes(opened.get_size("WordDocument"), MAX_PART_BYTES * 8, "The document")
            raw = opened.openstream("WordDocument").read()
            (flags,) = struct.unpack_from("<H", raw, FLAGS)
            name = "1Table" if flags & SECOND_TABLE else "0Table"
            check_bytes(opened.get_size(name), MAX_PART_BYTES * 8, "The document")
            table = opened.openstream(name).read()
        return text_box_lines(raw, table)
    except (struct.error, OSError, ValueError, IndexError, TypeError, ArchiveBomb):
        return []


def text_box_lines(raw: bytes, table: bytes) -> list[str]:
    """The paragraphs of all text boxes, from the stream of the document and that of its tables."""
    first, count = _text_box_range(raw)
    words = _text(raw, list(_pieces(raw, table)), first, first + count) if count else ""
    return [line for line in map(str.strip, _LINES.split(_clean(words))) if line]


def _text_box_range(raw: bytes) -> tuple[int, int]:
    """Where the text of the boxes begins, after body, footnotes, headers, macros, comments and endnotes; and its length."""
    *before, boxes = struct.unpack_from("<7i", raw, TEXT_LENGTHS)
    if any(length < 0 for length in (*before, boxes)):
        raise ValueError("a part of the text has a negative length")
    return sum(before), boxes


def _pieces(raw: bytes, table: bytes) -> Iterator[tuple[int, int, int]]:
    """Each piece of the text: its first and last place, and where it is in the stream."""
    at, length = struct.unpack_from("<II", raw, PIECE_TABLE)
    end = at + length
    while table[at] == PROPERTIES:
        at += 3 + struct.unpack_from("<H", table, at + 1)[0]
    if table[at] != PIECES or at + 5 > end:
        raise ValueError("the document has no table of pieces")
    (size,) = struct.unpack_from("<I", table, at + 1)
    count = (min(size, end - at - 5) - 4) // 12
    places = struct.unpack_from(f"<{count + 1}I", table, at + 5)
    if any(one > other for one, other in pairwise(places)):
        raise ValueError("pieces of the text overlap")
    for number in range(count):
        (offset,) = struct.unpack_from("<I", table, at + 5 + 4 * (count + 1) + 8 * number + 2)
        yield places[number], places[number + 1], offset


def _text(raw: bytes, pieces: list[tuple[int, int, int]], first: int, last: int) -> str:
    found: list[str] = []
    for start, end, offset in pieces:
        begin, stop = max(start, first) - start, min(end, last) - start
        if begin >= stop:
            continue
        if offset & IN_ONE_BYTE:
            at = (offset & ~IN_ONE_BYTE) // 2
            found.append(raw[at + begin : at + stop].decode("cp1252", "replace"))
        else:
            found.append(raw[offset + 2 * begin : offset + 2 * stop].decode("utf-16-le", "replace"))
    return "".join(found)


def _clean(words: str) -> str:
    """Words without the instructions of fields, the innermost first."""
    for _ in range(DEEPEST_FIELD):
        words = _FIELD_CODE.sub("", words)
    return _SIGNS.sub("", words.replace("\x0b", "\n"))
