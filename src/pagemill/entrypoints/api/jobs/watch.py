"""Those who wait for a job: long polls and event streams, without a thread each, and not too many at once."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from starlette.requests import Request
from starlette.types import Message

from pagemill.entrypoints.api.database_calls import JobLookups
from pagemill.entrypoints.api.jobs.feeds import Feeds
from pagemill.errors import Overloaded
from pagemill.mill import Mill
from pagemill.model.states import TERMINAL
from pagemill.model.views import JobView
from pagemill.notifier import Listener

# Another process may have written without notifying this one, so watchers also poll, the less often the more there are.
LOOK_SECONDS = 1.0
LOOKS_PER_SECOND = 200
# A busy job rings often; looking at each ring would cost more than it tells.
REST_SECONDS = 0.02

Receive = Callable[[], Awaitable[Message]]


class Watch:
    """Counts those who wait, and sends them all home when the service stops."""

    def __init__(self, mill: Mill) -> None:
        self.closing = False
        self.lookups = JobLookups(mill)
        self.feeds = Feeds(mill)
        self._mill = mill
        self._waiting: set[Listener] = set()

    def is_full(self) -> bool:
        """Whether nobody more may wait."""
        return len(self._waiting) >= self._mill.settings.max_waiting_requests

    def count(self) -> int:
        """How many are waiting."""
        return len(self._waiting)

    def poll_seconds(self) -> float:
        """How long to wait for a ring before looking all the same."""
        return max(LOOK_SECONDS, len(self._waiting) / LOOKS_PER_SECOND)

    def close(self) -> None:
        """Wake everybody for good."""
        self.closing = True
        for listener in self._waiting:
            listener.wake()

    @contextmanager
    def admit(self, listener: Listener) -> Iterator[Listener]:
        """Count somebody who waits; Overloaded if too many do already."""
        if self.is_full():
            raise Overloaded()
        self._waiting.add(listener)
        try:
            yield listener
        finally:
            self._waiting.discard(listener)

    @contextmanager
    def subscribe(self, job_id: str) -> Iterator[Listener]:
        """Hear what happens to a job; Overloaded if too many are listening already."""
        with self._mill.notifier.subscribe(job_id) as listener, self.admit(listener):
            yield listener

    async def wait_for_job(
        self, request: Request, tenant: str, job_id: str, seconds: float, enough: Callable[[JobView], bool]
    ) -> JobView:
        """The job as soon as it is enough for the caller, or as it stands when the time is up."""
        view = await self.lookups.job(tenant, job_id)
        if seconds <= 0 or enough(view):
            return view
        until = asyncio.get_running_loop().time() + seconds
        with self.subscribe(job_id) as listener, watch_disconnect(request.receive, listener) as gone:
            while True:
                view = await self.lookups.job(tenant, job_id)
                left = until - asyncio.get_running_loop().time()
                if enough(view) or left <= 0 or self.closing or gone.done():
                    return view
                await listener.wait(min(left, self.poll_seconds()))
                await asyncio.sleep(0 if left < REST_SECONDS else REST_SECONDS)


@contextmanager
def watch_disconnect(receive: Receive, listener: Listener) -> Iterator["asyncio.Future[None]"]:
    """A future that is done when the caller has left; it wakes the listener."""
    gone = asyncio.ensure_future(wait_for_disconnect(receive))
    gone.add_done_callback(lambda _: listener.wake())
    try:
        yield gone
    finally:
        gone.cancel()


async def wait_for_disconnect(receive: Receive) -> None:
    """Return when the caller has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


def is_over(view: JobView) -> bool:
    """Whether a job has ended, in whatever way."""
    return view["status"] in TERMINAL
