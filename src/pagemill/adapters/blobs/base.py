"""The blob store: files under keys such as `documents/4f/….pdf`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

PIECE_BYTES = 1_048_576

Method = Literal["GET", "PUT"]
# A key, and the SHA-256 of what must be there if it is known.
Wanted = tuple[str, str | None]

# Is in every store: it says whose files they are, and tells a store that is there from an empty folder.
MARK = "pagemill.txt"
MARK_TEXT = b"The files of a pagemill installation. They are removed by pagemill when their time is over.\n"

# What went wrong with the store of this process, by kind.
TROUBLES: Counter[str] = Counter()


@dataclass(frozen=True, slots=True)
class BlobEntry:
    """A key in the store and when it was last written."""

    key: str
    modified_at: float


class BlobWriter(Protocol):
    """A blob being written. It is there after `commit`, and leaves nothing behind after `abort`."""

    def write(self, piece: bytes) -> None:
        """Add bytes at the end; never waits for a network."""

    def commit(self) -> None:
        """Make the blob durable; returns when a power cut can't undo it."""

    def close(self) -> None:
        """Complete the blob in place of `commit`; it is durable after a `sync` of the store."""

    def abort(self) -> None:
        """Throw away what was written; never waits for a network."""


def store_file(writer: BlobWriter, source: BinaryIO) -> None:
    """Write a file to its end and make it durable; nothing of it is left if that fails."""
    try:
        while piece := source.read(PIECE_BYTES):
            writer.write(piece)
        writer.commit()
    except BaseException:
        writer.abort()
        raise


class Blobs(Protocol):
    """A store of blobs. Keys are relative paths; a key is written once and never changed."""

    @property
    def is_near(self) -> bool:
        """Whether a read takes no longer than a look at a disk, so that the event loop may wait for it."""

    @property
    def looks_unmounted(self) -> bool:
        """Whether it may be the empty folder that a disk leaves behind which is not mounted."""

    def check(self) -> None:
        """Store something; Refused if that can't work with these settings, StorageUnavailable if not now."""

    def read_mark(self) -> bytes | None:
        """The text of the file that says whose store it is; None if there is none."""

    def write_mark(self, text: bytes) -> None:
        """Write that file; Refused if that can't work with these settings, StorageUnavailable if not now."""

    def is_empty(self, prefix: str) -> bool:
        """Whether no blob is stored under a prefix."""

    def is_reachable(self) -> bool:
        """Whether the store answers; looked at no more than every few seconds."""

    def writer(self, key: str) -> BlobWriter:
        """Start a new blob."""

    def sync(self, keys: Sequence[str]) -> None:
        """Return when blobs whose writers were closed are durable, which for many costs less than for each."""

    def open(self, key: str) -> BinaryIO:
        """The bytes of a blob, seekable; StoredFileMissing if it is not there."""

    def size(self, key: str) -> int | None:
        """The size of a blob in bytes; None if it is not there."""

    def local(self, key: str, sha256: str | None = None) -> AbstractContextManager[Path]:
        """A path on this machine that holds the blob while the context lasts; without a file if it is not there.

        What comes over a network is compared with the SHA-256, if it is known.
        """

    def local_all(self, wanted: Sequence[Wanted]) -> AbstractContextManager[list[Path]]:
        """As `local` for several blobs, in their order, fetched at the same time."""

    def folders(self, prefixes: Sequence[str]) -> AbstractContextManager[list[Path]]:
        """Folders on this machine; what is in them when the context ends is durable in the store under the prefixes."""

    def new_folders(self, prefixes: Sequence[str]) -> AbstractContextManager[list[Path]]:
        """As `folders`, for prefixes that hold nothing yet; one may be missing until a folder is moved to its path."""

    def copy(self, key: str, to: str) -> None:
        """Make a blob of the bytes of another."""

    def replace(self, key: str, to: str) -> None:
        """Move a blob to the place of another, which is read whole, old or new, meanwhile."""

    def remove(self, prefix: str) -> None:
        """Remove a blob, or all blobs below a prefix; nothing happens if there are none."""

    def prune(self, prefix: str) -> None:
        """Remove a folder that holds nothing any more, in stores that have folders."""

    def entries(self, prefix: str, depth: int = 1) -> Iterator[BlobEntry]:
        """The blobs and folders that are this many levels below a prefix."""

    def keys(self) -> Iterator[str]:
        """The key of every blob."""

    def signed_url(self, method: Method, key: str, seconds: float) -> str | None:
        """A link by which anybody can fetch or write a blob for a while; None if the store makes no links."""

    def free_bytes(self) -> int | None:
        """How much space is left; None if it is not known."""

    def close(self) -> None:
        """Leave nothing behind on this machine."""
