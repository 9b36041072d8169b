"""Whether a worker is alive, by the monotonic clock: its own heartbeat, and the rows of the others."""

import math
import time
from collections.abc import Callable, Collection, Mapping
from threading import Lock

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 10.0
# One try against a database that does not answer may take longer than a lease.
STOPPED_LEASES = 3
# Fewer may be a hiccup that is not worth a report.
SPOILED_TURNS = 3


class Pulse:
    """The heartbeat of this process: when it was last tried, and when the database last took it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tried_at: float | None = None
        self._taken_at: float | None = None

    def note_try(self) -> None:
        """The heartbeat is about to be written."""
        self._tried_at = self._clock()
        if self._taken_at is None:
            self._taken_at = self._tried_at

    def note_success(self) -> None:
        """The heartbeat was written."""
        self._taken_at = self._clock()

    def is_late(self, lease_seconds: float) -> bool:
        """Whether other processes may take this one for gone, so that it must claim nothing."""
        return self._taken_at is not None and self._clock() - self._taken_at > lease_seconds

    def has_stopped(self, lease_seconds: float) -> bool:
        """Whether no heartbeat is even tried any more, so that the process has to be restarted."""
        return self._tried_at is not None and self._clock() - self._tried_at > STOPPED_LEASES * lease_seconds


class SilentWorkers:
    """Finds workers whose rows have not changed for a lease, by our own steady clock.

    The times in the rows are those of the database's clock, which may be set back or forth while leases are held;
    they are only compared for being the same.
    """

    def __init__(self, lease_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._lease_seconds = lease_seconds
        self._clock = clock
        self._unchanged: dict[str, tuple[float, float]] = {}
        self._looked_at = clock()

    def find(self, seen_at: Mapping[str, float], every_seconds: float) -> dict[str, float]:
        """Those of the workers that are silent, with the time in their row; called every so many seconds.

        After a gap, such as an outage of the database, no one could renew a row, so all of them are watched afresh.
        """
        now = self._clock()
        if now - self._looked_at > max(self._lease_seconds / 2, 2 * every_seconds):
            self._unchanged.clear()
        self._looked_at = now
        known = self._unchanged
        self._unchanged = {
            worker: known[worker] if worker in known and known[worker][0] == at else (at, now)
            for worker, at in seen_at.items()
        }
        # A row may have been written up to one look before it was seen.
        patience = self._lease_seconds - min(every_seconds, self._lease_seconds / 2)
        return {worker: at for worker, (at, since) in self._unchanged.items() if now - since >= patience}


class ClaimSize:
    """How many small documents a claim takes: twice as many as usual while the claim before it got all that it could."""

    def __init__(self) -> None:
        self.is_backlog = False

    def limit(self, usual: int) -> int:
        """How many the next claim may take."""
        return 2 * usual if self.is_backlog else usual

    def note(self, claimed: int, usual: int) -> None:
        """Take note of what a claim got."""
        self.is_backlog = claimed >= usual


class ClaimBackoff:
    """Keeps a worker from claiming for a while after turns that its own disk or its way to the bucket spoiled.

    The pauses grow, so that others get the work; a turn that succeeds ends them.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._spoiled = 0
        self._until = -math.inf
        self._code: str | None = None

    @property
    def reason(self) -> str | None:
        """The code of what has spoiled several turns one after the other; None while the worker is well."""
        return self._code if self._spoiled >= SPOILED_TURNS else None

    def is_pausing(self) -> bool:
        """Whether nothing is to be claimed right now."""
        return self._clock() < self._until

    def note_trouble(self, code: str) -> None:
        """A turn was spoiled; those that began before the present pause count no more."""
        with self._lock:
            if self.is_pausing():
                return
            pause = min(FIRST_PAUSE_SECONDS * 2**self._spoiled, LONGEST_PAUSE_SECONDS)
            self._spoiled, self._code, self._until = self._spoiled + 1, code, self._clock() + pause

    def note_success(self) -> None:
        """A turn brought something else than trouble with storage."""
        with self._lock:
            self._spoiled, self._code, self._until = 0, None, -math.inf


class ClaimsUnderWay:
    """The claims that this process works on, from before their commit until they are recorded."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._keys: set[str] = set()
        self._unknown: dict[str, float] = {}

    def begin(self, keys: Collection[str]) -> None:
        """These are worked on."""
        with self._lock:
            self._keys.update(keys)

    def end(self, keys: Collection[str]) -> None:
        """These are recorded, or given back."""
        with self._lock:
            self._keys.difference_update(keys)

    def find_unknown(self, held: Collection[str], after_seconds: float) -> list[str]:
        """Claims that the rows say are ours and that no one here has worked on for this long."""
        now = self._clock()
        with self._lock:
            known = self._keys
            self._unknown = {key: self._unknown.get(key, now) for key in held if key not in known}
            return [key for key, since in self._unknown.items() if now - since >= after_seconds]
