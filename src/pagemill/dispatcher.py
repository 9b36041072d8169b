"""The dispatcher: reads the log for webhooks, claims what is due, and has it sent by threads of its own.

It works the lane `notify`, inside the service and in workers alike. A slow receiver holds its own few threads and no
others.
"""

import logging
import math
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from pagemill.db import deliveries, webhooks
from pagemill.db.database import Tx
from pagemill.db.deliveries import Limits
from pagemill.delivery_recorder import DeliveryRecorder
from pagemill.desk.batches import finish_batches
from pagemill.desk.usage import count_usage
from pagemill.errors import OutageError
from pagemill.mill import Mill
from pagemill.model.webhooks import Delivery, DeliveryState
from pagemill.result_push import push_result
from pagemill.steps import deliver
from pagemill.steps.deliver import SigningEndpoint

log = logging.getLogger("pagemill.webhooks")

# Commits come by the hundred per second; looking at the log for each of them would cost more than it brings. The first
# one after a rest is looked at without delay.
REST_SECONDS = 0.5
POLL_SECONDS = 1.0
BATCHES_SECONDS = 0.5
USAGE_SECONDS = 1.0
# Deliveries of one target that one thread sends one after the other, as long as they take no longer than a moment in
# all: who is slow, removed or changed meanwhile is looked up again for the rest.
RUN_LENGTH = 32
RUN_SECONDS = 1.0
# A target whose deliveries take no longer than this in all needs one thread for them, not as many as it may have.
THREAD_SECONDS = 0.1
MOST_TARGETS = 10_000

Clock = Callable[[], float]


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


@dataclass(frozen=True, slots=True)
class Claimed:
    """What is to be sent now, and whether the log has more lines to be read."""

    deliveries: list[Delivery]
    has_more_lines: bool


class Dispatcher:
    """Sends what the log says to its receivers."""

    def __init__(self, mill: Mill, clock: Clock | None = None) -> None:
        self.mill = mill
        self._clock = clock or (lambda: mill.db.read(mill.db.now))
        self._limits = Limits(mill.settings.webhook_concurrency, RUN_LENGTH)
        self._most = mill.settings.webhook_connections
        self._senders = ThreadPoolExecutor(self._most, thread_name_prefix="pagemill-webhook")
        self._busy = 0
        self._recorder = DeliveryRecorder(mill.db)
        # How long the last delivery to each target took, for as long as it is sent to.
        self._seconds: dict[str, float] = {}
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
        self._recorder.stop()

    def turn(self) -> int:
        """Find batches that are over, read the log, claim what is due and start sending it; how many deliveries that were."""
        self._recorder.retry()
        for call in self._periodic_calls:
            call.run_if_due()
        claimed = self._claim()
        self._start(claimed.deliveries)
        if claimed.has_more_lines:
            self._read_log()
        return len(claimed.deliveries)

    def _claim(self) -> Claimed:
        """Read the log and claim what is due, in one transaction; a cheap query finds whether there is anything."""
        with self._lock:
            free = self._most - self._busy
        now, mill, limits = self._clock(), self.mill, self._limits
        reads = mill.db.read(deliver.has_work)
        if not reads and (free <= 0 or not mill.db.read(lambda conn: is_due(deliveries.next_due(conn), now))):
            return Claimed([], has_more_lines=False)

        def claim(tx: Tx) -> Claimed:
            more = reads and deliver.fan_out_in(tx, mill.settings.public_url)
            # What has just been written is due, too.
            due_at, most = max(now, tx.now), free * RUN_LENGTH
            found = deliveries.claim(tx, mill.worker_id, due_at, most, limits) if free > 0 else []
            return Claimed(found, more)

        return mill.db.write(claim)

    def _read_log(self) -> None:
        while deliver.fan_out(self.mill):
            log.debug("more events are waiting")
        self.mill.notifier.news.set()

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

    def _start(self, claimed: list[Delivery]) -> None:
        """Have threads send what was claimed."""
        if not claimed:
            return
        mill = self.mill
        found = mill.db.read(lambda conn: webhooks.by_ids(conn, {one.endpoint_id for one in claimed}))
        endpoints = {key: SigningEndpoint(mill, one) for key, one in found.items()}
        self._has_backlog = len(claimed) >= RUN_LENGTH
        for run in runs_of(claimed, mill.settings.webhook_concurrency, self._seconds):
            with self._lock:
                self._busy += 1
            self._senders.submit(self._send_run, run, endpoints)

    def _send_run(self, run: list[Delivery], endpoints: dict[str, SigningEndpoint]) -> None:
        left = deque(run)
        ends_at, is_taken = time.monotonic() + RUN_SECONDS, True
        try:
            while left and is_taken and not self._stopping.is_set() and time.monotonic() < ends_at:
                one = left.popleft()
                is_taken = self._send(one, endpoints.get(one.endpoint_id))
        except Exception:
            log.exception("a delivery failed in an unexpected way")
        finally:
            self._give_back(list(left))
            with self._lock:
                self._busy -= 1
            if self._has_backlog:
                # A sender that is free again is given more at once.
                self._freed.set()
            self.mill.notifier.news.set()

    def _send(self, delivery: Delivery, endpoint: SigningEndpoint | None) -> bool:
        """Send and record one delivery; whether the receiver is worth another one now."""
        mill = self.mill
        if endpoint is None:
            self._recorder.write(lambda tx: cancel(tx, delivery))
            return True
        outcome = deliver.send(mill, delivery, endpoint, self._clock(), push_result)
        self._note_seconds(delivery.target, outcome.seconds)
        self._recorder.write(lambda tx: deliver.record(tx, mill, outcome))
        mill.metrics.count_delivery(outcome.error or "delivered", outcome.seconds)
        return outcome.is_success

    def _note_seconds(self, target: str, seconds: float) -> None:
        if len(self._seconds) >= MOST_TARGETS:
            self._seconds.clear()
        self._seconds[target] = seconds

    def _give_back(self, left: list[Delivery]) -> None:
        """Wait until everything is recorded; what was not sent is for the next who looks."""
        mill = self.mill
        if left:
            self._recorder.write(lambda tx: deliveries.give_back(tx, mill.worker_id, left))
        self._recorder.wait()


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


def runs_of(
    claimed: Iterable[Delivery], most_per_target: int, last_seconds: Mapping[str, float]
) -> list[list[Delivery]]:
    """Deliveries dealt out to threads: those of one target to as many as they keep busy, as far as it may have them."""
    by_target: defaultdict[str, list[Delivery]] = defaultdict(list)
    for one in claimed:
        by_target[one.target].append(one)
    return [
        run
        for target, group in by_target.items()
        for run in deal_out(group, most_per_target, last_seconds.get(target, THREAD_SECONDS))
    ]


def deal_out(group: list[Delivery], most: int, seconds_each: float) -> list[list[Delivery]]:
    """Deliveries of one target for one thread or more."""
    threads = max(min(most, len(group), math.ceil(len(group) * seconds_each / THREAD_SECONDS)), 1)
    return [group[start::threads] for start in range(threads)]
