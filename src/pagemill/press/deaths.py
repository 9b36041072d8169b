"""Finds out what a child died of."""

import signal

from pagemill.press.children import Child, Death
from pagemill.press.text import last_line, tells_of_memory
from pagemill.press.visit import Crashed, TimedOut, Visit

# A child that grew by this share of what the limit left free is taken to have asked for more than the rest:
# buffers grow by doubling, so the request that fails is as large as all that was granted before.
NEAR_LIMIT = 0.5
# Libraries that abort without a word do so when an allocation fails (PDFium is one); other aborts say why.
NEAR_LIMIT_IF_SILENT = 0.1


def verdict(
    child: Child, death: Death, visit: Visit, memory_bytes: int, seconds: float
) -> Crashed | TimedOut:
    """The outcome of the visit that the child was at when it died; `memory_bytes` is the limit of those without their own."""
    if death.signal == getattr(signal, "SIGXCPU", None):
        return TimedOut(seconds)
    printed = child.channels.ledger.last_output()
    is_reported = child.channels.ledger.note().out_of_memory or tells_of_memory(printed)
    silent = death.signal == signal.SIGABRT and not printed.strip()
    near_limit = NEAR_LIMIT_IF_SILENT if silent else NEAR_LIMIT
    memory = is_reported or _grown_share(child, death, visit.memory_bytes, memory_bytes) >= near_limit
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


def _grown_share(child: Child, death: Death, own_bytes: int | None, memory_bytes: int) -> float:
    hello = child.hello
    # The peak starts at that of the process that it was started from: it means something only once it has grown.
    if hello is None or death.peak_rss_bytes <= hello.peak_rss_bytes:
        return 0.0
    room_bytes = own_bytes or max(1, memory_bytes - hello.size_bytes)
    return (death.peak_rss_bytes - hello.rss_bytes) / room_bytes
