"""The children, their slots and the line of visits: every decision of the press, without threads or locks."""

import logging
import math
import selectors
import time
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager

from pagemill.errors import ResourceLimit
from pagemill.press.calls import VisitBatch, VisitQueue
from pagemill.press.children import Child, Death
from pagemill.press.config import PressConfig, SlotReport
from pagemill.press.deaths import describe, verdict
from pagemill.press.slots import Slot, has_work_for_kept, kept_from, serving_children
from pagemill.press.visit import Cancelled, Crashed, Done, Failed, Outcome, Returned, TimedOut
from pagemill.press.wire import AnswerKind, Hello, VisitAnswer, VisitRefusal, WireError

log = logging.getLogger("pagemill.press")

# A visit whose children die again and again just before they begin it is the likely cause after all.
MOST_MOVES = 3
# After so many failed starts in a row, visits that no child could take are given back instead of waiting on.
HOPELESS_STARTS = 5
# How often to look at how much a child has written.
MEASURE_SECONDS = 1.0
# How often to look for deaths where the kernel does not report them.
POLL_SECONDS = 0.01


class Crew:
    """Who serves in which slot and is at which visit; to be used by one thread at a time."""

    def __init__(self, config: PressConfig, selector: selectors.BaseSelector) -> None:
        self.queue = VisitQueue()
        self.children: dict[Child, Slot] = {}
        self.stop_at = math.inf
        self._config = config
        self._selector = selector
        kept = range(config.kept_slots)
        self.slots = [Slot(number, number in kept) for number in range(config.kept_slots + config.slots)]

    @property
    def stopping(self) -> bool:
        """Whether no more visits are begun."""
        return self.stop_at < math.inf

    def pump(self) -> None:
        """Give children work: first idle ones, of which kept ones come last, then one batch to follow to busy ones."""
        if self.stopping:
            return
        now = time.monotonic()
        usual = serving_children(self.slots, kept=False)
        kept = serving_children(self.slots, kept=True)
        self._send_to_idle(usual, now, only_small=False)
        if kept_from(self.slots, self.queue) > now:
            kept = []
        self._send_to_idle(kept, now, only_small=True)
        for child in (*usual, *kept):
            if len(child.batches) == 1 and not child.killed:
                self._send(child, self.queue.take(only_small=child in kept), now)

    def attend(self, child: Child, *, ended: bool) -> None:
        """See to a child whose wire has something to read or room to write, or that has ended."""
        with self._guard(child):
            if not child.killed:
                self._listen(child)
            if ended or child.closed:
                self._bury(child)

    def check_clocks(self) -> None:
        """Kill children past a limit; distinguish one that has been at a visit too long from one that never began it."""
        now = time.monotonic()
        for child in [child for child in self.children if now >= child.deadline]:
            with self._guard(child):
                self._overdue(child, now)

    def tend(self) -> None:
        """Look after what no event reports: full sockets, the end of the press, deaths without a pidfd."""
        for child in list(self.children):
            with self._guard(child):
                self._tend(child)

    def next_deadline(self) -> float:
        """When there is something to check, to tend or to start, if nothing happens before."""
        deadlines = [child.deadline for child in self.children]
        if self.stopping:
            deadlines.append(self.stop_at)
        else:
            empty = (slot for slot in self.slots if slot.current is None and slot.coming is None)
            deadlines += [slot.not_before for slot in empty]
            if has_work_for_kept(self.slots, self.queue):
                deadlines.append(kept_from(self.slots, self.queue))
        if any((child.killed or child.closed) and child.pidfd is None for child in self.children):
            deadlines.append(time.monotonic() + POLL_SECONDS)
        return min(deadlines, default=math.inf)

    def slots_in_need(self) -> list[Slot]:
        """The slots that a child is to be started for now."""
        now = time.monotonic()
        return [] if self.stopping else [slot for slot in self.slots if slot.wants_child(now)]

    def welcome(self, slot: Slot, child: Child) -> None:
        """Take in a child that was started for a slot."""
        if self.stopping:
            # Its start took a while; the kernel has as long to end it as the others.
            self.stop_at = max(self.stop_at, time.monotonic())
        slot.receive(child)
        self.children[child] = slot
        self._selector.register(child.channels.wire, selectors.EVENT_READ, child)
        if child.pidfd is not None:
            self._selector.register(child.pidfd, selectors.EVENT_READ, child)

    def start_failed(self, slot: Slot) -> None:
        """Back off, and fail the callers that wait for children which don't come."""
        slot.start_failed(time.monotonic())
        if slot.failed_starts < HOPELESS_STARTS:
            return
        for small in (False, True):
            if not any(slot.current for slot in self.slots if small or not slot.kept):
                self.queue.settle(Returned(), small=small)

    def cancel(self, keys: Container[str]) -> int:
        """Drop waiting visits for these keys and kill the children that are at one."""
        for child in self.children:
            if len(child.batches) == 2 and any(t.visit.key in keys for t in child.batches[1].tickets):
                self._take_back(child)
        cancelled = self.queue.drop(keys, Cancelled())
        for child in [child for child in self.children if not child.killed]:
            with self._guard(child):
                self._listen(child)
                cancelled += self._cancel_on(child, keys)
        self.pump()
        return cancelled

    def stop(self, stop_at: float) -> None:
        """Give back what waits and begin no more visits."""
        self.stop_at = min(self.stop_at, stop_at)
        for child in self.children:
            if len(child.batches) == 2:
                self._take_back(child)
        for small in (False, True):
            self.queue.settle(Returned(), small=small)

    def abandon(self) -> None:
        """Let go of children that the kernel can't end."""
        for child in list(self.children):
            log.error("press child %d can't be killed", child.pid)
            child.process.returncode = 0
            self._settle_head(child)
            self._forget(child)

    def keys(self) -> Iterator[str]:
        """For whom there are visits now."""
        for batch in [*self.queue, *(batch for child in self.children for batch in child.batches)]:
            yield from (ticket.visit.key for ticket in batch.tickets if not ticket.settled)

    def states(self, *, stopped: bool) -> list[SlotReport]:
        """What every slot is doing."""
        return [slot.state(stopped=stopped) for slot in self.slots]

    def kill(self, child: Child, outcome: Outcome | None) -> None:
        """Kill a child; the visit that it is at gets `outcome` once it is gone, the others move on."""
        if child.killed:
            return
        child.kill(outcome, time.monotonic())
        self._unwatch_wire(child)
        self.children[child].release(child)
        self._move(child.give_up_batches() if outcome is None else child.give_up_rest())

    @contextmanager
    def _guard(self, child: Child) -> Iterator[None]:
        """Keep a fault in the dealings with one child from touching the others."""
        try:
            yield
        except Exception:
            log.exception("error while handling press child %d; killing it", child.pid)
            self.kill(child, Crashed(None, None, memory=False, detail="it answered nonsense", seconds=0.0))

    def _tend(self, child: Child) -> None:
        gone = child.killed or child.closed
        if gone and child.pidfd is None:
            self._bury(child)
        elif self.stopping and not child.killed:
            self._wind_down(child)
        elif child.unsent != child.watched_for_room and not gone:
            self._watch_room(child)
        if child.batches and not gone:
            self._measure(child, time.monotonic())

    def _measure(self, child: Child, now: float) -> None:
        """Kill a child that has written more than it may."""
        if now - child.measured_at < MEASURE_SECONDS:
            return
        child.measured_at = now
        if child.workplace.size_bytes() > self._config.disk_bytes:
            seconds = now - child.head_since
            self.kill(
                child, Failed(ResourceLimit.code, ResourceLimit.advice(), retryable=False, seconds=seconds)
            )

    def _send_to_idle(self, children: Iterable[Child], now: float, *, only_small: bool) -> None:
        for child in children:
            if not (child.batches or child.killed):
                self._send(child, self._next_batch(only_small=only_small), now)

    def _send(self, child: Child, batch: VisitBatch | None, now: float) -> None:
        if batch is not None:
            child.send(batch, now)

    def _next_batch(self, *, only_small: bool) -> VisitBatch | None:
        """The batch whose turn it is, or one that waits behind another on a busy child."""
        batch = self.queue.take(only_small=only_small)
        if batch is not None:
            return batch
        for child in self.children:
            if len(child.batches) == 2 and not child.killed and (child.batches[1].small or not only_small):
                self._take_back(child)
                return self.queue.take(only_small=only_small)
        return None

    def _listen(self, child: Child) -> None:
        child.flush()
        for answer in child.receive():
            self._hear(child, answer)
            if child.killed:
                return

    def _hear(self, child: Child, answer: VisitAnswer) -> None:
        slot = self.children[child]
        if answer.kind is AnswerKind.HELLO:
            self._take_hello(slot, child, Hello.of(answer.body))
            return
        outcome = _outcome(answer)
        ticket = child.advance(answer, time.monotonic())
        ticket.settle(child.collect(ticket, outcome))
        if child.visits == 1:
            slot.failed_starts = 0
        head = child.head
        if self.stopping or (head is not None and head.settled) or (head is None and child.retired):
            self.kill(child, None)

    def _take_hello(self, slot: Slot, child: Child, hello: Hello) -> None:
        if child.hello is not None:
            raise WireError("a second hello")
        child.hello = hello
        child.rss_bytes = hello.rss_bytes
        child.deadline = math.inf
        former = slot.promote()
        if former is not None:
            self._retire(former)

    def _retire(self, child: Child) -> None:
        child.retired = True
        if len(child.batches) == 2:
            self._take_back(child)
        if not child.batches:
            self.kill(child, None)

    def _take_back(self, child: Child) -> None:
        with self._guard(child):
            batch = child.revoke(time.monotonic())
            if batch is not None:
                self._move([batch])

    def _move(self, batches: Iterable[VisitBatch]) -> None:
        """Let another child have these; give them back if there will be none."""
        if not self.stopping:
            self.queue.add_first(batches)
            return
        for batch in batches:
            batch.settle(Returned())

    def _bury(self, child: Child) -> None:
        death = child.reap()
        if death is None:
            self._unwatch_wire(child)
            return
        slot = self.children[child]
        if not child.killed:
            self._blame(slot, child, death)
        self._settle_head(child)
        self._forget(child)
        slot.release(child)

    def _blame(self, slot: Slot, child: Child, death: Death) -> None:
        """Give the visit that an unexpected death belongs to its outcome, and the others another child."""
        now = time.monotonic()
        note, head = child.channels.ledger.note(), child.head
        guilty = head is not None and note.number == head.number
        if head is not None and guilty:
            usual_bytes = self._config.memory_bytes
            child.verdict = verdict(child, death, head.visit, usual_bytes, now - note.began_at)
        elif head is not None:
            child.verdict = self._too_often(child, describe(death, ""))
        log.warning(
            "press child %d died: %s", child.pid, describe(death, child.channels.ledger.last_output())
        )
        self._move(child.give_up_batches() if child.verdict is None else child.give_up_rest())
        if not child.visits and not guilty and not self.stopping:
            slot.release(child)
            self.start_failed(slot)

    def _too_often(self, child: Child, detail: str) -> Outcome | None:
        head = child.head
        if head is None:
            return None
        head.moves += 1
        if head.moves <= MOST_MOVES:
            return None
        return Crashed(
            None, None, memory=False, detail=f"again and again before it began: {detail}", seconds=0.0
        )

    def _settle_head(self, child: Child) -> None:
        head = child.head
        if head is not None and child.verdict is not None:
            head.settle(child.verdict)
            child.give_up_batches()

    def _forget(self, child: Child) -> None:
        self._unwatch_wire(child)
        if child.pidfd is not None:
            self._selector.unregister(child.pidfd)
        del self.children[child]
        child.close()

    def _unwatch_wire(self, child: Child) -> None:
        if child.channels.wire in self._selector.get_map():
            self._selector.unregister(child.channels.wire)

    def _watch_room(self, child: Child) -> None:
        child.watched_for_room = child.unsent
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if child.unsent else 0)
        self._selector.modify(child.channels.wire, events, child)

    def _wind_down(self, child: Child) -> None:
        if not child.batches:
            self.kill(child, None)
        elif time.monotonic() >= self.stop_at:
            self._listen(child)
            self.kill(child, Returned())

    def _overdue(self, child: Child, now: float) -> None:
        if child.killed:
            log.warning("press child %d is killed but not gone yet", child.pid)
            self._settle_head(child)
            child.deadline = math.inf
        elif child.hello is None and child.is_coming_up(self._config.start_seconds):
            # To begin again would throw away what it has done, and would take as long.
            log.warning("press child %d takes long to start: the machine is busy", child.pid)
            child.deadline = now + self._config.start_seconds
        elif child.hello is None:
            log.warning("press child %d did not start in time", child.pid)
            slot = self.children[child]
            self.kill(child, None)
            self.start_failed(slot)
        else:
            self._overdue_at_visit(child, now)

    def _overdue_at_visit(self, child: Child, now: float) -> None:
        self._listen(child)
        head, note = child.head, child.channels.ledger.note()
        if head is None or child.killed:
            return
        begun = note.number == head.number
        # A child can't put its limit off by noting a later beginning.
        limit = min(note.began_at, child.begins_by) + head.visit.seconds if begun else child.begins_by
        if now < limit:
            child.deadline = min(limit, now + child.batches[0].patience_seconds)
        elif begun:
            self.kill(child, TimedOut(now - note.began_at))
        elif not child.is_held_up(now):
            self.kill(child, self._too_often(child, "stopped"))

    def _cancel_on(self, child: Child, keys: Container[str]) -> int:
        tickets = [t for t in child.tickets() if t.visit.key in keys and not t.settled]
        at_head = child.head in tickets
        for ticket in tickets[1 if at_head else 0 :]:
            ticket.settle(Cancelled())
        if at_head:
            self.kill(child, Cancelled())
        elif tickets:
            child.hurry(time.monotonic())
        return len(tickets)


def _outcome(answer: VisitAnswer) -> Outcome:
    if answer.kind is AnswerKind.DONE:
        return Done(answer.body, answer.seconds, answer.cpu_seconds)
    refusal = VisitRefusal.of(answer.body)
    if refusal.trace:
        log.error("a visit failed in the press:\n%s", refusal.trace)
    times = (answer.seconds, answer.cpu_seconds)
    return Failed(refusal.code, refusal.message, refusal.retryable, *times)
