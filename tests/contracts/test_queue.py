"""What every queue does."""

import threading
import time

import pytest

from pagemill.adapters.queue.base import Queue
from pagemill.adapters.queue.local import LocalQueue
from pagemill.model.messages import Message
from pagemill.model.states import Lane, Step

FAST = Message(Step.PLAN, Lane.FAST, "a-job")
BULK = Message(Step.EXTRACT, Lane.BULK, "a-job")


@pytest.fixture
def queue() -> Queue:
    """A queue that nobody waits for."""
    return LocalQueue()


def test_a_message_wakes_its_lane_and_no_other(queue: Queue) -> None:
    queue.send([BULK])
    assert not queue.wait([Lane.FAST], 0.01)
    assert queue.wait([Lane.FAST, Lane.BULK], 0.01)


def test_a_wake_up_is_used_up(queue: Queue) -> None:
    queue.send([FAST])
    assert queue.wait([Lane.FAST], 0.01)
    assert not queue.wait([Lane.FAST], 0.01)


def test_any_number_of_messages_is_taken_at_once(queue: Queue) -> None:
    queue.send([FAST] * 10_000)
    assert queue.wait([Lane.FAST], 0.01)


def test_a_waiting_thread_is_woken_at_once(queue: Queue) -> None:
    woken: list[bool] = []
    thread = threading.Thread(target=lambda: woken.append(queue.wait([Lane.FAST], 10)))
    started = time.monotonic()
    thread.start()
    queue.send([FAST])
    thread.join()
    assert woken == [True]
    assert time.monotonic() - started < 5


def test_closing_wakes_everybody(queue: Queue) -> None:
    queue.close()
    assert queue.wait([Lane.FAST], 10)
