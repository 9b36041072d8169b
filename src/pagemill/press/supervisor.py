"""The press: runs functions in warm child processes, with hard limits, and survives whatever they do."""

import contextlib
import logging
import selectors
import socket
import threading
import time
from collections.abc import Container, Sequence
from types import TracebackType
from typing import Self

from pagemill import tracing
from pagemill.press import spans
from pagemill.press.calls import PressCall, VisitBatch
from pagemill.press.children import Child
from pagemill.press.config import PressConfig, SlotReport
from pagemill.press.crew import Crew
from pagemill.press.launch import Launcher
from pagemill.press.privileges import hide_memory
from pagemill.press.slots import Slot
from pagemill.press.visit import Outcome, Returned, Visit

log = logging.getLogger("pagemill.press")

# Wake up at least this often, so that callers need not wake us for limits that are further off.
LONGEST_SLEEP_SECONDS = 1.0
# How long to wait, at the end, for the kernel to let go of killed children.
FAREWELL_SECONDS = 5.0


class Press:
    """Warm child processes that carry out visits; every method may be called from any thread."""

    def __init__(self, config: PressConfig) -> None:
        self._launcher = Launcher(config)
        self._lock = threading.Lock()
        self._selector = selectors.DefaultSelector()
        self._crew = Crew(config, self._selector)
        self._wake_reader, self._wake_writer = socket.socketpair()
        self._wake_reader.setblocking(False)
        self._wake_writer.setblocking(False)
        self._selector.register(self._wake_reader, selectors.EVENT_READ)
        self._wakes_at = 0.0
        self._started = False
        self._over = False
        # A daemon, so that a process that forgets to stop the press still ends, and its children with it.
        self._thread = threading.Thread(target=self._supervise, name="pagemill-press", daemon=True)

    def start(self) -> None:
        """Start the children; returns before they are ready."""
        with self._lock:
            if self._started or self._crew.stopping:
                raise RuntimeError("a press is started once")
            self._started = True
            hide_memory()
            self._thread.start()

    def run(self, visits: Sequence[Visit], *, small: bool = False) -> list[Outcome]:
        """Carry out visits in one child, one after the other, and wait for what becomes of each."""
        if not visits:
            return []
        call = PressCall(len(visits))
        batch = VisitBatch.of(call, visits, small=small)
        with self._lock:
            if not self._started:
                raise RuntimeError("the press isn't started")
            if self._crew.stopping:
                return [Returned() for _ in visits]
            self._crew.queue.add(batch)
            self._crew.pump()
            hurry = self._hurry()
        if hurry:
            self._wake()
        outcomes = call.wait()
        if tracing.is_on():
            spans.record_visits(visits, outcomes)
        return outcomes

    def cancel(self, keys: Container[str]) -> int:
        """Drop the visits for these keys, and kill the children that are at one; returns how many there were."""
        with self._lock:
            cancelled = self._crew.cancel(keys)
        self._wake()
        return cancelled

    def keys(self) -> frozenset[str]:
        """The keys for which visits wait or run now."""
        with self._lock:
            return frozenset(self._crew.keys())

    def stop(self, *, grace_seconds: float = 0.0) -> None:
        """Begin no more visits, give the running ones `grace_seconds`, then kill; returns when no child is left."""
        with self._lock:
            self._crew.stop(time.monotonic() + grace_seconds)
            started, self._started = self._started, True
            if not started:
                self._close()
        self._wake()
        if started:
            self._thread.join()

    def state(self) -> list[SlotReport]:
        """What each slot is doing."""
        with self._lock:
            return self._crew.states(stopped=self._over)

    @property
    def sandbox(self) -> str:
        """What confines every child that has said hello, such as `landlock+seccomp`; `none` before the first has."""
        with self._lock:
            hellos = [child.hello for child in self._crew.children if child.hello is not None]
        held = (
            [name for name in hellos[0].sandbox if all(name in hello.sandbox for hello in hellos)]
            if hellos
            else []
        )
        return "+".join(held) or "none"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _supervise(self) -> None:
        while not self._is_over():
            try:
                self._turn()
            # The loop goes on after any error: the children and their callers depend on it.
            except Exception:
                log.exception("the press loop failed")
                time.sleep(0.05)
        with self._lock:
            self._crew.abandon()
            self._close()

    def _turn(self) -> None:
        events = self._selector.select(max(0.0, self._wakes_at - time.monotonic()))
        with self._lock:
            for key, _ in events:
                if key.data is None:
                    self._drain_wake_ups()
                elif key.data in self._crew.children:
                    self._crew.attend(key.data, ended=key.fileobj == key.data.pidfd)
            self._crew.check_clocks()
            self._crew.pump()
            self._crew.tend()
            slots = self._crew.slots_in_need()
            self._wakes_at = min(time.monotonic() + LONGEST_SLEEP_SECONDS, self._crew.next_deadline())
        for slot in slots:
            self._start_child(slot)

    def _start_child(self, slot: Slot) -> None:
        # Without the lock: it takes milliseconds.
        child = try_launch(self._launcher)
        with self._lock:
            if child is None:
                self._crew.start_failed(slot)
            else:
                self._crew.welcome(slot, child)

    def _is_over(self) -> bool:
        with self._lock:
            if not self._crew.stopping:
                return False
            return not self._crew.children or time.monotonic() > self._crew.stop_at + FAREWELL_SECONDS

    def _hurry(self) -> bool:
        """Whether the supervisor must not sleep on as long as it means to."""
        unsent = any(child.unsent for child in self._crew.children)
        return unsent or self._crew.next_deadline() < self._wakes_at

    def _wake(self) -> None:
        # A full pipe wakes the reader anyway; a closed one has no reader left.
        with contextlib.suppress(BlockingIOError, OSError):
            self._wake_writer.send(b"\0")

    def _drain_wake_ups(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._wake_reader.recv(4_096):
                pass

    def _close(self) -> None:
        if not self._over:
            self._over = True
            self._selector.close()
            self._wake_reader.close()
            self._wake_writer.close()
            self._launcher.close()


def try_launch(launcher: Launcher) -> Child | None:
    """A new child, or None if the machine has no room for one just now."""
    try:
        return launcher.launch()
    except OSError:
        log.exception("no press child could be started")
        return None
