"""Streams of a PDF that are packed several times over: a kilobyte of them can unpack to gigabytes.

A stream that is packed once grows a thousandfold at most, which the limits on time and memory cover. More than that
no program writes, so such streams are unpacked for trial, up to a limit, before a page is read.
"""

import mmap
import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import accumulate

from pagemill.errors import DecompressionLimit

MEBIBYTE = 1 << 20
MAX_UNPACKED_BYTES = 256 * MEBIBYTE
PIECE_BYTES = MEBIBYTE
# A dictionary that is longer is not looked at; the stream follows at its end.
DICTIONARY_BYTES = 4096

CHAIN = re.compile(rb"/Filter\s*\[\s*(?:/Fl(?:ateDecode)?\s*){2,}\]")
STREAM = re.compile(rb"stream\r?\n")


def check_packed_streams(path: str) -> None:
    """Raise DecompressionLimit if a stream that is packed several times unpacks to more than is allowed."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        for content, times in chained_streams(raw):
            if exceeds_limit(content, times):
                raise DecompressionLimit.because(
                    f"A stream of the document unpacks to more than {MAX_UNPACKED_BYTES // MEBIBYTE} MiB.",
                    max_bytes=MAX_UNPACKED_BYTES,
                )


def chained_streams(raw: mmap.mmap) -> Iterator[tuple[bytes, int]]:
    """The streams that are packed with Flate more than once, and how often."""
    for chain in CHAIN.finditer(raw):
        begin = STREAM.search(raw, chain.end(), chain.end() + DICTIONARY_BYTES)
        if begin is None:
            continue
        end = raw.find(b"endstream", begin.end())
        yield raw[begin.end() : end if end >= 0 else len(raw)], chain[0].count(b"/Fl")


def exceeds_limit(content: bytes, times: int) -> bool:
    """Whether a stream unpacks to more than the limit; nothing of it is kept."""
    pieces: Iterable[bytes] = [content]
    for _ in range(times):
        pieces = inflate(pieces)
    return any(total > MAX_UNPACKED_BYTES for total in accumulate(map(len, pieces)))


def beginning(packed: bytes, most_bytes: int) -> bytes:
    """The beginning of a stream, unpacked; nothing of one that is encrypted, damaged or packed in another way."""
    try:
        return zlib.decompressobj().decompress(packed, most_bytes)
    except zlib.error:
        return b""


def inflate(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces unpacked, a mebibyte at a time; ends where they are damaged."""
    unpacker = zlib.decompressobj()
    try:
        for piece in pieces:
            packed = piece
            while packed and not unpacker.eof:
                yield unpacker.decompress(packed, PIECE_BYTES)
                packed = unpacker.unconsumed_tail
    except zlib.error:
        return
