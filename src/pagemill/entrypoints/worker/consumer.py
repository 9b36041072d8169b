"""The consumer of the queue: Celery's own worker, in a thread of this process, which receives wake-ups and passes them on."""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Sequence

from celery import Celery, bootsteps  # type: ignore[import-untyped]
from celery.platforms import EX_FAILURE  # type: ignore[import-untyped]
from celery.worker import WorkController, state  # type: ignore[import-untyped]
from celery.worker.consumer import Consumer, Tasks  # type: ignore[import-untyped]
from kombu.asynchronous import set_event_loop

from pagemill.adapters.queues.celery_queue import TURN
from pagemill.entrypoints.worker.turn_troubles import WorkFailed
from pagemill.model.messages import Message
from pagemill.model.states import Lane, Step

log = logging.getLogger("pagemill.consumer")
STOPPED = 0
KNOWN_STEPS, KNOWN_LANES = frozenset(Step), frozenset(Lane)
STOP_SECONDS = 2.0
AGAIN_SECONDS = 1.0


class ConnectionState(bootsteps.StartStopStep):  # type: ignore[misc]
    """Keeps note of whether a consumer has all that it needs to hear; a connection alone is not enough."""

    requires = (Tasks,)

    def __init__(self, consumer: Consumer, **options: object) -> None:
        super().__init__(consumer, **options)
        consumer.is_listening = False

    def start(self, consumer: Consumer) -> None:
        """The consumer is subscribed."""
        consumer.is_listening = True

    def stop(self, consumer: Consumer) -> None:
        """The connection is lost, or given up."""
        consumer.is_listening = False


class WakeUpConsumer:
    """Hears the wake-ups of some lanes, as many at once as it has threads."""

    def __init__(
        self, app: Celery, lanes: Sequence[Lane], threads: int, hear: Callable[[Message], None]
    ) -> None:
        self._app = app
        self._lanes = [lane.value for lane in lanes]
        self._threads = threads
        self.celery: WorkController | None = None
        self._thread: threading.Thread | None = None
        app.steps["consumer"].add(ConnectionState)

        @app.task(name=TURN, ignore_result=True, shared=False, throws=(WorkFailed,))  # type: ignore[untyped-decorator]
        def turn(step: str, lane: str, job_id: str) -> None:
            message = known_message(step, lane, job_id)
            if message is not None:
                hear(message)

    @property
    def is_alive(self) -> bool:
        """Whether it listens, or tries to."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def is_connected(self) -> bool:
        """Whether it has a connection to the broker, as far as it knows."""
        consumer = self.celery.consumer if self.celery is not None else None
        return consumer is not None and bool(consumer.is_listening)

    def start(self) -> None:
        """Begin to listen; a broker that is away is tried again and again."""
        state.should_stop = None
        # Celery's threads look for the turn in what the process has as its app.
        self._app.set_default()
        self._thread = threading.Thread(target=self._consume, name="pagemill.consumer", daemon=True)
        self._thread.start()

    def reconnect(self) -> None:
        """Give up the connection to the broker and make a new one."""
        worker = self.celery
        if worker is not None and worker.consumer is not None:
            worker.consumer.call_soon(drop_connection)

    def stop(self) -> None:
        """Hear nothing more from now on."""
        state.should_stop = STOPPED
        worker = self.celery
        if worker is not None and worker.consumer is not None:
            worker.consumer.call_soon(do_nothing)

    def wait(self) -> None:
        """Wait a moment for it to hang up; a broker that does not answer is left alone."""
        if self._thread is not None:
            self._thread.join(STOP_SECONDS)

    def _consume(self) -> None:
        while state.should_stop is None:
            worker = self.celery = self._celery_worker()
            worker.start()
            if worker.exitcode != EX_FAILURE:
                return
            log.error("Celery's worker ended by itself and is restarted")
            time.sleep(AGAIN_SECONDS)

    def _celery_worker(self) -> WorkController:
        # Celery keeps one for the whole process; that of a former worker is closed.
        set_event_loop(None)
        return WorkController(
            app=self._app,
            hostname=f"pagemill-{os.getpid()}@{socket.gethostname()}",
            pool="threads",
            concurrency=self._threads,
            queues=self._lanes,
            without_mingle=True,
            without_gossip=True,
        )


def known_message(step: str, lane: str, job_id: str) -> Message | None:
    """A wake-up as it came; None if it is about work of another release, which this one does not know."""
    if step not in KNOWN_STEPS or lane not in KNOWN_LANES:
        return None
    return Message(Step(step), Lane(lane), job_id)


def drop_connection() -> None:
    """What a lost connection looks like."""
    raise ConnectionResetError("the connection to the broker is given up, because no message came")


def do_nothing() -> None:
    """Only wakes the process that waits for something to do."""
