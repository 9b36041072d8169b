"""Refusals before anything is stored, written to the event log beside the answer, never in its way."""

import asyncio

from pagemill.desk import commands
from pagemill.errors import Overloaded, PagemillError, TooManyRequests, Unauthorized
from pagemill.mill import Mill
from pagemill.model.events import Facts

# Strangers can cause these at will, so they are counted and never written, or they could fill the log; and a service
# that has too much to do must not write about it.
COUNTED_ONLY = (Unauthorized, TooManyRequests, Overloaded)
MOST_UNDER_WAY = 100


class Refusals:
    """Writes refusals down, as long as not too many are waiting for that; those beyond are only counted."""

    def __init__(self, mill: Mill) -> None:
        self._mill = mill
        self._under_way = 0

    def record(
        self,
        error: PagemillError,
        tenant: str,
        *,
        path: str,
        filename: str | None = None,
        size_bytes: int = 0,
    ) -> None:
        """Write down that a document of a tenant was refused, and where it was sent to; an outage is no refusal."""
        counted_only = isinstance(error, COUNTED_ONLY)
        if error.status >= 500 and not counted_only:
            return
        if counted_only or self._under_way >= MOST_UNDER_WAY:
            self._mill.metrics.refusals.labels(error.code).inc()
            return
        facts: Facts = {"code": error.code, "filename": filename, "size_bytes": size_bytes, "path": path}
        self._under_way += 1
        writing = asyncio.get_running_loop().run_in_executor(None, commands.refuse, self._mill, tenant, facts)
        writing.add_done_callback(self._forget_write)

    def _forget_write(self, writing: "asyncio.Future[None]") -> None:
        self._under_way -= 1
        # Its error, if it has one, is raised here and reported by the event loop.
        writing.result()
