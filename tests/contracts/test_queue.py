"""What every queue does."""

import ssl
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import redis
from celery import Celery  # type: ignore[import-untyped]

from pagemill.adapters.queues.base import Queue
from pagemill.adapters.queues.celery_queue import MOST_QUEUED, CeleryQueue, app_of
from pagemill.adapters.queues.local_queue import LocalQueue
from pagemill.model.messages import Message
from pagemill.model.states import Lane, Step
from tests.cluster.redis import RedisServer, running
from tests.timing import can_take_less_than, seconds_of
from tests.waiting import PATIENCE_SECONDS, wait_for

FAST = Message(Step.PLAN, Lane.FAST, "a-job")
BULK = Message(Step.EXTRACT, Lane.BULK, "a-job")
ARRIVAL_SECONDS = 1.0
HOURS_OF_TRIES = 1_100


class Elsewhere(CeleryQueue):
    """A queue whose messages are waited for at the broker, as other processes do."""

    def __init__(self, server: RedisServer) -> None:
        super().__init__(app_of(server.url, {}))
        self.client = redis.Redis.from_url(server.url)

    def wait(self, lanes: Collection[Lane], timeout_seconds: float) -> bool:
        """Take a message from the broker."""
        if self._closing.is_set():
            return super().wait(lanes, timeout_seconds)
        return (
            self.client.brpop([lane.value for lane in lanes], timeout_seconds + ARRIVAL_SECONDS) is not None
        )

    def close(self) -> None:
        """Hang up as well."""
        super().close()
        self.client.close()


class AtOnce(threading.Event):
    """An event that nobody waits for."""

    def wait(self, timeout: float | None = None) -> bool:
        """Go on as if the time were over."""
        del timeout
        return self.is_set()


class Tireless(CeleryQueue):
    """A queue that does not pause between its tries, most of which the broker refuses."""

    def __init__(self, app: Celery) -> None:
        self._tries = 0
        super().__init__(app)
        self._closing = AtOnce()

    def _publish(self, batches: dict[Lane, list[Message]]) -> None:
        self._tries += 1
        if self._tries < HOURS_OF_TRIES:
            raise ConnectionRefusedError
        super()._publish(batches)


@pytest.fixture(params=["local", "celery", "celery elsewhere"])
def queue(request: pytest.FixtureRequest) -> Iterator[Queue]:
    """A queue that nobody waits for."""
    if request.param == "local":
        yield LocalQueue()
        return
    server: RedisServer = request.getfixturevalue("own_redis")
    made = Elsewhere(server) if "elsewhere" in request.param else CeleryQueue(app_of(server.url, {}))
    with closing(made):
        yield made


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[RedisServer]:
    """A broker that nobody else speaks to, and that a test may mistreat."""
    with running(tmp_path) as server:
        yield server


def length(server: RedisServer, lane: Lane) -> int:
    """How many messages a lane has at the broker."""
    with closing(server.client()) as client:
        return int(str(client.llen(lane.value)))


def test_a_message_wakes_its_lane_and_no_other(queue: Queue) -> None:
    queue.send([BULK])
    assert not queue.wait([Lane.FAST], 0.01)
    assert queue.wait([Lane.FAST, Lane.BULK], PATIENCE_SECONDS)


def test_a_wake_up_is_used_up(queue: Queue) -> None:
    queue.send([FAST])
    assert queue.wait([Lane.FAST], PATIENCE_SECONDS)
    assert not queue.wait([Lane.FAST], 0.01)


def test_any_number_of_messages_is_taken_at_once(queue: Queue) -> None:
    queue.send([FAST] * 10_000)
    assert queue.wait([Lane.FAST], PATIENCE_SECONDS)


def test_a_waiting_thread_is_woken_at_once(queue: Queue) -> None:
    woken: list[bool] = []
    thread = threading.Thread(target=lambda: woken.append(queue.wait([Lane.FAST], PATIENCE_SECONDS)))
    started = time.monotonic()
    thread.start()
    queue.send([FAST])
    thread.join()
    assert woken == [True]
    assert time.monotonic() - started < PATIENCE_SECONDS / 2


def test_closing_wakes_everybody(queue: Queue) -> None:
    queue.close()
    assert queue.wait([Lane.FAST], 10)


def test_threads_of_this_process_are_woken_without_the_broker(own_redis: RedisServer) -> None:
    with closing(CeleryQueue(app_of(own_redis.url, {}))) as queue:
        queue.wake([FAST])
        assert queue.wait([Lane.FAST], 0.01)
        assert length(own_redis, Lane.FAST) == 0


def test_a_broker_that_nobody_listens_to_does_not_fill_up(own_redis: RedisServer) -> None:
    with closing(CeleryQueue(app_of(own_redis.url, {}))) as queue:
        for _ in range(4):
            queue.send([BULK] * 10_000)
            wait_for(lambda: length(own_redis, Lane.BULK) >= MOST_QUEUED)
            wait_for(lambda: not queue._has_work)
        assert length(own_redis, Lane.BULK) == MOST_QUEUED


def test_a_flushed_broker_takes_the_next_message(own_redis: RedisServer) -> None:
    with closing(CeleryQueue(app_of(own_redis.url, {}))) as queue:
        queue.send([FAST])
        wait_for(lambda: length(own_redis, Lane.FAST) > 0)
        own_redis.flush()
        queue.send([FAST])
        wait_for(lambda: length(own_redis, Lane.FAST) == 1)


def test_nobody_waits_for_a_broker_that_hangs(own_redis: RedisServer) -> None:
    failures: list[None] = []
    with closing(CeleryQueue(app_of(own_redis.url, {}), lambda: failures.append(None))) as queue:
        own_redis.pause()

        def send_many() -> None:
            for _ in range(1_000):
                queue.send([FAST, BULK])

        assert can_take_less_than(1, lambda: seconds_of(send_many))
        wait_for(lambda: queue.is_troubled)
        own_redis.resume()
        wait_for(lambda: length(own_redis, Lane.BULK) > 0 and not queue.is_troubled)
    assert failures


def test_a_broker_that_comes_back_gets_at_least_one_message_of_each_lane(own_redis: RedisServer) -> None:
    with closing(CeleryQueue(app_of(own_redis.url, {}))) as queue:
        own_redis.kill()
        queue.send([FAST, BULK])
        wait_for(lambda: queue.is_troubled)
        own_redis.start()
        wait_for(lambda: length(own_redis, Lane.FAST) == 1 and length(own_redis, Lane.BULK) == 1)


def test_a_broker_that_was_away_for_hours_gets_messages_again(own_redis: RedisServer) -> None:
    with closing(Tireless(app_of(own_redis.url, {}))) as queue:
        queue.send([FAST])
        wait_for(lambda: length(own_redis, Lane.FAST) == 1)


def test_closing_does_not_wait_for_a_broker_that_hangs(own_redis: RedisServer) -> None:
    def closing_seconds() -> float:
        queue = CeleryQueue(app_of(own_redis.url, {}))
        own_redis.pause()
        queue.send([FAST])
        seconds = seconds_of(queue.close)
        own_redis.resume()
        return seconds

    assert can_take_less_than(2, closing_seconds)


@pytest.mark.parametrize("url", ["http://somewhere", "nosuchbroker://user:secret@somewhere"])
def test_an_address_that_nobody_can_speak_to_is_refused_without_telling_it(url: str) -> None:
    with pytest.raises(ValueError, match="it has to start with") as refusal:
        app_of(url, {})
    assert "secret" not in str(refusal.value)


def test_a_broker_behind_tls_has_to_prove_who_it_is() -> None:
    assert app_of("rediss://somewhere", {}).connection_for_write().ssl["ssl_cert_reqs"] == ssl.CERT_REQUIRED


def test_sentinels_are_of_no_use_without_the_name_of_a_master() -> None:
    with pytest.raises(ValueError, match="master_name in PAGEMILL_BROKER_OPTIONS"):
        app_of("sentinel://somewhere:26379", {})


def test_options_of_the_settings_reach_the_transport() -> None:
    app = app_of("sentinel://somewhere:26379", {"master_name": "mymaster"})
    assert app.connection_for_write().transport_options["master_name"] == "mymaster"
