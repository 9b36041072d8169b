"""Threads for calls that block, so that the event loop never does."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import Any, ParamSpec, TypeVar

from pagemill.errors import Overloaded

P = ParamSpec("P")
T = TypeVar("T")


async def run_in_thread(command: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do something that may block, in a thread."""
    return await asyncio.to_thread(command, *args, **kwargs)


async def run_to_end(command: Callable[[], T], threads: ThreadPoolExecutor | None = None) -> T:
    """As `run_in_thread`, but a caller that is cancelled waits for the end: a file must not be closed while it is written.

    The threads are those of `run_in_thread` if none are given.
    """
    running = asyncio.get_running_loop().run_in_executor(threads, copy_context().run, command)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        while not running.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([running])
        raise


class BoundedThreadPool:
    """A few threads for slow calls, so that these never keep the quick ones waiting."""

    def __init__(self, threads: int, most_waiting: int, name: str) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._most = threads + most_waiting
        self._present = 0
        self._shared: dict[str, asyncio.Future[Any]] = {}

    async def run(self, command: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do something slow in a thread; Overloaded if too many are waiting for one."""
        if self._present >= self._most:
            raise Overloaded
        self._present += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._threads, partial(command, *args, **kwargs)
            )
        finally:
            self._present -= 1

    async def share(
        self, key: str, patience_seconds: float, command: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T | None:
        """As `run`, but callers for the same wait for one call; None if it takes longer than their patience."""
        running = self._shared.get(key)
        if running is None:
            running = asyncio.ensure_future(self.run(command, *args, **kwargs))
            self._shared[key] = running
            running.add_done_callback(lambda over: self._forget(key, over))
        done, _ = await asyncio.wait([running], timeout=patience_seconds)
        result: T | None = running.result() if done else None
        return result

    def _forget(self, key: str, over: "asyncio.Future[Any]") -> None:
        self._shared.pop(key, None)
        # Looked at here, because the callers may be gone.
        if not over.cancelled():
            over.exception()

    def close(self) -> None:
        """Take no more calls."""
        self._threads.shutdown(wait=False, cancel_futures=True)
