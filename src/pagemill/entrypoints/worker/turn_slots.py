"""The seats of a worker: how many turns may be taken at once, and from which lanes each."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pagemill.model.states import Lane


class TurnSlots:
    """Seats that are taken and left again by any thread."""

    def __init__(self, seats: Sequence[tuple[Lane, ...]]) -> None:
        self.count = len(seats)
        self._free = list(seats)
        self._changed = threading.Condition()

    @contextmanager
    def take(self, lane: Lane) -> Iterator[tuple[Lane, ...]]:
        """The lanes of a seat that serves a lane, held while the context lasts; empty if all are taken."""
        seat = self._remove(lane)
        try:
            yield seat
        finally:
            if seat:
                self._add(seat)

    def idle(self) -> set[Lane]:
        """The lanes that a free seat serves."""
        with self._changed:
            return {lane for seat in self._free for lane in seat}

    def wait_until_free(self, timeout_seconds: float) -> bool:
        """Wait until every slot is free; False after the time-out."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self._free) == self.count, timeout_seconds)

    def _remove(self, lane: Lane) -> tuple[Lane, ...]:
        with self._changed:
            # Those that serve most lanes go first, so that what is kept for small documents stays free for them.
            fitting = sorted((seat for seat in self._free if lane in seat), key=len)
            if not fitting:
                return ()
            self._free.remove(fitting[-1])
            return fitting[-1]

    def _add(self, seat: tuple[Lane, ...]) -> None:
        with self._changed:
            self._free.append(seat)
            self._changed.notify_all()
