"""How people and machines end a process that runs until it is stopped."""

import os
import queue
import signal
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import FrameType

from pagemill.entrypoints.output.terminal import EXIT_INTERRUPTED


class Stop:
    """Hears the signals that end the process; a second one that is `hard` ends it at once."""

    def __init__(self, hard: Collection[int] = (signal.SIGINT,)) -> None:
        self._hard = hard
        self._heard = 0
        # Of all things to wait for, only this may be touched by the signal while someone waits for it.
        self._signals: queue.SimpleQueue[int] = queue.SimpleQueue()

    def wait(self, timeout_seconds: float) -> bool:
        """Wait for the first signal; False after the time-out."""
        try:
            self._signals.get(timeout=timeout_seconds)
        except queue.Empty:
            return False
        return True

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Listen for SIGINT and SIGTERM while the context lasts."""
        before = {number: signal.signal(number, self._hear) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handle in before.items():
                signal.signal(number, handle)

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        if self._heard and number in self._hard:
            # Nothing is lost: the claims are freed by the next start or by others, and the press children die with us.
            os._exit(EXIT_INTERRUPTED)
        self._heard += 1
        self._signals.put(number)
