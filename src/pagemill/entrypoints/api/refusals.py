"""Refusals at the door, written to the event log beside the answer, never in its way."""

import asyncio

from pagemill.desk import commands
from pagemill.errors import PagemillError, TooManyRequests, Unauthorized
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.events import Facts

# Strangers can cause these at will, so they are counted and never written, or they could fill the log.
COUNTED_ONLY = (Unauthorized, TooManyRequests)
MOST_UNDER_WAY = 100


class Refusals:
    """Writes refusals down, as long as not too many are waiting for that; those beyond are only counted."""

    def __init__(self, mill: Mill) -> None:
        self._mill = mill
        self._under_way = 0

    def record(self, error: PagemillError, filename: str | None = None, size_bytes: int = 0) -> None:
        """Write down that a document was refused; what is our own fault is no refusal."""
        if error.status >= 500:
            return
        if isinstance(error, COUNTED_ONLY) or self._under_way >= MOST_UNDER_WAY:
            self._mill.meters.refusals.labels(error.code).inc()
            return
        facts: Facts = {"code": error.code, "filename": filename, "size_bytes": size_bytes}
        self._under_way += 1
        writing = asyncio.get_running_loop().run_in_executor(
            None, commands.refuse, self._mill, DEFAULT_TENANT, facts
        )
        writing.add_done_callback(self._written)

    def _written(self, writing: "asyncio.Future[None]") -> None:
        self._under_way -= 1
        # Its error, if it has one, is raised here and told by the event loop.
        writing.result()
