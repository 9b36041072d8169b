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
LEFT_OUT = "%d log lines were left out, because they were not read"
STUCK_SECONDS = 1.0
# A pipe that takes anything takes 4,096 bytes.
PIECE_CHARACTERS = 1_000


class LiveLine:
    """The last line on stderr, which shows what is going on now; safe to use from several threads."""

    def __init__(self, every_seconds: float = 10.0) -> None:
        self.every_seconds = every_seconds
        self.lock = threading.RLock()
        self._drawn = sys.stderr.isatty()
        self._text = ""
        self._printed = ""
        self._printed_at = float("-inf")
        # Whether the reader was stuck in the middle of the last line.
        self._is_cut = False

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
                self.write_line(text)

    def write_line(self, text: str) -> bool:
        """Write a line that stays; whether all of it was taken. One after a line that was cut begins on its own."""
        whole = "\n" * self._is_cut + text + "\n"
        taken_characters = write_stderr(whole)
        if taken_characters:
            self._is_cut = taken_characters < len(whole)
        return taken_characters == len(whole)

    def draw(self) -> None:
        """Draw the text again."""
        if self._drawn and self._text:
            width = shutil.get_terminal_size().columns - 1
            write_stderr(f"{CLEAR}{self._text[:width]}")

    def wipe(self) -> None:
        """Make room for another line."""
        if self._drawn and self._text:
            write_stderr(CLEAR)

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
            if not (self._tell_left_out() and self.line.write_line(text)):
                self._left_out += 1
            self.line.draw()

    def _tell_left_out(self) -> bool:
        """Write how many lines are missing, if any, in the form of all lines; whether it was taken."""
        if not self._left_out:
            return True
        is_taken = self.line.write_line(self.format(left_out_record(self._left_out)))
        self._left_out *= not is_taken
        return is_taken


def left_out_record(count: int) -> logging.LogRecord:
    """The record that says how many lines were left out."""
    return logging.LogRecord("pagemill", logging.WARNING, __file__, 0, LEFT_OUT, (count,), None)


def write_stderr(text: str) -> int:
    """Write to what stderr is now, and return how many characters a reader took before it was stuck.

    No one reading it ends nothing, and a reader that is stuck holds no one up for long.
    """
    with drop_if_unread(sys.stderr):
        for start in range(0, len(text), PIECE_CHARACTERS):
            if not can_take(sys.stderr, STUCK_SECONDS):
                return start
            print(text[start : start + PIECE_CHARACTERS], end="", file=sys.stderr, flush=True)
    return len(text)


def can_take(stream: TextIO, wait_seconds: float) -> bool:
    """Whether a stream takes a piece of text within that time; a pipe that is full and not read does not."""
    try:
        poll = select.poll()
        poll.register(stream.fileno(), select.POLLOUT)
    except (OSError, ValueError):
        # It is no file of the system, or closed.
        return True
    return bool(poll.poll(1_000 * wait_seconds))
