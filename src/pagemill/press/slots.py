"""A slot: the place that one child after the other serves in."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pagemill.press.calls import VisitQueue
from pagemill.press.children import Child
from pagemill.press.config import Phase, SlotReport

SHORTEST_WAIT_SECONDS = 0.1
LONGEST_WAIT_SECONDS = 5.0
# A child that has been at small visits for less than this will soon be free for others: a batch of one-page documents
# takes a quarter of it.
SOON_SECONDS = 0.25


@dataclass(slots=True, eq=False)
class Slot:
    """One place: the child that serves in it, and the one that is starting to take over."""

    number: int
    kept: bool
    current: Child | None = None
    coming: Child | None = None
    failed_starts: int = 0
    not_before: float = 0.0
    starts: int = 0

    def wants_child(self, now: float) -> bool:
        """Whether it is time to start a child."""
        needed = self.current is None or self.current.worn
        return needed and self.coming is None and now >= self.not_before

    def receive(self, child: Child) -> None:
        """Take in a child that is starting."""
        self.coming = child
        self.starts += 1

    def promote(self) -> Child | None:
        """Let the child that was starting serve from now on; the one that it replaces is given back."""
        former, self.current, self.coming = self.current, self.coming, None
        return former

    def release(self, child: Child) -> None:
        """Forget a child that is dead or as good as dead."""
        self.current = None if self.current is child else self.current
        self.coming = None if self.coming is child else self.coming

    def start_failed(self, now: float) -> None:
        """Wait before the next start, twice as long each time."""
        self.failed_starts += 1
        wait = SHORTEST_WAIT_SECONDS * 2.0 ** min(self.failed_starts - 1, 10)
        self.not_before = now + min(wait, LONGEST_WAIT_SECONDS)

    def state(self, *, stopped: bool) -> SlotReport:
        """The message about it."""
        child = self.current or self.coming
        head = child.head if child else None
        return SlotReport(
            slot=self.number,
            kept=self.kept,
            phase="stopped" if stopped else self._phase(),
            pid=child.pid if child else None,
            key=head.visit.key if head else None,
            visits=child.visits if child else 0,
            rss_bytes=child.rss_bytes if child else 0,
            failed_starts=self.failed_starts,
            starts=self.starts,
        )

    def _phase(self) -> Phase:
        if self.current is not None:
            return "busy" if self.current.batches else "idle"
        return "backing_off" if self.coming is None and self.failed_starts else "starting"


def serving_children(slots: Sequence[Slot], *, kept: bool) -> list[Child]:
    """The children of the slots that are kept for small visits, or of the others."""
    return [child for slot in slots if slot.kept == kept and (child := slot.current) is not None]


def kept_from(slots: Sequence[Slot], queue: VisitQueue) -> float:
    """From when on kept children take what waits: at once, unless all others are at small visits and will soon be free.

    Small visits go first, so those that wait are no longer left to the others once a long one waits behind them.

    Processes beyond the cores only take turns with the others, and each finds the caches full of what those have read.
    """
    usual = serving_children(slots, kept=False)
    if queue.big or len(usual) < sum(not slot.kept for slot in slots):
        return -math.inf
    if not all(batch.small for child in usual for batch in child.batches):
        return -math.inf
    return min((child.head_since for child in usual if child.batches), default=math.inf) + SOON_SECONDS


def has_work_for_kept(slots: Sequence[Slot], queue: VisitQueue) -> bool:
    """Whether a kept child is idle while small visits wait."""
    behind = (child.batches[1] for child in serving_children(slots, kept=False) if len(child.batches) == 2)
    is_idle = any(not child.batches for child in serving_children(slots, kept=True))
    return is_idle and bool(queue.small or any(batch.small for batch in behind))
