"""How long something takes by itself: whatever else runs on the machine only adds to it, so it is tried again."""

import time
from collections.abc import Callable

from tests.waiting import PATIENCE_SECONDS

TRIES_AT_LEAST = 3


def seconds_of(act: Callable[[], object]) -> float:
    """How long something took."""
    started = time.monotonic()
    act()
    return time.monotonic() - started


def cpu_seconds_of(act: Callable[[], object]) -> float:
    """How much CPU time all threads of this process took meanwhile; a busy machine adds little to it."""
    started = time.process_time()
    act()
    return time.process_time() - started


def can_take_less_than(seconds: float, measure: Callable[[], float]) -> bool:
    """Whether the quickest of many tries takes less than so long; `measure` makes one and returns its seconds.

    A busy machine gets a whole minute for a try that is not disturbed; what is too slow by itself has none.
    """
    deadline, tries = time.monotonic() + PATIENCE_SECONDS, 0
    while measure() >= seconds:
        tries += 1
        if tries >= TRIES_AT_LEAST and time.monotonic() > deadline:
            return False
    return True
