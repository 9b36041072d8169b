"""Names in ZIP archives, whose format says little about the encoding of most of them."""

import struct
import zlib
from contextlib import suppress
from zipfile import ZipInfo

SAYS_UTF8 = 0x800
# Info-ZIP's extra field: a version, the CRC of the name that it is about, and the name in UTF-8.
UNICODE_PATH, UNICODE_VERSION = 0x7075, 1
FIELD, UNICODE_HEAD = struct.Struct("<HH"), struct.Struct("<BI")


def zip_name(entry: ZipInfo) -> str:
    """The name of an entry: in UTF-8 if the entry says so or it can be read so, otherwise in the code page of DOS.

    Info-ZIP and macOS write UTF-8 without a mark that says so.
    """
    if entry.flag_bits & SAYS_UTF8:
        return entry.filename
    raw = entry.orig_filename.encode("cp437")
    with suppress(UnicodeDecodeError):
        return (unicode_path(entry.extra, raw) or raw).decode()
    return entry.filename


def unicode_path(extra: bytes, raw: bytes) -> bytes | None:
    """The name in UTF-8 that an extra field has for this name; None if it has none."""
    while len(extra) >= FIELD.size:
        kind, size = FIELD.unpack_from(extra)
        content, extra = extra[FIELD.size : FIELD.size + size], extra[FIELD.size + size :]
        if kind == UNICODE_PATH and len(content) > UNICODE_HEAD.size:
            version, checksum = UNICODE_HEAD.unpack_from(content)
            if version == UNICODE_VERSION and checksum == zlib.crc32(raw):
                return content[UNICODE_HEAD.size :]
    return None
