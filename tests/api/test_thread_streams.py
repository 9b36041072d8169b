"""Generators in threads: read piece by piece, closed in their own thread when nobody reads on, refused when too many wait."""

import asyncio
import threading
from collections.abc import Generator

import pytest

from pagemill.entrypoints.thread_pools import BoundedThreadPool
from pagemill.entrypoints.thread_streams import MOST_WAITING, ThreadedStream
from pagemill.errors import NotFound, Overloaded


class Counting:
    """Numbers without end, and the threads in which they were begun and ended."""

    def __init__(self) -> None:
        self.made = 0
        self.threads: list[str] = []
        self.closed = threading.Event()

    def numbers(self) -> Generator[int, None, None]:
        """1, 2, 3 and so on."""
        self.threads.append(threading.current_thread().name)
        try:
            while True:
                self.made += 1
                yield self.made
        finally:
            self.threads.append(threading.current_thread().name)
            self.closed.set()


def failing() -> Generator[int, None, None]:
    """One piece, then an error."""
    yield 1
    raise NotFound("No more.")


def test_a_stream_that_is_stopped_is_closed_in_the_thread_that_ran_it() -> None:
    pool, counting = BoundedThreadPool(1, 1, "stream"), Counting()

    async def read() -> list[int | None]:
        stream = ThreadedStream(pool, counting.numbers(), threading.Event())
        found = [await stream.next() for _ in range(3)]
        stream.stop()
        await asyncio.to_thread(counting.closed.wait, 60)
        return found

    assert asyncio.run(read()) == [1, 2, 3]
    pool.close()
    assert counting.closed.is_set()
    assert len(set(counting.threads)) == 1
    assert counting.made <= MOST_WAITING + 4


def test_what_a_generator_raises_comes_after_its_pieces() -> None:
    pool = BoundedThreadPool(1, 1, "stream")

    async def read() -> int | None:
        stream = ThreadedStream(pool, failing(), threading.Event())
        first = await stream.next()
        with pytest.raises(NotFound):
            await stream.next()
        return first

    assert asyncio.run(read()) == 1
    pool.close()


def test_one_too_many_is_refused_before_its_first_piece() -> None:
    pool, counting = BoundedThreadPool(1, 0, "stream"), Counting()

    async def read() -> None:
        held = ThreadedStream(pool, counting.numbers(), threading.Event())
        await held.next()
        with pytest.raises(Overloaded):
            await ThreadedStream(pool, counting.numbers(), threading.Event()).next()
        held.stop()
        await asyncio.to_thread(counting.closed.wait, 60)

    asyncio.run(read())
    pool.close()
