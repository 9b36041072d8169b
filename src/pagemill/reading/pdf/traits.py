"""What the raw bytes of a PDF show about its pages before one is opened.

Pictures and page contents are streams, and the dictionary of a stream is never compressed, so a file without a large
picture says so plainly. Documents without such traits, the most of them, are spared questions that would cost
a quarter of the reading.
"""

import base64
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pagemill.reading.pdf.packed_streams import STREAM, beginning

# A page at 50 dots per inch; what is narrower can't be a scanned page nor a strip of one.
LEAST_WIDTH_PIXELS = 400
PIECE_BYTES = 4 << 20
# A dictionary is seldom longer; one that spans two pieces is found in their overlap.
DICTIONARY_BYTES = 1024
# Contents are looked into only so far: hidden text is a trick of short documents.
CONTENTS_BYTES = 1 << 20
INFLATED_BYTES, STREAM_BYTES, ASCII85_BYTES = 128 << 10, 32 << 10, 6 << 10

_IMAGE = b"/Image"
_WIDTH = re.compile(rb"/Width\s+(\d+)(\s+\d+\s+R)?")
# Fonts, pictures, functions and the file's own tables name themselves; the contents of a page have only a length.
_NO_CONTENTS = (b"/Subtype", b"/Type", b"/Length1", b"/FunctionType", b"/N ")
# Not painted at all, or only added to what later contents are cut out with.
_INVISIBLE = re.compile(rb"(?<![\d.])[37] Tr(?![A-Za-z])")


@dataclass(frozen=True, slots=True)
class Traits:
    """Whether a picture may fill a page, and whether text may be drawn invisibly."""

    large_picture: bool
    invisible_text: bool


def traits(path: str) -> Traits:
    """What the file looks like; a second question about the same file costs nothing."""
    status = os.stat(path)
    return _traits(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=8)
def _traits(path: str, _size: int, _changed: int) -> Traits:
    with open(path, "rb") as file:
        before, large, contents = b"", False, None
        while (piece := file.read(PIECE_BYTES)) and not large:
            contents = list(_contents(piece[:CONTENTS_BYTES])) if contents is None else contents
            large = _has_large_picture(before + piece)
            before = piece[-DICTIONARY_BYTES:]
    drawn = contents or []
    invisible = any(b" Tr" in content and _INVISIBLE.search(content) for content in drawn)
    return Traits(large, invisible)


def _has_large_picture(raw: bytes) -> bool:
    at = raw.find(_IMAGE)
    while at >= 0:
        end = at + len(_IMAGE)
        if not raw[end : end + 1].isalnum() and _is_large(
            raw[max(0, at - DICTIONARY_BYTES) : end + DICTIONARY_BYTES]
        ):
            return True
        at = raw.find(_IMAGE, end)
    return False


def _is_large(dictionary: bytes) -> bool:
    """Whether a picture is wide; a width that is elsewhere in the file may be anything."""
    widths = _WIDTH.findall(dictionary)
    return any(indirect or int(width[:9]) >= LEAST_WIDTH_PIXELS for width, indirect in widths)


def _contents(raw: bytes) -> Iterator[bytes]:
    """The beginnings of the streams that may be contents of pages."""
    at = inflated = 0
    while inflated < INFLATED_BYTES and (match := STREAM.search(raw, at)):
        dictionary = raw[max(at, match.start() - DICTIONARY_BYTES) : match.start()]
        dictionary = dictionary[dictionary.rfind(b" obj") + 1 :]
        at = raw.find(b"endstream", match.end()) + len(b"endstream")
        if at < match.end():
            return
        if not any(name in dictionary for name in _NO_CONTENTS):
            content = _inflate(dictionary, raw[match.end() : at])
            inflated += len(content)
            yield content


def _inflate(dictionary: bytes, stream: bytes) -> bytes:
    if b"/Filter" not in dictionary:
        return stream[:STREAM_BYTES]
    return beginning(_decode_ascii85(stream) if b"/ASCII85Decode" in dictionary else stream, STREAM_BYTES)


def _decode_ascii85(stream: bytes) -> bytes:
    """The beginning of a stream whose bytes are written in ASCII85, which takes long to undo; nothing of a damaged one."""
    try:
        return base64.a85decode(stream[:ASCII85_BYTES].partition(b"~")[0])
    except ValueError:
        return b""
