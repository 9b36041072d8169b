"""Words for what went wrong, fit to be shown: one line, short, without paths."""

import re

LONGEST = 300
RUST_NOTE = "note: run with `RUST_BACKTRACE"

PATH = re.compile(r"(?<![\w:/])(?:[A-Za-z]:)?(?:/[^\s/:;,'\"()<>]+)+/?")
UNPRINTABLE = re.compile(r"[^\x20-\x7e\u00a0-\U0010fffd]+")
OUT_OF_MEMORY = re.compile(
    r"memory allocation of \d+ bytes failed|MemoryError|bad_alloc|out of memory|cannot allocate memory"
    r"|failed to allocate|allocation failed",
    re.IGNORECASE,
)


def one_line(text: str) -> str:
    """The text on one line, without paths and control characters, cut to a length that fits a message."""
    words = " ".join(UNPRINTABLE.sub(" ", PATH.sub("…", text)).split())
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"


def last_line(text: str) -> str:
    """The last line that says something, made fit to be shown."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(RUST_NOTE)]
    return one_line(lines[-1]) if lines else ""


def tells_of_memory(text: str) -> bool:
    """Whether a native library says here that it ran out of memory."""
    return OUT_OF_MEMORY.search(text) is not None
