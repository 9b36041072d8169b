"""A child process as the press sees it."""

import contextlib
import math
import os
import signal
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pagemill.errors import ResourceLimit, StoredFileMissing, storage_trouble
from pagemill.press.bubblewrap import SIGNAL_EXIT_CODE
from pagemill.press.calls import Ticket, VisitBatch
from pagemill.press.ledger import Ledger
from pagemill.press.visit import Done, Failed, Outcome
from pagemill.press.wire import GRANT, AnswerKind, AnswerReader, Hello, VisitAnswer, WireError, request_frame
from pagemill.press.workplace import TooDeep, Workplace

READ_BYTES = 65_536
# A child that hasn't begun a visit this long after it could have is stopped or stuck, or the machine is busy: then it gets more.
LATE_SECONDS = 5.0
MOST_LATE_SECONDS = 120.0
# As /proc shows them: waiting for a processor or running, and waiting for the disk.
WILLING_STATES = ("R", "D")
HURRY_SECONDS = 0.05
# A killed process is gone within milliseconds, unless the kernel can't let go of it.
BURIAL_SECONDS = 2.0
MAXRSS_UNIT_BYTES = 1 if sys.platform == "darwin" else 1_024


@dataclass(frozen=True, slots=True)
class Death:
    """How a process ended; all unknown if somebody else asked the kernel first."""

    signal: int | None
    exit_code: int | None
    peak_rss_bytes: int


class ChildProcess(Protocol):
    """What is used of `subprocess.Popen`."""

    pid: int
    returncode: int | Any


@dataclass(frozen=True, slots=True)
class Channels:
    """The press's ends of what connects it with a child; `offered` is the child's own end of the grants."""

    wire: socket.socket
    grants: socket.socket
    offered: socket.socket
    ledger: Ledger

    def close(self) -> None:
        """Let go of all of them."""
        for end in (self.wire, self.grants, self.offered):
            end.close()
        self.ledger.close()


class Child:
    """One child process, its channels, and the batches that it has: at most one to work on and one to follow."""

    def __init__(
        self,
        process: ChildProcess,
        channels: Channels,
        workplace: Workplace,
        *,
        deadline: float,
        largest_bytes: int,
        is_wrapped: bool,
    ) -> None:
        self.process = process
        self.channels = channels
        self.workplace = workplace
        self._is_wrapped = is_wrapped
        self.measured_at = 0.0
        self.pidfd = _pidfd(process.pid)
        self.hello: Hello | None = None
        self.batches: deque[VisitBatch] = deque()
        self.deadline = deadline
        self._start_cpu_seconds = 0.0
        self.head_since = self.begins_by = 0.0
        self.visits = 0
        self.rss_bytes = 0
        self.worn = False
        self.retired = False
        self.closed = False
        self.watched_for_room = False
        self.killed = False
        self.verdict: Outcome | None = None
        self._outbox = bytearray()
        self._loud = AnswerReader(largest_bytes)
        self._quiet = AnswerReader(largest_bytes)
        self._heard: dict[int, VisitAnswer] = {}
        self._numbered = 0

    @property
    def pid(self) -> int:
        """The process id."""
        return self.process.pid

    @property
    def head(self) -> Ticket | None:
        """The visit that it is at, or is about to begin."""
        return self.batches[0].tickets[0] if self.batches else None

    @property
    def unsent(self) -> bool:
        """Whether requests wait for room in the socket."""
        return bool(self._outbox)

    def tickets(self) -> Iterator[Ticket]:
        """All visits that it has."""
        for batch in self.batches:
            yield from batch.tickets

    def send(self, batch: VisitBatch, now: float) -> None:
        """Give it one more batch; if the child has just died, its burial takes the batch back."""
        for ticket in batch.tickets:
            self._request(ticket)
        batch.remove_settled()
        if not batch.tickets:
            return
        self.batches.append(batch)
        if len(self.batches) == 1:
            self._restart_clock(now)
        self.flush()
        with contextlib.suppress(OSError):
            self.channels.grants.send(batch.grant())

    def _request(self, ticket: Ticket) -> None:
        """Put a visit into the outbox, with its files in the workplace; one whose files can't be had is settled."""
        number, visit = self._numbered + 1, ticket.visit
        argument = visit.argument
        try:
            argument = argument if isinstance(argument, bytes) else self.workplace.place(number, argument)
        except OSError as error:
            self.workplace.clear(number)
            ticket.settle(file_trouble(error))
            return
        self._numbered = ticket.number = number
        self._outbox += request_frame(
            number, visit.function, argument, visit.seconds, visit.memory_bytes or 0
        )

    def collect(self, ticket: Ticket, outcome: Outcome) -> Outcome:
        """Take the files of a visit that has ended out of its reach; the outcome, or what went wrong with that."""
        errand = ticket.visit.argument
        if isinstance(errand, bytes):
            return outcome
        try:
            if isinstance(outcome, Done):
                self.workplace.deliver(ticket.number, errand)
                return outcome
        except OSError as error:
            outcome = file_trouble(error)
        self.workplace.clear(ticket.number)
        return outcome

    def flush(self) -> None:
        """Send as much of the requests as the socket takes now."""
        while self._outbox:
            try:
                sent = self.channels.wire.send(self._outbox)
            except BlockingIOError:
                return
            except OSError:
                # Its end, or its deadline, will show.
                self._outbox.clear()
                return
            del self._outbox[:sent]

    def revoke(self, now: float) -> VisitBatch | None:
        """Take back a batch that it has not begun, if there is one."""
        try:
            grant = self.channels.offered.recv(GRANT.size, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return None
        batch = next((batch for batch in self.batches if batch.grant() == grant), None)
        if batch is None:
            raise WireError("a grant that was never given")
        for ticket in batch.tickets:
            self.workplace.clear(ticket.number)
        was_head = batch is self.batches[0]
        self.batches.remove(batch)
        if was_head:
            self._restart_clock(now)
        return batch

    def receive(self) -> Iterator[VisitAnswer]:
        """The answers that have arrived, in their order; `closed` is set when there will be no more."""
        self._hear(self._loud, self._take_arrived(self.channels.wire))
        if (hello := self._heard.pop(0, None)) is not None:
            yield hello
        yield from self._in_order()
        if self.head is not None:
            self._hear(self._quiet, self._take_arrived(self.channels.grants))
            yield from self._in_order()
        if any(not self._is_ahead(number) for number in self._heard):
            raise WireError("an answer to a visit that it was not at")

    def hurry(self, now: float) -> None:
        """Look soon, and often, where it is: a visit that it has not come to yet must not run."""
        self.batches[0].patience_seconds = HURRY_SECONDS
        self.deadline = min(self.deadline, now + HURRY_SECONDS)

    def advance(self, answer: VisitAnswer, now: float) -> Ticket:
        """Take the answer to the visit that it was at, and go on to the next one."""
        ticket = self.batches[0].tickets.popleft()
        if not self.batches[0].tickets:
            self.batches.popleft()
        self.visits += 1
        self.rss_bytes = answer.rss_bytes
        self.worn = self.worn or answer.worn
        self._restart_clock(now)
        return ticket

    def give_up_batches(self) -> list[VisitBatch]:
        """Everything that it has, taken from it."""
        batches, self.batches = list(self.batches), deque()
        return batches

    def give_up_rest(self) -> list[VisitBatch]:
        """Everything that it has but the visit that it is at."""
        batches = self.give_up_batches()
        if batches:
            self.batches.append(VisitBatch(deque([batches[0].tickets.popleft()]), batches[0].small))
        return batches

    def is_coming_up(self, most_cpu_seconds: float) -> bool:
        """Whether its start has gone on since the last look, and not for ever: a busy machine may be slow to let it run."""
        before, self._start_cpu_seconds = self._start_cpu_seconds, _tree_cpu_seconds(self.pid)
        # It may be less than before: what a process used that has ended since is not counted.
        return before != self._start_cpu_seconds and 0.0 < self._start_cpu_seconds < most_cpu_seconds

    def is_held_up(self, now: float) -> bool:
        """Whether it would begin its visit if the machine let it run; then it gets more time, but not for ever."""
        held_up = now < self.head_since + MOST_LATE_SECONDS and _wants_to_run(self.pid)
        if held_up:
            self.begins_by = self.deadline = now + LATE_SECONDS
        return held_up

    def kill(self, verdict: Outcome | None, now: float) -> None:
        """Kill it and all that it started; `verdict` is for the visit that it was at."""
        self.killed = True
        self.verdict = verdict
        self.deadline = now + BURIAL_SECONDS
        self._kill_group()

    def reap(self) -> Death | None:
        """How it ended, or None while it is still ending; what it started is killed with it."""
        # The way it ended is settled before its wire closes: a signal that comes now changes nothing about that.
        self._kill_group()
        try:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        except ChildProcessError:
            self.process.returncode = 0
            return Death(None, None, 0)
        if pid == 0:
            return None
        code = os.waitstatus_to_exitcode(status)
        self.process.returncode = code
        if self._is_wrapped and code > SIGNAL_EXIT_CODE:
            code = SIGNAL_EXIT_CODE - code
        peak = usage.ru_maxrss * MAXRSS_UNIT_BYTES
        return Death(-code, None, peak) if code < 0 else Death(None, code, peak)

    def close(self) -> None:
        """Let go of everything that belongs to it."""
        self.channels.close()
        # Beside the others: what a child has written may be much.
        threading.Thread(target=self.workplace.remove, name="pagemill-press-files", daemon=True).start()
        if self.pidfd is not None:
            os.close(self.pidfd)

    def _hear(self, reader: AnswerReader, received: bytes) -> None:
        for answer in reader.feed(received):
            if (answer.number == 0) != (answer.kind is AnswerKind.HELLO):
                raise WireError("a hello that answers, or an answer that says hello")
            self._heard[answer.number] = answer

    def _in_order(self) -> Iterator[VisitAnswer]:
        while self.head is not None and (answer := self._heard.pop(self.head.number, None)) is not None:
            yield answer

    def _is_ahead(self, number: int) -> bool:
        return self.head is not None and self.head.number <= number <= self._numbered

    def _take_arrived(self, end: socket.socket) -> bytes:
        pieces = []
        try:
            while piece := end.recv(READ_BYTES):
                pieces.append(piece)
                if len(piece) < READ_BYTES:
                    return b"".join(pieces)
            self.closed = True
        except OSError as error:
            self.closed = self.closed or not isinstance(error, BlockingIOError)
        return b"".join(pieces)

    def _kill_group(self) -> None:
        if self.process.returncode is not None:
            return
        # macOS refuses to signal a group whose only process is a zombie.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def _restart_clock(self, now: float) -> None:
        self.head_since, self.begins_by = now, now + LATE_SECONDS
        self.deadline = (
            now + min(LATE_SECONDS, self.batches[0].patience_seconds) if self.batches else math.inf
        )


def file_trouble(error: OSError) -> Failed:
    """The outcome of a visit whose files could not be handed in or taken out."""
    if isinstance(error, TooDeep):
        return Failed(ResourceLimit.code, ResourceLimit.advice(), retryable=False, seconds=0.0)
    trouble = StoredFileMissing() if isinstance(error, FileNotFoundError) else storage_trouble(error)
    return Failed(trouble.code, trouble.message, trouble.retryable, 0.0)


def _tree_cpu_seconds(pid: int) -> float:
    """The CPU time of a process and of all below it: the sandbox that wraps a child only waits for it."""
    return _cpu_seconds(pid) + sum(map(_tree_cpu_seconds, _children_of(pid)))


def _wants_to_run(pid: int) -> bool:
    """Whether a process, or one below it, is held up by the machine alone; no where the kernel does not tell."""
    return _state(pid) in WILLING_STATES or any(map(_wants_to_run, _children_of(pid)))


def _state(pid: int) -> str:
    """The state of the main thread of a process in one letter; empty where the kernel does not tell."""
    try:
        # It comes after the name, which may hold anything.
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(") ")[2][:1]
    except OSError:
        return ""


def _children_of(pid: int) -> list[int]:
    """The processes that the main thread of another one started; none where the kernel does not say."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()]
    except OSError:
        return []


def _cpu_seconds(pid: int) -> float:
    """The CPU time of another process; 0 where the kernel does not say."""
    if sys.platform != "linux":
        return 0.0
    try:
        # The kernel's own name for the clock of a process (clock_getcpuclockid).
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def _pidfd(pid: int) -> int | None:
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        # Kernels before 5.3 have none; the end of the wire shows the death too.
        return None
