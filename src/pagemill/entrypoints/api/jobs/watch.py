"""Requests that wait for a job: long polls and event streams, without a thread each, and not too many at once."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress

from starlette.requests import Request
from starlette.types import Message

from pagemill.desk import batches
from pagemill.entrypoints.access.caller import holder_of
from pagemill.entrypoints.api.database_calls import JobLookups
from pagemill.entrypoints.api.jobs.feeds import Feeds
from pagemill.entrypoints.thread_pools import run_in_thread
from pagemill.errors import Gone, NotFound, Overloaded, PagemillError, QuotaExceeded
from pagemill.mill import Mill
from pagemill.model.batches import BatchView
from pagemill.model.states import ACTIVE, TERMINAL
from pagemill.model.tenants import Holder
from pagemill.model.views import JobView
from pagemill.notifier import Listener

# Another process may have written without notifying this one, so watchers also poll, the less often the more there are.
LOOK_SECONDS = 1.0
LOOKS_PER_SECOND = 200
# A busy job rings often; looking at each ring would cost more than it is worth.
REST_SECONDS = 0.02
RETRY_AFTER_SECONDS = 10

Receive = Callable[[], Awaitable[Message]]


class Watch:
    """Counts requests that wait, and ends them all when the service stops."""

    def __init__(self, mill: Mill) -> None:
        self.closing = False
        self.lookups = JobLookups(mill)
        self.feeds = Feeds(mill)
        self._mill = mill
        self._waiting: set[Listener] = set()
        self._of_tenant: Counter[str] = Counter()

    def is_full(self, holder: Holder) -> bool:
        """Whether no more requests may wait, in all or of a tenant."""
        return self._refusal(holder) is not None

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
    def admit(self, listener: Listener, holder: Holder) -> Iterator[Listener]:
        """Count somebody who waits; QuotaExceeded or Overloaded if too many do already."""
        refusal = self._refusal(holder)
        if refusal is not None:
            raise refusal
        self._waiting.add(listener)
        self._of_tenant[holder.tenant] += 1
        try:
            yield listener
        finally:
            self._waiting.discard(listener)
            self._forget(holder.tenant)

    @contextmanager
    def subscribe(self, job_id: str, holder: Holder) -> Iterator[Listener]:
        """Hear what happens to a job; QuotaExceeded or Overloaded if too many are listening already."""
        with self._mill.notifier.subscribe(job_id) as listener, self.admit(listener, holder):
            yield listener

    def _refusal(self, holder: Holder) -> PagemillError | None:
        """Why one more may not wait; the operator is held to no tenant's limit."""
        most = self._mill.settings.max_waiting_requests
        most_of_tenant = self._mill.limits.of(holder.tenant).max_tenant_waiting_requests
        if self._of_tenant[holder.tenant] >= most_of_tenant and not holder.is_operator:
            return QuotaExceeded(
                "Too many requests of this tenant wait for jobs. Close some, or ask without waiting.",
                max_tenant_waiting_requests=most_of_tenant,
                retry_after_seconds=RETRY_AFTER_SECONDS,
            )
        return Overloaded(max_waiting_requests=most) if len(self._waiting) >= most else None

    def _forget(self, tenant: str) -> None:
        self._of_tenant[tenant] -= 1
        if not self._of_tenant[tenant]:
            del self._of_tenant[tenant]

    async def wait_for_job(
        self, request: Request, tenant: str, job_id: str, seconds: float, enough: Callable[[JobView], bool]
    ) -> JobView:
        """The job as soon as it is enough for the caller, or as it is when the time is up."""
        view = await self.lookups.job(tenant, job_id)
        if seconds <= 0 or enough(view):
            return view
        until = asyncio.get_running_loop().time() + seconds
        with (
            self.subscribe(job_id, holder_of(request)) as listener,
            watch_disconnect(request.receive, listener) as gone,
        ):
            while True:
                view = await self.lookups.job(tenant, job_id)
                left = until - asyncio.get_running_loop().time()
                if enough(view) or left <= 0 or self.closing or gone.done():
                    return view
                await listener.wait(min(left, self.poll_seconds()))
                await asyncio.sleep(0 if left < REST_SECONDS else REST_SECONDS)

    async def wait_for_batch(self, request: Request, tenant: str, batch_id: str, seconds: float) -> BatchView:
        """The batch as soon as it has ended, or as it is when the time is up.

        It is the last job that is waited for: to count all jobs whenever one of them ends would take longer than some of
        them do.
        """
        until = asyncio.get_running_loop().time() + seconds
        while True:
            view = await run_in_thread(batches.look_at_batch, self._mill, tenant, batch_id)
            left = until - asyncio.get_running_loop().time()
            if view["status"] not in ACTIVE or left <= 0:
                return view
            last = await run_in_thread(batches.last_active_job, self._mill, tenant, batch_id)
            # Jobs can be deleted meanwhile, one by one or with the batch.
            with suppress(Gone, NotFound):
                if last and not is_over(await self.wait_for_job(request, tenant, last, left, is_over)):
                    # The time is up, the caller has left, or the service stops.
                    until = 0.0


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
