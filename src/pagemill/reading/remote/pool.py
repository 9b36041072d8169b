"""Many pages asked for at once."""

import threading
from collections.abc import Iterator, Mapping
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial

from pagemill.reading.provider import Refusal
from pagemill.reading.remote.base import Answer, Picture, Remote, TryLater

Outcome = Answer | Refusal | TryLater

# How soon a stop is noticed.
LOOK_SECONDS = 0.05
STOPPED = "the reading was stopped"


def read_all(
    remote: Remote, pictures: Mapping[int, Picture], concurrency: int, stop: threading.Event | None = None
) -> dict[int, Outcome]:
    """What came of each picture, in the order given; at most `concurrency` requests are under way at a time.

    Once the provider names a time to wait, or `stop` is set, no more are sent: the rest are TryLater. After a
    stop, requests that are under way are not waited for.
    """
    rounds = _Rounds(remote, pictures, stop or threading.Event())
    threads = [rounds.start_thread() for _ in range(max(1, min(concurrency, len(pictures))))]
    while any(thread.is_alive() for thread in threads) and not rounds.stop.is_set():
        rounds.done.wait(LOOK_SECONDS)
    return rounds.outcomes()


@dataclass(slots=True)
class _Rounds:
    """The pictures that are left, and what came of the others."""

    remote: Remote
    pictures: Mapping[int, Picture]
    stop: threading.Event
    done: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    made: dict[int, Outcome] = field(default_factory=dict)
    pause: TryLater | None = None
    ahead: Iterator[int] = field(init=False)

    def __post_init__(self) -> None:
        self.ahead = iter(self.pictures)

    def start_thread(self) -> threading.Thread:
        """A thread that takes pictures as long as there are any; it never keeps the process from ending."""
        # With the words of this thread's log lines, and below its span.
        work = partial(copy_context().run, self._work)
        thread = threading.Thread(target=work, name=f"remote-{self.remote.name}", daemon=True)
        thread.start()
        return thread

    def outcomes(self) -> dict[int, Outcome]:
        """What came of each picture so far; those without an answer are for later."""
        with self.lock:
            later = self.pause or TryLater(STOPPED)
            rest = {number: TryLater(str(later), later.wait_seconds) for number in self.pictures}
            return {number: self.made.get(number, rest[number]) for number in self.pictures}

    def _work(self) -> None:
        while (number := self._next()) is not None:
            outcome = _outcome(self.remote, self.pictures, number)
            with self.lock:
                self.made[number] = outcome
                if isinstance(outcome, TryLater) and outcome.wait_seconds is not None:
                    self.pause = self.pause or outcome
                if len(self.made) == len(self.pictures):
                    self.done.set()

    def _next(self) -> int | None:
        with self.lock:
            return None if self.stop.is_set() or self.pause else next(self.ahead, None)


def _outcome(remote: Remote, pictures: Mapping[int, Picture], number: int) -> Outcome:
    try:
        return remote.read(pictures[number])
    except (Refusal, TryLater) as error:
        return error
    except Exception as error:
        # What a provider did not foresee is its own word on one page, and no reason to lose the others.
        return Refusal(f"{type(error).__name__}: {error}")
