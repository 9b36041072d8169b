"""How tests wait for something that happens in another thread or process."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

# So long that only what never happens takes it, on the busiest machine.
PATIENCE_SECONDS = 100.0
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.002, 0.05
PAUSE_GROWTH = 1.5


class Late(AssertionError):
    """Something did not happen in time."""


def wait_for(
    condition: Callable[[], T], seconds: float = PATIENCE_SECONDS, what: str = "it did not become true"
) -> T:
    """The first true answer of a condition that is asked again and again; raises Late if none comes in time."""
    deadline, pause = time.monotonic() + seconds, FIRST_PAUSE_SECONDS
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise Late(what)
        time.sleep(pause)
        pause = min(pause * PAUSE_GROWTH, LONGEST_PAUSE_SECONDS)
    return found
