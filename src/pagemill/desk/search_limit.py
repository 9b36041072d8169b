"""Time limit and cancellation of searches."""

import time
from collections.abc import Callable
from threading import Event
from typing import TypeVar

from sqlalchemy import Connection

from pagemill.errors import DatabaseUnavailable, SearchTimeout
from pagemill.mill import Mill

T = TypeVar("T")


class SearchLimit:
    """The time that a search has from when it was asked for; any thread may cancel it before."""

    def __init__(self, seconds: float) -> None:
        self._ends_at = time.monotonic() + seconds
        self._cancelled = Event()

    def cancel(self) -> None:
        """Have the search end soon: its caller is gone."""
        self._cancelled.set()

    def has_time(self) -> bool:
        """Whether the search may go on."""
        return time.monotonic() < self._ends_at and not self._cancelled.is_set()

    def check(self) -> None:
        """Raises SearchTimeout if the search may not go on."""
        if not self.has_time():
            raise SearchTimeout

    def read(self, mill: Mill, query: Callable[[Connection], T]) -> T:
        """Run a query; SearchTimeout if it takes too long, as far as the database can be stopped."""
        self.check()
        try:
            return mill.db.read_while(self.has_time, query)
        except DatabaseUnavailable:
            self.check()
            raise
