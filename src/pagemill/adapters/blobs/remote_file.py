"""A blob in a store far away as a file that can be read from any place."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pagemill.errors import StorageUnavailable

# Most files that are asked for fit into the first window.
FIRST_WINDOW_BYTES = 262_144
LARGEST_WINDOW_BYTES = 8 * 1_048_576
BUFFER_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class FetchedWindow:
    """Some bytes of a blob, and how long the whole of it is."""

    start: int
    content: memoryview
    whole_bytes: int

    @property
    def end(self) -> int:
        """Where the next window starts."""
        return self.start + len(self.content)


class RemoteFile(io.RawIOBase):
    """Reads a window at a time; windows grow while they are read one after the other."""

    def __init__(self, fetch: Callable[[int, int], FetchedWindow]) -> None:
        self._fetch = fetch
        self._next_bytes = FIRST_WINDOW_BYTES
        self._window = fetch(0, FIRST_WINDOW_BYTES)
        self._at = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill the buffer as far as the present window goes."""
        if self._at >= self._window.whole_bytes:
            return 0
        wanted = memoryview(buffer).cast("B")
        if not self._window.start <= self._at < self._window.end:
            self._move(len(wanted))
        offset = self._at - self._window.start
        piece = self._window.content[offset : offset + len(wanted)]
        wanted[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a place without reading."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._window.whole_bytes}[whence]
        self._at = max(base + offset, 0)
        return self._at

    def tell(self) -> int:
        """Where the next byte is read."""
        return self._at

    def _move(self, wanted_bytes: int) -> None:
        sequential = self._at == self._window.end
        self._next_bytes = (
            min(2 * self._next_bytes, LARGEST_WINDOW_BYTES) if sequential else FIRST_WINDOW_BYTES
        )
        length = min(max(self._next_bytes, wanted_bytes), self._window.whole_bytes - self._at)
        self._window = self._fetch(self._at, length)
        if len(self._window.content) != length:
            raise StorageUnavailable("The blob store sent fewer bytes than it has.")


def open_buffered(fetch: Callable[[int, int], FetchedWindow]) -> io.BufferedReader:
    """The blob as a file with lines."""
    return io.BufferedReader(RemoteFile(fetch), BUFFER_BYTES)
