"""How long something takes by itself: whatever else runs on the machine only adds to it, so it may be tried again."""

import time
from collections.abc import Callable

TRIES = 3


def seconds_of(act: Callable[[], object]) -> float:
    """How long something took."""
    started = time.monotonic()
    act()
    return time.monotonic() - started


def can_take_less_than(seconds: float, measured: Callable[[], float]) -> bool:
    """Whether the quickest of a few tries takes less than so long; `measured` makes one and tells its seconds."""
    return any(measured() < seconds for _ in range(TRIES))
