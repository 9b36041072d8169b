"""Loaded by Python at its start if this folder is on its path: the wall clock is wrong by SKEW_SECONDS.

With SKEW_AFTER_SECONDS the clock is right at first and jumps after that time.
"""

import os
import time

OFFSET_SECONDS = float(os.environ.get("SKEW_SECONDS", "0"))
AFTER_SECONDS = float(os.environ.get("SKEW_AFTER_SECONDS", "0"))
_true_time, _true_time_ns, _started = time.time, time.time_ns, time.monotonic()


def offset() -> float:
    """By how much the clock is wrong now."""
    return OFFSET_SECONDS if time.monotonic() - _started >= AFTER_SECONDS else 0.0


def wrong_time() -> float:
    """The seconds since 1970, wrong."""
    return _true_time() + offset()


def wrong_time_ns() -> int:
    """The nanoseconds since 1970, wrong."""
    return _true_time_ns() + int(offset() * 1_000_000_000)


time.time, time.time_ns = wrong_time, wrong_time_ns
