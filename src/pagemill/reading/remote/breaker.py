"""A circuit breaker: a provider that keeps failing is left alone for a while, and then tried by one caller."""

import threading
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Habits:
    """When a breaker opens, and for how long.

    `probe_seconds` is after how long a probe without a report counts as lost.
    """

    failures: int = 5
    pause_seconds: float = 10.0
    longest_pause_seconds: float = 300.0
    growth: float = 2.0
    probe_seconds: float = 180.0


@dataclass(slots=True)
class _Line:
    """The state of one provider."""

    failures: int = 0
    pauses: int = 0
    alone_until: float | None = None
    probe_until: float | None = None


class Breaker:
    """Says whether a provider may be asked; one breaker serves all providers, by name, and any number of threads."""

    def __init__(self, clock: Callable[[], float], habits: Habits | None = None) -> None:
        self._clock = clock
        self._habits = habits or Habits()
        self._lock = threading.Lock()
        self._lines: dict[str, _Line] = {}

    def wait_seconds(self, name: str) -> float:
        """How long the provider is to be left alone; 0 means that it may be asked now.

        After a pause, 0 is said once, to one caller, who has to report how it went before others may ask.
        """
        with self._lock:
            line, now = self._line(name), self._clock()
            if line.alone_until is None:
                return 0.0
            until = max(line.alone_until, line.probe_until or 0.0)
            if now < until:
                return until - now
            line.probe_until = now + self._habits.probe_seconds
            return 0.0

    def record_success(self, name: str) -> None:
        """The provider answered, be it with a refusal of the page: it is there.

        An answer to what was asked before the pause began does not end it.
        """
        with self._lock:
            line = self._line(name)
            if line.alone_until is None or line.probe_until is not None:
                self._lines[name] = _Line()

    def record_failure(self, name: str, wait_seconds: float | None = None) -> None:
        """The provider did not answer; `wait_seconds` is how long it asked to be left alone, if it did."""
        with self._lock:
            line = self._line(name)
            if wait_seconds is not None:
                self._leave_alone(line, wait_seconds)
            elif line.probe_until is not None:
                self._leave_alone(line, self._pause(line))
            elif line.alone_until is None:
                line.failures += 1
                if line.failures >= self._habits.failures:
                    self._leave_alone(line, self._pause(line))

    def release(self, name: str) -> None:
        """The caller did not ask after all, or never learnt how it went; the next caller may."""
        with self._lock:
            self._line(name).probe_until = None

    def _line(self, name: str) -> _Line:
        return self._lines.setdefault(name, _Line())

    def _pause(self, line: _Line) -> float:
        """The next pause, each longer than the one before."""
        habits = self._habits
        pause = habits.pause_seconds * habits.growth**line.pauses
        # Past this many doublings the longest pause is reached whatever it is.
        line.pauses = min(line.pauses + 1, 64)
        return min(pause, habits.longest_pause_seconds)

    def _leave_alone(self, line: _Line, seconds: float) -> None:
        """Let no request through for a while; a longer pause that is under way stays."""
        until = self._clock() + seconds
        line.alone_until = max(line.alone_until or until, until)
        line.probe_until = None
