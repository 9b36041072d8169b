"""TAR archives that ask for more memory, time or space than an archive of documents needs."""

import gzip
import io
import tarfile
from typing import Any, cast

import pytest

from pagemill.entrypoints.api.batches.untar import MAX_HEADER_BYTES, BoundedBytes, take_members
from pagemill.errors import ArchiveBomb, ArchiveInvalid

SECONDS = 600.0


def bounded(body: bytes, most_bytes: int = 10_000_000) -> BoundedBytes:
    """Bytes that are compressed by gzip, as they are read from an archive."""
    return BoundedBytes(
        cast(Any, gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(body)))), most_bytes, SECONDS
    )


def test_what_is_passed_over_in_a_compressed_archive_counts() -> None:
    source = bounded(bytes(2_000_000), most_bytes=1_000_000)
    with pytest.raises(ArchiveBomb):
        source.seek(1_500_000)


def test_a_header_that_is_too_long_is_not_read() -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("a.pdf")
        member.pax_headers = {"comment": "x" * 2 * MAX_HEADER_BYTES}
        archive.addfile(member)
    source = cast(Any, bounded(packed.getvalue()))
    with pytest.raises(ArchiveInvalid), tarfile.open(fileobj=source, mode="r:") as archive:
        take_members(archive, cast(Any, None))


def test_time_that_is_used_up_ends_the_unpacking() -> None:
    source = BoundedBytes(io.BytesIO(bytes(1_000)), 1_000_000, -1.0)
    with pytest.raises(ArchiveBomb):
        source.read(512)
