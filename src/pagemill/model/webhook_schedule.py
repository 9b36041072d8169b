"""Retries of webhooks: when a delivery is tried again. A list of waits, a little chance, and what the receiver asks for."""

import random
from collections.abc import Callable, Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime

# A wait is made longer by up to this share, so that receivers that come back are not called by all at once.
JITTER = 0.1
LONGEST_HEADER = 40


def parse_schedule(text: str) -> tuple[float, ...]:
    """The waits before each attempt, in seconds; raises ValueError if the text is no list of them."""
    waits = tuple(float(part) for part in text.split(",") if part.strip())
    if not waits or any(not 0 <= wait <= 30 * 86_400 for wait in waits):
        raise ValueError("a schedule is a list of waits in seconds, each of 30 days at most")
    return waits


def next_wait(
    waits: Sequence[float],
    attempts: int,
    *,
    asked_seconds: float | None = None,
    most_seconds: float,
    chance: Callable[[], float] = random.random,
) -> float | None:
    """The wait after so many failed attempts, or None if that was the last one.

    A receiver may ask for a longer wait than the schedule has, up to a limit.
    """
    if attempts >= len(waits):
        return None
    wait = waits[attempts] * (1 + JITTER * chance())
    return max(wait, min(asked_seconds or 0.0, most_seconds))


def retry_after_seconds(header: str | None, now: float) -> float | None:
    """The wait that a Retry-After header asks for, as seconds or as a date; None if it asks for none."""
    text = (header or "").strip()
    if len(text) > LONGEST_HEADER:
        return None
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    wait = at.replace(tzinfo=at.tzinfo or UTC).timestamp() - now
    return wait if wait > 0 else None
