"""The crew of a worker: takes turns when it is woken, and by itself when no wake-up comes though there is work."""

import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from pagemill.adapters.queues.celery_queue import CeleryQueue
from pagemill.entrypoints.worker.consumer import WakeUpConsumer
from pagemill.entrypoints.worker.turn_slots import TurnSlots
from pagemill.entrypoints.worker.turn_troubles import TurnTroubles
from pagemill.errors import OutageError
from pagemill.faultpoints import faultpoint
from pagemill.mill import Mill
from pagemill.model.messages import Message
from pagemill.model.states import Lane
from pagemill.runner import ready_messages, run_periodically, take_turn, turn_slots_of, wait_for_press

log = logging.getLogger("pagemill.worker")

# After this long in one seat a wake-up goes back to the queue, so that people see that something moves; sooner it would
# only cost, because idle workers have got the wake-up as well.
CHAIN_SECONDS = 30.0
# A wake-up that finds no free seat is left to others after this long.
HAND_ON_SECONDS = 0.25
LOOK_SECONDS = 2.5
# So many looks found work without a wake-up: then the connection is not what it seems.
DEAF_LOOKS = 3
LEAVE_SECONDS = 10.0


class CeleryCrew:
    """Seats that are filled by wake-ups from Celery; a watch fills them when none come."""

    def __init__(self, mill: Mill, lanes: Sequence[Lane]) -> None:
        assert isinstance(mill.queue, CeleryQueue)
        self.mill = mill
        self.turn_slots = TurnSlots(turn_slots_of(mill, lanes))
        # What could not be acted on here must not be taken from others; webhooks are sent without a wake-up.
        served = {*self.turn_slots.idle(), Lane.NOTIFY}
        self.lanes = tuple(lane for lane in lanes if lane in served)
        self.notifies = Lane.NOTIFY in lanes
        self._queue = mill.queue
        threads = max(1, self.turn_slots.count)
        self.consumer = WakeUpConsumer(mill.queue.app, self.lanes, threads, self.on_message)
        self._own_threads = ThreadPoolExecutor(threads, thread_name_prefix="pagemill-unheard")
        self._stopping = threading.Event()
        self._heard_at = time.monotonic()
        self._unheard_looks = 0
        self._handed_on: set[Lane] = set()

    @property
    def is_listening(self) -> bool:
        """Whether it was not asked to stop, by us or through Celery's remote control."""
        return self.consumer.is_alive

    def seconds_since_message(self) -> float:
        """How long ago the last wake-up was heard."""
        return time.monotonic() - self._heard_at

    def start(self) -> None:
        """Listen for wake-ups, and look around now and then."""
        wait_for_press(self.mill.press, self._stopping)
        self.consumer.start()
        run_periodically(self.poll, LOOK_SECONDS, self._stopping, "work-poller")

    def stop(self) -> None:
        """Hear nothing more, give back what is under way, and notify others of it."""
        self._stopping.set()
        self.consumer.stop()
        self.mill.engines.close()
        self.mill.press.stop()
        if not self.turn_slots.wait_until_free(LEAVE_SECONDS):
            log.warning("some work could not be given back in time; others get it when the lease is over")
        self._own_threads.shutdown(wait=False, cancel_futures=True)
        self._queue.close()
        self.consumer.wait()

    def on_message(self, message: Message) -> None:
        """Take turns in a free seat; a wake-up that is of no use here goes back to the queue.

        Raises what Celery shows of documents that failed or are tried again.
        """
        self._heard_at, self._unheard_looks = time.monotonic(), 0
        faultpoint("worker.after_wakeup")
        if self._stopping.is_set():
            self._queue.send([message])
        else:
            troubles = TurnTroubles()
            self._use_slot(message, troubles)
            troubles.raise_for_celery()

    def poll(self) -> None:
        """Take turns without a wake-up; if that goes on, the consumer receives nothing and gets a new connection."""
        lanes = [lane for lane in self.lanes if lane in self.turn_slots.idle()]
        if self.seconds_since_message() < LOOK_SECONDS or not lanes:
            return
        unheard = ready_messages(self.mill, lanes, self.turn_slots.count)
        for message in unheard:
            self._own_threads.submit(self._use_slot, message, TurnTroubles())
        # A consumer that knows that the broker is away is not restarted: Celery tries it again by itself.
        self._unheard_looks += bool(unheard) and self.consumer.is_connected
        if self._unheard_looks >= DEAF_LOOKS:
            log.warning("work waits, but no wake-up came for %.0f s", self.seconds_since_message())
            self._unheard_looks = 0
            self.mill.metrics.watchdog_restarts.inc()
            self.consumer.reconnect()

    def _use_slot(self, message: Message, troubles: TurnTroubles) -> None:
        with self.turn_slots.take(message.lane) as lanes:
            if not lanes or self.mill.backoff.is_pausing():
                self._hand_on(message)
            elif self._take_turns(lanes, troubles):
                self._queue.send([message])

    def _take_turns(self, lanes: tuple[Lane, ...], troubles: TurnTroubles) -> bool:
        """Take turns while there is work; True if more may be left for the next one to sit here."""
        end = time.monotonic() + CHAIN_SECONDS
        try:
            while not self._stopping.is_set() and take_turn(self.mill, lanes, self._stopping, troubles.note):
                # Without a broker no thread would come here soon.
                if time.monotonic() > end and not self._queue.is_troubled:
                    return True
        except OutageError as error:
            log.warning("no work is taken for now: %s", error.message)
        except Exception:
            log.exception("a turn failed")
        return False

    def _hand_on(self, message: Message) -> None:
        """Leave a wake-up to others, but not so often that it goes in circles."""
        if message.lane in self._handed_on:
            return
        self._handed_on.add(message.lane)
        later = threading.Timer(HAND_ON_SECONDS, self._send_on, (message,))
        later.daemon = True
        later.start()

    def _send_on(self, message: Message) -> None:
        self._handed_on.discard(message.lane)
        self._queue.send([message])
