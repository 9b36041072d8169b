"""Pieces of bodies on their way to the disk, which can keep a writer waiting for seconds when much is written at once.

A short body is written where it arrives, which is quickest. Whatever comes after that, a body that is declared to be
large, and everything while large bodies are being stored, is written by a few threads, so that the event loop never waits
for the disk. These have a lower priority than the event loop, which would otherwise wait for a core while they hash.
"""

import os
import sys
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pagemill.entrypoints.thread_pools import run_to_end

T = TypeVar("T")
# The part of a body that is written by the event loop; usual documents are shorter.
DIRECT_BYTES = 2_097_152
# So much is written by a thread at once; each body that is under way may hold as much in memory.
GATHERED_BYTES = 262_144
# More take time from the event loop: with four on two cores, looks at a job waited twice as long (`python -m bench load`).
THREADS = 2
# With the same priority as the event loop, looks at a job waited four times as long (`python -m bench load`).
NICE_STEPS = 5


class StoringThreads:
    """The threads that store large bodies; a call that has begun is always waited for."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(
            THREADS, thread_name_prefix="pagemill-store", initializer=lower_priority
        )
        self._calls = 0

    @property
    def are_busy(self) -> bool:
        """Whether a large body is being stored now."""
        return self._calls > 0

    async def run(self, command: Callable[[], T]) -> T:
        """Write something; a caller that is cancelled goes on when the thread is done with it."""
        self._calls += 1
        try:
            return await run_to_end(command, self._threads)
        finally:
            self._calls -= 1

    def close(self) -> None:
        """Take no more calls."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def lower_priority() -> None:
    """Let the other threads of this process run before this one; only Linux has a priority per thread."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + NICE_STEPS)


class PieceStorer:
    """Takes the pieces of one body and has them written, in order."""

    def __init__(
        self,
        threads: StoringThreads,
        write: Callable[[bytes], object],
        *,
        direct_bytes: int = DIRECT_BYTES,
        declared_bytes: int = 0,
    ) -> None:
        self._threads = threads
        self._write = write
        self._direct_bytes = direct_bytes if declared_bytes <= direct_bytes else 0
        self._size_bytes = 0
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0

    def take_piece(self, piece: bytes) -> Awaitable[None] | None:
        """Write a piece now, or keep it until there is enough for a thread, which is then to be awaited."""
        if not piece:
            return None
        self._size_bytes += len(piece)
        is_short = self._size_bytes <= self._direct_bytes
        if is_short and not self._waiting and not self._threads.are_busy:
            self._write(piece)
            return None
        self._waiting.append(piece)
        self._waiting_bytes += len(piece)
        return self.flush() if self._waiting_bytes >= GATHERED_BYTES else None

    async def flush(self) -> None:
        """Write all pieces that wait."""
        pieces, self._waiting, self._waiting_bytes = self._waiting, [], 0
        if pieces:
            await self._threads.run(lambda: self._write_all(pieces))

    def _write_all(self, pieces: list[bytes]) -> None:
        for piece in pieces:
            self._write(piece)
