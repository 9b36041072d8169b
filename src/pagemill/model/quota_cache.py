"""The quota cache: how much more fits under a limit, so that keeping to it costs a count now and then and not one per request."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

# Other processes take places, too: the less is left, the sooner it is counted again.
WIDE_SECONDS, NARROW_SECONDS = 10.0, 1.0
# Counting a long backlog takes a while; it may take a twentieth of the time, and no more.
REST = 20


@dataclass(frozen=True, slots=True)
class QuotaCount:
    """How much was counted under a limit, and how long those should stay away who find no room."""

    count: int
    patience_seconds: int


@dataclass(slots=True)
class Headroom:
    """The places that are left by the last count, less those taken since."""

    left: int
    was_full: bool
    patience_seconds: int
    good_until: float

    def is_good(self, now: float) -> bool:
        """Whether the last count still holds; places that were all taken since may be free again."""
        return now < self.good_until and (self.left > 0 or self.was_full)

    def take(self, amount: int) -> int | None:
        """Take places: None if there were so many, else the seconds to stay away."""
        if self.left < amount:
            return self.patience_seconds
        self.left -= amount
        return None


class QuotaCache:
    """The quotas of one process, by name; any thread may ask. Several processes keep to a limit within a count's age."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._quotas: dict[str, Headroom] = {}

    def take(self, name: str, most: int, count: Callable[[], QuotaCount], amount: int = 1) -> int | None:
        """Take places under a limit: None if there were so many, else the seconds to stay away."""
        with self._lock:
            room, now = self._quotas.get(name), self._clock()
            if room is not None and room.is_good(now):
                return room.take(amount)
            if room is not None:
                # Callers that come while it is counted go by the former count.
                room.good_until = now + NARROW_SECONDS
        counted = self._count(most, count)
        with self._lock:
            self._quotas[name] = counted
            return counted.take(amount)

    def closed_seconds(self, name: str) -> int | None:
        """The seconds to stay away if the last count found no place and still holds; else None."""
        room = self._quotas.get(name)
        if room is None or not room.was_full or not room.is_good(self._clock()):
            return None
        return room.patience_seconds

    def _count(self, most: int, count: Callable[[], QuotaCount]) -> Headroom:
        started = self._clock()
        tally = count()
        left, now = most - tally.count, self._clock()
        holds_seconds = WIDE_SECONDS if left > most / 2 else NARROW_SECONDS
        good_until = now + max(holds_seconds, REST * (now - started))
        return Headroom(left, left <= 0, tally.patience_seconds, good_until)
