"""How a question to the database is asked from the event loop."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from pagemill.desk import queries
from pagemill.desk.queries import Asked
from pagemill.errors import PagemillError, StorageUnavailable, StoredFileMissing
from pagemill.mill import Mill
from pagemill.model.views import JobView

P = ParamSpec("P")
T = TypeVar("T")
Answers = asyncio.Future[dict[Asked, JobView | PagemillError]]
# A caller that comes later does not wait longer than this for a database that hangs.
PATIENCE_SECONDS = 0.1


async def run_query(
    query: Callable[Concatenate[Mill, P], T], mill: Mill, *args: P.args, **kwargs: P.kwargs
) -> T:
    """Ask at once if the database and the files are on this machine, where a hop to a thread would take longer.

    A database or a bucket across a network is asked in a thread, so that no other caller waits for it.
    """
    threads = mill.db.threads
    if threads is None and mill.blobs.is_near:
        return query(mill, *args, **kwargs)
    call = partial(query, mill, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(threads, call)


async def gone_if_deleted(making: Awaitable[T], mill: Mill, tenant: str, job_id: str) -> T:
    """What is made of a job; Gone if its files are missing because it was deleted meanwhile."""
    try:
        return await making
    except (StorageUnavailable, StoredFileMissing):
        await run_query(queries.show_job, mill, tenant, job_id)
        raise


class JobLookups:
    """Looks at jobs; those that come while others are under way to a database elsewhere go there together."""

    def __init__(self, mill: Mill) -> None:
        self._mill = mill
        self._under_way: Answers | None = None
        self._waiting: dict[Asked, asyncio.Future[JobView]] = {}

    async def job(self, tenant: str, job_id: str) -> JobView:
        """A job as it is after this call, never before."""
        if self._mill.db.threads is None:
            return await run_query(queries.show_job, self._mill, tenant, job_id)
        key = (tenant, job_id)
        if key not in self._waiting:
            self._waiting[key] = asyncio.get_running_loop().create_future()
        seen = self._waiting[key]
        self._send_query()
        # A caller that leaves must not take the answer away from the others.
        return await asyncio.shield(seen)

    def _send_query(self) -> None:
        """Send waiting callers on their way, unless others are still out."""
        if self._waiting and self._under_way is None:
            batch, self._waiting = self._waiting, {}
            answers = asyncio.ensure_future(run_query(queries.show_jobs, self._mill, list(batch)))
            answers.add_done_callback(partial(self._deliver, batch))
            answers.get_loop().call_later(PATIENCE_SECONDS, self._allow_next, answers)
            self._under_way = answers

    def _allow_next(self, answers: "Answers") -> None:
        if self._under_way is answers:
            self._under_way = None
            self._send_query()

    def _deliver(self, batch: "dict[Asked, asyncio.Future[JobView]]", answers: "Answers") -> None:
        self._allow_next(answers)
        failure = asyncio.CancelledError() if answers.cancelled() else answers.exception()
        for one, seen in batch.items():
            set_answer(seen, failure or answers.result()[one])


def set_answer(seen: "asyncio.Future[JobView]", answer: JobView | BaseException) -> None:
    """Give an answer, or the reason for none, to the caller that still waits for it."""
    if isinstance(answer, asyncio.CancelledError):
        seen.cancel()
    elif isinstance(answer, BaseException):
        seen.set_exception(answer)
        # Looked at here, because the callers may be gone.
        seen.exception()
    else:
        seen.set_result(answer)
