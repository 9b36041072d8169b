"""Visits on their way: the call that waits for them, the batches that they travel in, the line they wait in."""

import threading
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pagemill.press.visit import Outcome, Visit
from pagemill.press.wire import GRANT


class PressCall:
    """One `Press.run`, which waits until each of its visits has an outcome."""

    def __init__(self, visits: int) -> None:
        self._outcomes: dict[int, Outcome] = {}
        self._visits = visits
        # A lock that is free once all is settled; an Event does the same and costs thrice as much.
        self._unsettled = threading.Lock()
        self._unsettled.acquire()

    def settle(self, place: int, outcome: Outcome) -> None:
        """Note what became of one visit."""
        self._outcomes[place] = outcome
        if len(self._outcomes) == self._visits:
            self._unsettled.release()

    def wait(self) -> list[Outcome]:
        """The outcomes in the order of the visits, as soon as there are all."""
        with self._unsettled:
            return [self._outcomes[place] for place in range(self._visits)]


@dataclass(slots=True, eq=False)
class Ticket:
    """A visit and its place in its call; `number` is what the child that has it knows it by."""

    visit: Visit
    call: PressCall
    place: int
    number: int = 0
    moves: int = 0
    settled: bool = False

    def settle(self, outcome: Outcome) -> None:
        """Give the visit its outcome; the first one stays."""
        if not self.settled:
            self.settled = True
            self.call.settle(self.place, outcome)


@dataclass(slots=True, eq=False)
class VisitBatch:
    """Visits of one call that go to one child together."""

    tickets: deque[Ticket]
    small: bool
    patience_seconds: float = field(init=False)

    def __post_init__(self) -> None:
        # A child doesn't wake us for each visit of a batch: look where it is when one may be over its limit.
        self.patience_seconds = min(ticket.visit.seconds for ticket in self.tickets)

    @classmethod
    def of(cls, call: PressCall, visits: Sequence[Visit], *, small: bool) -> "VisitBatch":
        """All visits of a call."""
        tickets = (Ticket(visit, call, place) for place, visit in enumerate(visits))
        return cls(deque(tickets), small)

    def grant(self) -> bytes:
        """What a child must read before it begins with the first visit."""
        return GRANT.pack(self.tickets[0].number, len(self.tickets))

    def settle(self, outcome: Outcome) -> None:
        """Give each visit that has none this outcome."""
        for ticket in self.tickets:
            ticket.settle(outcome)

    def drop(self, keys: Container[str], outcome: Outcome) -> int:
        """Settle and remove the visits for these keys; returns how many there were."""
        dropped = [ticket for ticket in self.tickets if ticket.visit.key in keys]
        for ticket in dropped:
            ticket.settle(outcome)
        self.remove_settled()
        return len(dropped)

    def remove_settled(self) -> None:
        """Remove the visits that have their outcome."""
        self.tickets = deque(ticket for ticket in self.tickets if not ticket.settled)


@dataclass(slots=True)
class VisitQueue:
    """The line of batches that no child has yet; small ones are in a line of their own."""

    small: deque[VisitBatch] = field(default_factory=deque)
    big: deque[VisitBatch] = field(default_factory=deque)

    def add(self, batch: VisitBatch) -> None:
        """Put a batch at the end of its line."""
        self._line(small=batch.small).append(batch)

    def add_first(self, batches: Iterable[VisitBatch]) -> None:
        """Put batches that a child gave back at the head of their lines, in their order."""
        batches = list(batches)
        for batch in batches:
            batch.remove_settled()
        for batch in reversed([batch for batch in batches if batch.tickets]):
            self._line(small=batch.small).appendleft(batch)

    def take(self, *, only_small: bool) -> VisitBatch | None:
        """The batch whose turn it is."""
        if self.small:
            return self.small.popleft()
        return self.big.popleft() if self.big and not only_small else None

    def drop(self, keys: Container[str], outcome: Outcome) -> int:
        """Settle and remove the visits for these keys; returns how many there were."""
        dropped = sum(batch.drop(keys, outcome) for batch in self)
        self._keep(lambda batch: bool(batch.tickets))
        return dropped

    def settle(self, outcome: Outcome, *, small: bool) -> None:
        """Give every visit of one line this outcome."""
        line = self._line(small=small)
        while line:
            line.popleft().settle(outcome)

    def __iter__(self) -> Iterator[VisitBatch]:
        yield from self.small
        yield from self.big

    def _line(self, *, small: bool) -> deque[VisitBatch]:
        return self.small if small else self.big

    def _keep(self, wanted: Callable[[VisitBatch], bool]) -> None:
        self.small = deque(filter(wanted, self.small))
        self.big = deque(filter(wanted, self.big))
