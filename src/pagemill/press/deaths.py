"""Finds out what a child died of."""

import signal

from pagemill.press.children import Child, Death
from pagemill.press.text import last_line, tells_of_memory
from pagemill.press.visit import Crashed, TimedOut

# Growth by this share of what the limit left free is taken for reaching it: fragments are never all used.
NEAR_LIMIT = 0.8


def verdict(child: Child, death: Death, memory_bytes: int, seconds: float) -> Crashed | TimedOut:
    """What to tell the visit that the child was at when it died."""
    if death.signal == getattr(signal, "SIGXCPU", None):
        return TimedOut(seconds)
    printed = child.channels.ledger.printed()
    memory = (
        child.channels.ledger.note().out_of_memory
        or tells_of_memory(printed)
        or _was_near_limit(child, death, memory_bytes)
    )
    return Crashed(death.signal, death.exit_code, memory, describe(death, printed), seconds)


def describe(death: Death, printed: str) -> str:
    """One line on how a child ended, with the last words that it printed."""
    last_words = last_line(printed)
    return f"{_manner(death)}: {last_words}" if last_words else _manner(death)


def _manner(death: Death) -> str:
    if death.signal is not None:
        known = death.signal in signal.Signals.__members__.values()
        return signal.Signals(death.signal).name if known else f"signal {death.signal}"
    return "died" if death.exit_code is None else f"exit code {death.exit_code}"


def _was_near_limit(child: Child, death: Death, memory_bytes: int) -> bool:
    hello = child.hello
    # The peak starts at that of the process that it was started from: it means something only once it has grown.
    if hello is None or death.peak_rss_bytes <= hello.peak_rss_bytes:
        return False
    grown_bytes = death.peak_rss_bytes - hello.rss_bytes
    return grown_bytes >= NEAR_LIMIT * (memory_bytes - hello.size_bytes)
