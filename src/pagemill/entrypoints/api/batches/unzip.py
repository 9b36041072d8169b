"""Archives of documents: unpacked entry by entry, counted as they come out, and never by the names in them."""

import stat
import struct
import zlib
from typing import IO
from zipfile import BadZipFile, ZipFile, ZipInfo

from pagemill.entrypoints.api.batches.intake import BatchIntake
from pagemill.entrypoints.api.batches.untar import (
    FREE_GROWTH_BYTES,
    MOST_GROWTH,
    PIECE_BYTES,
    unpack_tar,
)
from pagemill.errors import ArchiveInvalid, TooManyItems
from pagemill.model.filenames import is_document
from pagemill.model.sniffing import SNIFF_BYTES, is_tar
from pagemill.model.zip_names import zip_name

# The list of entries is read whole, so its size is looked at before.
MAX_LIST_BYTES = 2_000_000
END_BYTES, END64_PLACE_BYTES, MAX_COMMENT_BYTES = 22, 20, 65_535
END_MARK, END64_PLACE_MARK = b"PK\x05\x06", b"PK\x06\x07"
LIST_SIZE_AT, LIST_SIZE64_AT = 12, 40
IN_END64 = 0xFFFF_FFFF
BROKEN = (BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, struct.error)


def unpack(file: IO[bytes], intake: BatchIntake) -> None:
    """Take every document of a ZIP or TAR archive; an entry that can't be unpacked is refused alone."""
    file.seek(0)
    if is_tar(file.read(SNIFF_BYTES)):
        unpack_tar(file, intake)
    else:
        unpack_zip(file, intake)
    if not intake.items:
        raise ArchiveInvalid("There is no document in the archive.")


def unpack_zip(file: IO[bytes], intake: BatchIntake) -> None:
    """Take every document of a ZIP archive."""
    packed_bytes = check_list(file)
    intake.bound(packed_bytes * MOST_GROWTH + FREE_GROWTH_BYTES)
    try:
        with ZipFile(file) as archive:
            for entry in archive.infolist():
                if not entry.is_dir() and is_document(zip_name(entry)):
                    unpack_entry(archive, entry, intake)
    except (BadZipFile, RuntimeError, struct.error, ValueError) as error:
        raise ArchiveInvalid() from error


def unpack_entry(archive: ZipFile, entry: ZipInfo, intake: BatchIntake) -> None:
    """Take one document; its name is for display and says nothing about where bytes go."""
    intake.begin(zip_name(entry))
    if stat.S_ISLNK(entry.external_attr >> 16):
        intake.refuse(
            ArchiveInvalid("The entry is a link to another file. Put the file itself into the archive.")
        )
        intake.end()
        return
    try:
        with archive.open(entry) as opened:
            while piece := opened.read(PIECE_BYTES):
                if not intake.write(piece):
                    break
    except BROKEN:
        intake.refuse(ArchiveInvalid("The entry is damaged, encrypted or packed in an unknown way."))
    intake.end()


def check_list(file: IO[bytes]) -> int:
    """The size of an archive; ArchiveInvalid if there is no list of entries, TooManyItems if it is too long to be read."""
    size = file.seek(0, 2)
    start = max(size - END_BYTES - MAX_COMMENT_BYTES - END64_PLACE_BYTES, 0)
    file.seek(start)
    tail = file.read()
    at = tail.rfind(END_MARK)
    if at < 0 or len(tail) - at < END_BYTES:
        raise ArchiveInvalid()
    [list_bytes] = struct.unpack_from("<I", tail, at + LIST_SIZE_AT)
    if list_bytes == IN_END64:
        list_bytes = list_bytes64(file, tail[max(at - END64_PLACE_BYTES, 0) : at])
    if list_bytes > MAX_LIST_BYTES:
        raise TooManyItems()
    file.seek(0)
    return size


def list_bytes64(file: IO[bytes], place: bytes) -> int:
    """The size of the list of a large archive, which has a record of its own."""
    if not place.startswith(END64_PLACE_MARK) or len(place) < END64_PLACE_BYTES:
        raise ArchiveInvalid()
    [at] = struct.unpack_from("<Q", place, 8)
    try:
        file.seek(at + LIST_SIZE64_AT)
        [size] = struct.unpack("<Q", file.read(8))
    except (struct.error, OSError, OverflowError, ValueError) as error:
        raise ArchiveInvalid() from error
    return int(size)
