"""Requests to a server that is busy for a moment: made again a few times, after a short wait."""

from collections.abc import Callable
from typing import TypeVar

from pagemill.reading.remote.base import TryLater

T = TypeVar("T")
Wait = Callable[[float], None]

TRIES = 3
MOST_WAIT_SECONDS = 10.0


def ask_with_retries(ask: Callable[[], T], wait: Wait) -> T:
    """The answer; TryLater if the server is still busy at the last try."""
    for tried in range(1, TRIES):
        try:
            return ask()
        except TryLater as later:
            wait_to_retry(later, tried, wait)
    return ask()


def wait_to_retry(later: TryLater, tried: int, wait: Wait) -> None:
    """Wait before the next try; raises the error again if that was the last, or the server asks for a long wait."""
    wait_seconds = later.wait_seconds if later.wait_seconds is not None else float(tried)
    if tried == TRIES or wait_seconds > MOST_WAIT_SECONDS:
        raise later
    wait(wait_seconds)
