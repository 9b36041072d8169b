"""A thread pool that shares its threads fairly among tenants."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

from pagemill.errors import Overloaded

P = ParamSpec("P")
T = TypeVar("T")


class FairThreadPool:
    """A few threads, of which a tenant never has all; those who wait for one are served tenant by tenant."""

    def __init__(self, threads: int, most_waiting: int, name: str) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._free = threads
        # A quarter is left for the others, whatever the calls of one take.
        self._most_of_one = max(threads * 3 // 4, 1)
        self._most = threads + most_waiting
        self._present = 0
        self._running: defaultdict[str, int] = defaultdict(int)
        # By tenant, in the order in which tenants are served.
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    def present(self, tenant: str) -> int:
        """How many calls of a tenant run or wait."""
        return self._running[tenant] + len(self._waiting.get(tenant, ()))

    async def run(self, tenant: str, command: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do something slow in a thread, when it is the tenant's turn; Overloaded if too many are waiting for one.

        The thread is taken until the call has ended, also if its caller is gone.
        """
        if self._present >= self._most:
            raise Overloaded
        self._present += 1
        try:
            await self._take_turn(tenant)
            loop = asyncio.get_running_loop()
            call = partial(copy_context().run, partial(command, *args, **kwargs))
            running: Future[T] = self._threads.submit(call)
            running.add_done_callback(lambda _: give_back(loop, partial(self._end, tenant)))
            return await asyncio.wrap_future(running)
        finally:
            self._present -= 1

    async def _take_turn(self, tenant: str) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(tenant, deque()).append(turn)
        self._start_next()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._end(tenant)
            raise

    def _start_next(self) -> None:
        """Give free threads to those who wait, one tenant after the other."""
        while self._free and (tenant := self._next_tenant()) is not None:
            turns = self._waiting.pop(tenant)
            turn = turns.popleft()
            if turns:
                # Behind all others.
                self._waiting[tenant] = turns
            if not turn.done():
                self._free -= 1
                self._running[tenant] += 1
                turn.set_result(None)

    def _next_tenant(self) -> str | None:
        return next((one for one in self._waiting if self._running[one] < self._most_of_one), None)

    def _end(self, tenant: str) -> None:
        self._free += 1
        self._running[tenant] -= 1
        if not self._running[tenant]:
            del self._running[tenant]
        self._start_next()

    def close(self) -> None:
        """Take no more calls."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def give_back(loop: asyncio.AbstractEventLoop, end: Callable[[], None]) -> None:
    """Say in the event loop that a call has ended, unless the loop is closed by then."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(end)
