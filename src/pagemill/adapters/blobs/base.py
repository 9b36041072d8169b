"""The blob store: files under keys such as `documents/4f/….pdf`."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol


@dataclass(frozen=True, slots=True)
class Entry:
    """A key in the store and when it was last written."""

    key: str
    modified_at: float


class BlobWriter(Protocol):
    """A blob being written. It is there after `commit`, and leaves nothing behind after `abort`."""

    def write(self, piece: bytes) -> None:
        """Add bytes at the end."""

    def commit(self) -> None:
        """Make the blob durable; returns when a power cut can't undo it."""

    def abort(self) -> None:
        """Throw away what was written."""


class Blobs(Protocol):
    """A store of blobs. Keys are relative paths; a key is written once and never changed."""

    def writer(self, key: str) -> BlobWriter:
        """Start a new blob."""

    def open(self, key: str) -> BinaryIO:
        """The bytes of a blob, seekable; StorageUnavailable if it is not there."""

    def size(self, key: str) -> int | None:
        """The size of a blob in bytes; None if it is not there."""

    def local(self, key: str) -> AbstractContextManager[Path]:
        """A path on this machine that holds the blob while the context lasts."""

    def folders(self, prefixes: Sequence[str]) -> AbstractContextManager[list[Path]]:
        """Folders on this machine; what lies in them when the context ends is durable in the store under the prefixes."""

    def remove(self, prefix: str) -> None:
        """Remove a blob, or all blobs below a prefix; nothing happens if there are none."""

    def prune(self, prefix: str) -> None:
        """Remove a folder that holds nothing any more, in stores that have folders."""

    def entries(self, prefix: str) -> Iterator[Entry]:
        """The blobs and folders directly below a prefix."""

    def free_bytes(self) -> int | None:
        """How much space is left; None if there is no telling."""
