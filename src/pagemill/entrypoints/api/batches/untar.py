"""TAR archives of documents, plain or compressed by gzip: read from front to back, and counted as they come out."""

import gzip
import tarfile
import time
import zlib
from typing import IO, Any, cast

from pagemill.entrypoints.api.batches.intake import BatchIntake
from pagemill.errors import ArchiveBomb, ArchiveInvalid
from pagemill.model.filenames import is_document

PIECE_BYTES = 262_144
# Documents are packed already; what grows more than plain text does is no archive of documents.
MOST_GROWTH, FREE_GROWTH_BYTES = 100, 100_000_000
# The header of an entry is read whole; its names and attributes take far less than this.
MAX_HEADER_BYTES = 1_000_000
# Every entry has a header, of folders and links too.
MAX_HEADERS = 100_000
GZIP_MARK = b"\x1f\x8b"
BROKEN = (tarfile.TarError, zlib.error, gzip.BadGzipFile, EOFError, ValueError, OverflowError)


class BoundedBytes:
    """The bytes of an archive as `tarfile` reads them: no more at once than a header or a piece may have, nor in all."""

    def __init__(self, file: IO[bytes], most_bytes: int, most_seconds: float) -> None:
        self._file = file
        self._left = most_bytes
        self._ends_at = time.monotonic() + most_seconds

    def read(self, size: int = -1) -> bytes:
        """Some bytes; ArchiveBomb if they are too many."""
        if not 0 <= size <= MAX_HEADER_BYTES:
            raise ArchiveInvalid("The archive has a header that is too long.")
        piece = self._file.read(size)
        self._left -= len(piece)
        if self._left < 0 or time.monotonic() > self._ends_at:
            raise ArchiveBomb()
        return piece

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to a place; what is passed over of a compressed archive is unpacked, and so it counts."""
        if whence != 0:
            raise ValueError("only places from the beginning are known")
        while (left := place - self._file.tell()) > 0:
            if not self.read(min(left, PIECE_BYTES)):
                break
        return self._file.seek(place) if place < self._file.tell() else self._file.tell()

    def tell(self) -> int:
        """The present place."""
        return self._file.tell()


def unpack_tar(file: IO[bytes], intake: BatchIntake) -> None:
    """Take every document of a TAR archive; links and devices in it are refused alone."""
    most_bytes = file.seek(0, 2) * MOST_GROWTH + FREE_GROWTH_BYTES
    intake.bound(most_bytes)
    file.seek(0)
    is_packed = file.read(len(GZIP_MARK)) == GZIP_MARK
    file.seek(0)
    unpacked = cast(IO[bytes], gzip.GzipFile(fileobj=file)) if is_packed else file
    source = BoundedBytes(unpacked, most_bytes, intake.mill.settings.unpack_seconds)
    try:
        with tarfile.open(fileobj=cast(IO[bytes], source), mode="r:") as archive:
            take_members(archive, intake)
    except BROKEN as error:
        raise ArchiveInvalid("The TAR archive is damaged. Make it again.") from error


def take_members(archive: tarfile.TarFile, intake: BatchIntake) -> None:
    """Take the documents of an archive in their order; the list of those that are passed is not kept."""
    count = 0
    while (member := archive.next()) is not None:
        cast(Any, archive).members.clear()
        count += 1
        if count > MAX_HEADERS:
            raise ArchiveBomb("The archive has too many entries. Send several batches.", limit=MAX_HEADERS)
        if not member.isdir() and is_document(member.name):
            take_member(archive, member, intake)


def take_member(archive: tarfile.TarFile, member: tarfile.TarInfo, intake: BatchIntake) -> None:
    """Take one document; its name is for display and says nothing about where bytes go."""
    intake.begin(member.name)
    opened = archive.extractfile(member) if member.isreg() else None
    if opened is None:
        intake.refuse(
            ArchiveInvalid("The entry is a link or a device. Put the file itself into the archive.")
        )
    else:
        while piece := opened.read(PIECE_BYTES):
            if not intake.write(piece):
                break
    intake.end()
