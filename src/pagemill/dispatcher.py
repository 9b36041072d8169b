"""The dispatcher: reads the log for webhooks, claims what is due, and has it sent by threads of its own.

It works the lane `notify`, inside the service and in workers alike. A slow receiver holds its own few threads and no
others.
"""

import logging
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from pagemill.db import deliveries, webhooks
from pagemill.db.database import Tx
from pagemill.db.deliveries import Limits
from pagemill.desk.batches import finish_batches
from pagemill.desk.usage import count_usage
from pagemill.errors import OutageError
from pagemill.mill import Mill
from pagemill.model.webhooks import Delivery, DeliveryState, Endpoint
from pagemill.steps import deliver

log = logging.getLogger("pagemill.webhooks")

# Commits come by the hundred per second; looking at the log for each of them would cost more than it brings.
REST_SECONDS = 0.2
POLL_SECONDS = 1.0
BATCHES_SECONDS = 0.5
USAGE_SECONDS = 1.0
# Deliveries of one target that one thread sends one after the other, as long as they take no longer than a moment in
# all: who is slow, removed or changed meanwhile is looked up again for the rest.
RUN_LENGTH = 32
RUN_SECONDS = 1.0

Clock = Callable[[], float]
WriteWork = Callable[[Tx], object]


class PeriodicCall:
    """Something that is done now and then."""

    def __init__(self, every_seconds: float, call: Callable[[], object]) -> None:
        self._every_seconds = every_seconds
        self._call = call
        self._done_at = -every_seconds

    def run_if_due(self) -> None:
        """Do it, unless that was a moment ago."""
        if time.monotonic() - self._done_at >= self._every_seconds:
            self._done_at = time.monotonic()
            self._call()


class RunRecorder:
    """Writes down what one thread sends: the next delivery is sent while the last one is committed.

    What can't be written in an outage is kept for later.
    """

    def __init__(self, mill: Mill, kept: deque[WriteWork]) -> None:
        self._mill = mill
        self._kept = kept
        self._writing: tuple[WriteWork, Future[object]] | None = None

    def write(self, work: WriteWork) -> None:
        """Begin to write as soon as the last write is over; raises what that raised, with the new one begun."""
        try:
            self.wait()
        finally:
            self._writing = work, self._mill.db.submit(work)

    def wait(self) -> None:
        """Wait for the write under way."""
        under_way, self._writing = self._writing, None
        if under_way is not None:
            work, written = under_way
            try:
                written.result()
            except OutageError as error:
                log.warning("what came of a delivery is written down later: %s", error.message)
                self._kept.append(work)


class Dispatcher:
    """Sends what the log says to its receivers."""

    def __init__(self, mill: Mill, clock: Clock | None = None) -> None:
        self.mill = mill
        self._clock = clock or (lambda: mill.db.read(mill.db.now))
        self._limits = Limits(mill.settings.webhook_concurrency, RUN_LENGTH)
        self._most = mill.settings.webhook_connections
        self._senders = ThreadPoolExecutor(self._most, thread_name_prefix="pagemill-webhook")
        self._busy = 0
        self._kept: deque[WriteWork] = deque()
        self._freed = threading.Event()
        self._has_backlog = False
        self._periodic_calls = (
            PeriodicCall(BATCHES_SECONDS, lambda: finish_batches(mill)),
            PeriodicCall(USAGE_SECONDS, lambda: count_usage(mill)),
        )
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="pagemill-dispatcher", daemon=True)

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def stop(self) -> None:
        """Send nothing more; what is under way is finished or given back."""
        self._stopping.set()
        self._freed.set()
        self.mill.notifier.news.set()
        if self._thread.is_alive():
            self._thread.join()
        self._senders.shutdown(cancel_futures=False)

    def turn(self) -> int:
        """Find batches that are over, read the log, claim what is due and start sending it; how many deliveries that were."""
        self._write_kept()
        for call in self._periodic_calls:
            call.run_if_due()
        while deliver.fan_out(self.mill):
            log.debug("there is more in the log")
        return self._start_due()

    def _write_kept(self) -> None:
        """Write what could not be written in an outage; fences see to it that nothing is written twice."""
        for _ in range(len(self._kept)):
            recorder = RunRecorder(self.mill, self._kept)
            recorder.write(self._kept.popleft())
            recorder.wait()

    def wait_idle(self) -> None:
        """Wait until everything that was claimed is recorded."""
        self._senders.shutdown()
        self._senders = ThreadPoolExecutor(self._most, thread_name_prefix="pagemill-webhook")

    def _loop(self) -> None:
        while not self._stopping.is_set():
            began = time.monotonic()
            started = self._try_turn()
            if not (started and self._has_backlog):
                self.mill.notifier.news.wait(POLL_SECONDS)
                self._freed.wait(max(REST_SECONDS - (time.monotonic() - began), 0.0))
            self._freed.clear()
            self.mill.notifier.news.clear()

    def _try_turn(self) -> int:
        try:
            return self.turn()
        except OutageError as error:
            log.warning("webhooks have to wait: %s", error.message)
        except Exception:
            log.exception("a turn of webhooks failed")
        return 0

    def _start_due(self) -> int:
        with self._lock:
            free = self._most - self._busy
        now = self._clock()
        if free <= 0 or not self.mill.db.read(lambda conn: is_due(deliveries.next_due(conn), now)):
            return 0
        most = free * RUN_LENGTH
        mill, limits = self.mill, self._limits
        claimed = mill.db.write(lambda tx: deliveries.claim(tx, mill.worker_id, now, most, limits))
        endpoints = mill.db.read(lambda conn: webhooks.by_ids(conn, {one.endpoint_id for one in claimed}))
        if claimed:
            self._has_backlog = len(claimed) >= RUN_LENGTH
        for run in runs_of(claimed, mill.settings.webhook_concurrency):
            with self._lock:
                self._busy += 1
            self._senders.submit(self._send_run, run, endpoints)
        return len(claimed)

    def _send_run(self, run: list[Delivery], endpoints: dict[str, Endpoint]) -> None:
        left, recorder = deque(run), RunRecorder(self.mill, self._kept)
        ends_at, is_taken = time.monotonic() + RUN_SECONDS, True
        try:
            while left and is_taken and not self._stopping.is_set() and time.monotonic() < ends_at:
                one = left.popleft()
                is_taken = self._send(one, endpoints.get(one.endpoint_id), recorder)
        except Exception:
            log.exception("a delivery failed in an unexpected way")
        finally:
            self._give_back(list(left), recorder)
            with self._lock:
                self._busy -= 1
            if self._has_backlog:
                # A sender that is free again is given more at once.
                self._freed.set()
            self.mill.notifier.news.set()

    def _send(self, delivery: Delivery, endpoint: Endpoint | None, recorder: RunRecorder) -> bool:
        """Send and record one delivery; whether the receiver is worth another one now."""
        mill = self.mill
        if endpoint is None:
            recorder.write(lambda tx: cancel(tx, delivery))
            return True
        outcome = deliver.send(mill, delivery, endpoint, self._clock())
        recorder.write(lambda tx: deliver.record(tx, mill, outcome))
        mill.metrics.count_delivery(outcome.error or "delivered", outcome.seconds)
        return outcome.is_success

    def _give_back(self, left: list[Delivery], recorder: RunRecorder) -> None:
        """Wait until everything is recorded; what was not sent is for the next who looks."""
        mill = self.mill
        try:
            if left:
                recorder.write(lambda tx: deliveries.give_back(tx, mill.worker_id, left))
            recorder.wait()
        except Exception:
            log.exception("what came of a delivery can't be written down")


@contextmanager
def run_webhooks(mill: Mill) -> Iterator[None]:
    """Webhooks, sent until the context ends."""
    dispatcher = Dispatcher(mill)
    dispatcher.start()
    try:
        yield
    finally:
        dispatcher.stop()


def is_due(at: float | None, now: float) -> bool:
    """Whether something is due by now."""
    return at is not None and at <= now


def cancel(tx: Tx, delivery: Delivery) -> None:
    """End a delivery whose endpoint was removed."""
    ended = DeliveryState.CANCELLED
    deliveries.end_pending(tx, delivery.tenant, delivery.endpoint_id, ended, "endpoint_removed")


def runs_of(claimed: Iterable[Delivery], most_per_target: int) -> list[list[Delivery]]:
    """Deliveries dealt out to threads: those of one target to as many as may talk to it at once."""
    by_target: defaultdict[str, list[Delivery]] = defaultdict(list)
    for one in claimed:
        by_target[one.target].append(one)
    return [
        run
        for group in by_target.values()
        for start in range(min(most_per_target, len(group)))
        if (run := group[start::most_per_target])
    ]
