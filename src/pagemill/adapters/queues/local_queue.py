"""Waking threads of the same process."""

import threading
from collections import Counter
from collections.abc import Collection, Iterable

from pagemill.model.messages import Message
from pagemill.model.states import Lane

MOST_PENDING = 64


class LocalQueue:
    """A count of wake-ups per lane; past a bound they are the same as one."""

    def __init__(self) -> None:
        self._wakeups: Counter[Lane] = Counter()
        self._changed = threading.Condition()
        self._closed = False

    def send(self, messages: Iterable[Message]) -> None:
        """Wake one waiting thread for each message."""
        with self._changed:
            for message in messages:
                self._wakeups[message.lane] = min(self._wakeups[message.lane] + 1, MOST_PENDING)
                self._changed.notify_all()

    def wake(self, messages: Iterable[Message]) -> None:
        """The same: no other process is woken."""
        self.send(messages)

    def wait(self, lanes: Collection[Lane], timeout_seconds: float) -> bool:
        """Take a wake-up of one of the lanes, or give up after the time-out."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._woken(lanes) is not None, timeout_seconds)
            lane = self._woken(lanes)
            if lane is None:
                return self._closed
            self._wakeups[lane] -= 1
            return True

    def close(self) -> None:
        """Wake everybody, now and from now on."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _woken(self, lanes: Collection[Lane]) -> Lane | None:
        return next((lane for lane in lanes if self._wakeups[lane] > 0), None)
