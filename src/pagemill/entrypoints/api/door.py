"""What the routes share: the mill, those who wait, and how a call leaves the event loop."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, ParamSpec, TypeVar

import orjson
from starlette.requests import Request
from starlette.responses import Response

from pagemill.desk.census import Census
from pagemill.entrypoints.api.refusals import Refusals
from pagemill.entrypoints.api.waiting import Watch
from pagemill.errors import Forbidden, Overloaded
from pagemill.mill import Mill
from pagemill.model.tenants import Holder

P = ParamSpec("P")
T = TypeVar("T")
JSON = "application/json"
# Where the gate notes who sent a request.
HOLDER = "pagemill.holder"
# And that only the head of the answer is sent, so that nobody need read what comes after it.
HEAD_ONLY = "pagemill.head_only"


@dataclass(frozen=True, slots=True)
class Door:
    """Everything that a route needs."""

    mill: Mill
    watch: Watch
    # Every provider, and why it can't be used if so.
    providers: Mapping[str, str | None]
    default_providers: tuple[str, ...]
    drawing: "Bench"
    making: "Bench"
    refusals: Refusals
    census: Census


class Bench:
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
        """As `run`, but those who ask for the same wait for one call; None if it takes longer than their patience."""
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
        # Looked at here, because those who asked may be gone.
        if not over.cancelled():
            over.exception()

    def close(self) -> None:
        """Take no more calls."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def door_of(request: Request) -> Door:
    """The door that a request came through."""
    door: Door = request.app.state.door
    return door


def holder_of(request: Request) -> Holder:
    """Who sent a request."""
    holder: Holder = request.scope[HOLDER]
    return holder


def tenant_of(request: Request) -> str:
    """Whose jobs a request may see."""
    return holder_of(request).tenant


def refuse_tenants(request: Request) -> None:
    """Keep what concerns all tenants to the operator's key."""
    if not holder_of(request).is_operator:
        raise Forbidden()


async def act(command: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do something that may block, in a thread."""
    return await asyncio.to_thread(command, *args, **kwargs)


def answer(shown: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """An answer in JSON."""
    return Response(orjson.dumps(shown), status, headers, JSON)
