"""The counts of the installation, cached: counted every few seconds, however many requests ask for them."""

import threading
import time

from pagemill.db import installation_counts
from pagemill.db.installation_counts import InstallationCounts
from pagemill.errors import OutageError
from pagemill.mill import Mill

KEPT_SECONDS = 5.0
# Counting a long backlog takes a while; it may keep the database busy for a fiftieth of the time, and no more.
REST = 50


class CountsCache:
    """Counts what waits and who works, at most every few seconds, and less often the longer that takes."""

    def __init__(self, mill: Mill) -> None:
        self._mill = mill
        self._lock = threading.Lock()
        self._count: InstallationCounts | None = None
        self._good_until = 0.0

    def current(self) -> InstallationCounts | None:
        """The last count, or a new one if that is old; None while the database does not answer."""
        with self._lock:
            if time.monotonic() >= self._good_until:
                self._count = self._count_now()
            return self._count

    def _count_now(self) -> InstallationCounts | None:
        started = time.monotonic()
        try:
            return self._mill.db.read(
                lambda conn: installation_counts.count_installation(
                    conn, self._mill.db.now(conn), self._mill.settings.lease_seconds
                )
            )
        except OutageError:
            return None
        finally:
            now = time.monotonic()
            self._good_until = now + max(KEPT_SECONDS, REST * (now - started))
