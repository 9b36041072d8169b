"""Archives (ZIP and TAR): what is in them, entry by entry, never by the names in them."""

import stat
import tarfile
import zlib
from collections.abc import Iterator

from pagemill.errors import ArchiveBomb, ArchiveInvalid, PasswordRequired
from pagemill.model.filenames import is_document
from pagemill.model.zip_names import zip_name
from pagemill.reading.office.contained import EMBEDDED, ContainedFile, list_blocks, pieces_of
from pagemill.reading.office.flow import Flow
from pagemill.reading.office.package import Package
from pagemill.reading.office.reading_limits import MAX_ENTRIES, check_bytes
from pagemill.reading.office.writing import paragraph

# What a TAR may unpack to altogether: its list of entries is only known after the last of them.
MAX_TAR_BYTES = 4 << 30
MOST_LISTED = 1_000
IS_ENCRYPTED = 1
_BROKEN = (tarfile.TarError, zlib.error, EOFError, OSError, ValueError)


def archive_flow(path: str, warnings: dict[str, None]) -> Flow:
    """A list of what is in an archive."""
    found = [(one.name, one.size_bytes) for one in archive_entries(path)]
    if not found:
        raise ArchiveInvalid("There is no document in the archive.")
    flow = Flow()
    warnings[EMBEDDED] = None
    flow.add(*list_blocks(found[:MOST_LISTED]))
    if len(found) > MOST_LISTED:
        flow.add(paragraph(f"And {len(found) - MOST_LISTED:,} more."))
    return flow


def archive_entries(path: str) -> Iterator[ContainedFile]:
    """The files in an archive; folders, links and what systems put there are passed over.

    The bytes of an entry can be read until the next is asked for.
    """
    with open(path, "rb") as file:
        is_zip = file.read(2) == b"PK"
    return _zip_entries(path) if is_zip else _tar_entries(path)


def _zip_entries(path: str) -> Iterator[ContainedFile]:
    package = Package(path, max_package_bytes=MAX_TAR_BYTES)
    for entry in package.entries():
        linked = stat.S_ISLNK(entry.external_attr >> 16)
        if entry.is_dir() or linked or not is_document(name := zip_name(entry)):
            continue
        if entry.flag_bits & IS_ENCRYPTED:
            raise PasswordRequired("Files in the archive are encrypted. Unpack it first.")
        pieces = package.entry_pieces(entry)
        yield ContainedFile(name, entry.file_size, pieces)


def _tar_entries(path: str) -> Iterator[ContainedFile]:
    try:
        with open(path, "rb") as source, tarfile.open(fileobj=source, mode="r|*") as archive:
            for count, member in enumerate(archive, 1):
                if count > MAX_ENTRIES:
                    raise ArchiveBomb.because(
                        f"The archive has more than {MAX_ENTRIES:,} entries.", limit=MAX_ENTRIES
                    )
                check_bytes(archive.offset, MAX_TAR_BYTES, "The archive")
                if member.isfile() and is_document(member.name):
                    yield ContainedFile(member.name, member.size, pieces_of(archive.extractfile(member)))
    except _BROKEN as error:
        raise ArchiveInvalid() from error
