"""Waking workers on any machine through Celery, over Redis or RabbitMQ.

Sending only puts a wake-up into a bounded buffer; a thread of its own carries it to the broker. So no one waits for a
broker that is away, hung or slow, and nothing piles up meanwhile.
"""

import logging
import ssl
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping

from celery import Celery  # type: ignore[import-untyped]
from kombu.entity import Exchange, Queue

from pagemill.adapters.queues.local_queue import LocalQueue
from pagemill.model.messages import Message
from pagemill.model.states import Lane

log = logging.getLogger("pagemill.queue")

TURN = "pagemill.turn"
SOCKET_SECONDS = 2.0
HEALTH_SECONDS = 5
HEARTBEAT_SECONDS = 10
# The longest that a wake-up may be under way; it is acknowledged when it arrives, before any work.
VISIBILITY_SECONDS = 3_600
RESTORE_SECONDS = 10
# Enough to set many seats going at once; the leader wakes the rest, and more would only be read and thrown away.
MOST_PENDING = 64
MOST_QUEUED = 64
FIRST_WAIT_SECONDS, MOST_WAIT_SECONDS = 0.4, 2.0
FLUSH_SECONDS, LINGER_SECONDS = 0.5, 5.0


def app_of(broker_url: str, options: Mapping[str, object]) -> Celery:
    """Celery on a broker, with a queue per lane; `options` go to the transport and win over ours.

    ValueError if there is no transport for such a broker.
    """
    if broker_url.startswith("sentinel:") and "master_name" not in options:
        raise ValueError(
            "Sentinel has to be asked for a master by name: set master_name in PAGEMILL_BROKER_OPTIONS"
        )
    app = Celery("pagemill", set_as_current=False)
    app.conf.update(
        broker_url=broker_url,
        broker_use_ssl={"ssl_cert_reqs": ssl.CERT_REQUIRED} if broker_url.startswith("rediss:") else None,
        broker_transport_options=transport_options(broker_url) | dict(options),
        broker_connection_timeout=SOCKET_SECONDS,
        broker_connection_retry=True,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_heartbeat=HEARTBEAT_SECONDS,
        task_queues=[queue_of(lane) for lane in Lane],
        task_default_queue=Lane.FAST.value,
        task_create_missing_queues=False,
        task_default_delivery_mode="transient",
        task_ignore_result=True,
        task_acks_late=False,
        worker_prefetch_multiplier=1,
        # A wake-up that waits here behind others is one that an idle worker elsewhere does not get.
        worker_disable_prefetch=is_redis(broker_url),
        worker_enable_prefetch_count_reduction=False,
        worker_cancel_long_running_tasks_on_connection_loss=True,
        # Flower asks for events by itself; without it no one reads them, and they cost as much as the wake-ups.
        worker_send_task_events=False,
        worker_enable_remote_control=True,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
    )
    transport_of(app)
    return app


def transport_of(app: Celery) -> type:
    """What speaks to the broker; ValueError, which does not contain the address, if there is no such thing."""
    try:
        transport: type = app.connection_for_write().get_transport_cls()
    except Exception as error:  # transports whose own packages are missing fail in ways of their own
        raise ValueError("it has to start with redis://, rediss://, sentinel:// or amqp://") from error
    return transport


def queue_of(lane: Lane) -> Queue:
    """The queue of a lane; the default direct exchange needs no bindings, which a flushed broker would have forgotten."""
    return Queue(lane.value, Exchange(""), routing_key=lane.value)  # type: ignore[no-untyped-call]


def is_redis(broker_url: str) -> bool:
    """Whether the broker is Redis, in one of its forms."""
    return broker_url.startswith(("redis:", "rediss:", "sentinel:", "redis+socket:"))


def transport_options(broker_url: str) -> dict[str, object]:
    """The options of a connection to a broker, so that a broker that hangs is noticed."""
    if not is_redis(broker_url):
        return {}
    return {
        "visibility_timeout": VISIBILITY_SECONDS,
        "unacked_restore_interval": RESTORE_SECONDS,
        "socket_timeout": SOCKET_SECONDS,
        "socket_connect_timeout": SOCKET_SECONDS,
        "socket_keepalive": True,
        "health_check_interval": HEALTH_SECONDS,
    }


class BrokerConnection:
    """An open connection to the broker, over which wake-ups are published."""

    def __init__(self, app: Celery) -> None:
        self._app = app
        self._connection = app.connection_for_write()
        self._connection.connect()
        self._producer = app.amqp.Producer(self._connection.channel(), auto_declare=False)

    def free_places(self, lane: Lane) -> int:
        """How many more wake-ups of a lane are of use."""
        queue = queue_of(lane).bind(self._producer.channel)  # type: ignore[no-untyped-call]
        return max(0, MOST_QUEUED - int(queue.queue_declare().message_count))

    def publish(self, message: Message) -> None:
        """Put a wake-up into the queue of its lane."""
        self._app.send_task(
            TURN,
            (message.step.value, message.lane.value, message.job_id),
            queue=message.lane.value,
            producer=self._producer,
            retry=False,
            ignore_result=True,
        )

    def close(self) -> None:
        """Give the connection up, whatever state it is in."""
        self._connection.collect(socket_timeout=FLUSH_SECONDS)


class CeleryQueue:
    """Wakes the workers of all machines, and the threads of this process that wait."""

    def __init__(self, app: Celery, on_failure: Callable[[], object] = lambda: None) -> None:
        self.app = app
        self._on_failure = on_failure
        self._local = LocalQueue()
        self._pending: dict[Lane, deque[Message]] = {lane: deque(maxlen=MOST_PENDING) for lane in Lane}
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._has_work = False
        self._line: BrokerConnection | None = None
        self._is_troubled = False
        self._wait_seconds = FIRST_WAIT_SECONDS
        self._thread = threading.Thread(target=self._publish_forever, name="pagemill-publisher", daemon=True)
        self._thread.start()

    @property
    def is_troubled(self) -> bool:
        """Whether the broker did not take the last wake-up."""
        return self._is_troubled

    def send(self, messages: Iterable[Message]) -> None:
        """Wake one seat for each message, here or elsewhere; past a bound they are the same as one."""
        given = list(messages)
        if given:
            self.wake(given)
            self._put(given)

    def wake(self, messages: Iterable[Message]) -> None:
        """Wake only threads of this process."""
        self._local.send(messages)

    def wait(self, lanes: Collection[Lane], timeout_seconds: float) -> bool:
        """Wait for a wake-up that was sent in this process; those of others come to `pagemill worker`."""
        return self._local.wait(lanes, timeout_seconds)

    def close(self) -> None:
        """Wake everybody, and give what is still to be sent a moment; a broker that is away holds no one up."""
        self._local.close()
        self._closing.set()
        with self._changed:
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._has_work, FLUSH_SECONDS)

    def _put(self, messages: Iterable[Message]) -> None:
        with self._changed:
            for message in messages:
                self._pending[message.lane].append(message)
                self._has_work = True
            self._changed.notify_all()

    def _publish_forever(self) -> None:
        while batches := self._take_pending():
            try:
                self._publish(batches)
            except Exception as error:  # whatever a broker does, this thread outlives it
                self._put_off(batches, error)
        if self._line is not None:
            discard(self._line)

    def _take_pending(self) -> dict[Lane, list[Message]]:
        """What waits, by lane; nothing some time after the end, because work that is given back is reported late."""
        with self._changed:
            self._has_work = any(self._pending.values())
            self._changed.notify_all()
            while not self._has_work:
                if not self._changed.wait(LINGER_SECONDS) and self._closing.is_set():
                    return {}
            batches = {lane: list(pending) for lane, pending in self._pending.items() if pending}
            for pending in self._pending.values():
                pending.clear()
        return batches

    def _publish(self, batches: dict[Lane, list[Message]]) -> None:
        line = self._line = self._line or BrokerConnection(self.app)
        for lane, batch in batches.items():
            for message in batch[: line.free_places(lane)]:
                line.publish(message)
        if self._is_troubled:
            log.info("the broker takes wake-ups again")
            self._is_troubled, self._wait_seconds = False, FIRST_WAIT_SECONDS

    def _put_off(self, batches: dict[Lane, list[Message]], error: Exception) -> None:
        """Try again later, with one wake-up per lane: by then the sweeper will have sent more."""
        line, self._line = self._line, None
        if line is not None:
            discard(line)
        if not self._is_troubled:
            log.warning("the broker takes no wake-ups, so work waits for the next look around: %s", error)
        self._is_troubled = True
        self._on_failure()
        self._closing.wait(self._wait_seconds)
        self._wait_seconds = min(2 * self._wait_seconds, MOST_WAIT_SECONDS)
        if not self._closing.is_set():
            self._put(batch[-1] for batch in batches.values())


def discard(line: BrokerConnection) -> None:
    """Close a connection that may be broken already."""
    try:
        line.close()
    except Exception as error:  # it is thrown away in any case
        log.debug("a broken connection could not be closed: %s", error)
