"""Generators that block, each run by one thread from its beginning to its end, for the event loop to read from."""

import asyncio
import threading
from collections.abc import Generator
from contextlib import closing
from typing import Generic, TypeVar

from pagemill.entrypoints.thread_pools import BoundedThreadPool

T = TypeVar("T")

# So many pieces wait for a slow reader; then the generator waits for it, too.
MOST_WAITING = 64
# How often a generator that waits looks whether it is stopped.
LOOK_SECONDS = 0.2


class ThreadedStream(Generic[T]):
    """The pieces of a generator, which is run and closed in one thread of a pool.

    A generator that makes nothing for a long time has to look at `stopping` by itself.
    """

    def __init__(
        self, pool: BoundedThreadPool, pieces: Generator[T, None, None], stopping: threading.Event
    ) -> None:
        self._pieces = pieces
        self._stopping = stopping
        self._loop = asyncio.get_running_loop()
        self._room = threading.Semaphore(MOST_WAITING)
        self._arrived: asyncio.Queue[T | None] = asyncio.Queue()
        self._running = asyncio.ensure_future(pool.run(self._produce))
        self._running.add_done_callback(self._end)

    async def next(self) -> T | None:
        """The next piece; None after the last. Raises what the generator raised, or Overloaded."""
        piece = await self._arrived.get()
        if piece is None:
            # Raises what it ended with.
            self._running.result()
            return None
        self._room.release()
        return piece

    def stop(self) -> None:
        """Have the generator closed, in its own thread, as soon as it gets there."""
        self._stopping.set()

    def _produce(self) -> None:
        with closing(self._pieces):
            if self._stopping.is_set():
                return
            for piece in self._pieces:
                if not self._has_room():
                    return
                self._loop.call_soon_threadsafe(self._arrived.put_nowait, piece)

    def _has_room(self) -> bool:
        """Wait until another piece may wait to be read; False if the reader is gone."""
        while not self._room.acquire(timeout=LOOK_SECONDS):
            if self._stopping.is_set():
                return False
        return not self._stopping.is_set()

    def _end(self, over: "asyncio.Future[None]") -> None:
        # Looked at here, because the reader may be gone.
        if not over.cancelled():
            over.exception()
        self._arrived.put_nowait(None)
