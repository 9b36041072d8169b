"""A line that is drawn over on a terminal, and printed now and then elsewhere."""

import logging
import select
import shutil
import sys
import threading
import time
from typing import TextIO

from pagemill.entrypoints.output.terminal import drop_if_unread

CLEAR = "\r\x1b[2K"
LEFT_OUT = "({} log lines were left out, because they were not read)"
STUCK_SECONDS = 1.0
# A pipe that takes anything takes 4,096 bytes.
PIECE_LETTERS = 1_000


class LiveLine:
    """The last line on stderr, telling what is going on now; safe to use from several threads."""

    def __init__(self, every_seconds: float = 10.0) -> None:
        self.every_seconds = every_seconds
        self.lock = threading.RLock()
        self._drawn = sys.stderr.isatty()
        self._text = ""
        self._printed = ""
        self._printed_at = float("-inf")

    @property
    def is_due(self) -> bool:
        """Whether a new text would be shown now."""
        return self._drawn or time.monotonic() - self._printed_at >= self.every_seconds

    def show(self, text: str, gist: str = "") -> None:
        """Put up a new text; where lines can't be drawn over, only one whose gist changed, and not too often."""
        gist = gist or text
        with self.lock:
            if self._drawn:
                self._text = text
                self.draw()
            elif gist != self._printed and self.is_due:
                self._printed, self._printed_at = gist, time.monotonic()
                write_stderr(text)

    def draw(self) -> None:
        """Draw the text again."""
        if self._drawn and self._text:
            width = shutil.get_terminal_size().columns - 1
            write_stderr(f"{CLEAR}{self._text[:width]}", end="")

    def wipe(self) -> None:
        """Make room for another line."""
        if self._drawn and self._text:
            write_stderr(CLEAR, end="")

    def end(self) -> None:
        """Take the line away."""
        with self.lock:
            self.wipe()
            self._text = ""


class LinesAbove(logging.Handler):
    """Log lines that appear above the live line."""

    def __init__(self, line: LiveLine) -> None:
        super().__init__()
        self.line = line
        # Lines since stderr took the last one.
        self._left_out = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write a log line to what stderr is now, and draw the live line again below it."""
        text = self.format(record)
        with self.line.lock:
            # Only the first line waits for a reader that is stuck; work goes on without the others.
            if not can_take(sys.stderr, 0.0 if self._left_out else STUCK_SECONDS):
                self._left_out += 1
                return
            self.line.wipe()
            if self._left_out:
                write_stderr(LEFT_OUT.format(self._left_out))
                self._left_out = 0
            write_stderr(text)
            self.line.draw()


def write_stderr(text: str, end: str = "\n") -> None:
    """Write to what stderr is now; no one reading it ends nothing, and a reader that is stuck holds no one up for long."""
    whole = text + end
    with drop_if_unread(sys.stderr):
        for start in range(0, len(whole), PIECE_LETTERS):
            if not can_take(sys.stderr, STUCK_SECONDS):
                return
            print(whole[start : start + PIECE_LETTERS], end="", file=sys.stderr, flush=True)


def can_take(stream: TextIO, wait_seconds: float) -> bool:
    """Whether a stream takes a piece of text within that time; a pipe that is full and not read does not."""
    try:
        poll = select.poll()
        poll.register(stream.fileno(), select.POLLOUT)
    except (OSError, ValueError):
        # It is no file of the system, or closed.
        return True
    return bool(poll.poll(1_000 * wait_seconds))
