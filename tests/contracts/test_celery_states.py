"""What Celery shows of our work: a document that fails is a failed task with its reason, one that is tried again a retry."""

import threading
from collections.abc import Iterator
from functools import partial

import pytest
from celery import Celery  # type: ignore[import-untyped]

from pagemill.adapters.queues.celery_queue import BrokerConnection, app_of
from pagemill.entrypoints.worker.consumer import WakeUpConsumer
from pagemill.entrypoints.worker.turn_troubles import TurnTroubles, WorkFailed
from pagemill.model.messages import Message
from pagemill.model.options import ReadingOptions
from pagemill.model.states import Lane, Step
from pagemill.model.work import Claim, JobLost, Retry, SetBack
from tests.cluster.redis import RedisServer
from tests.waiting import wait_for

STOP_SECONDS = 10.0
LOST = JobLost(None, "damaged_document", "It can't be opened.", retryable=False)


def set_back(job_id: str, verdict: JobLost | Retry, code: str) -> SetBack:
    """A chunk that did not work out."""
    claim = Claim(
        "chunk",
        1,
        job_id,
        "default",
        1,
        Step.PLAN,
        Lane.FAST,
        ReadingOptions(),
        True,
        None,
        None,
        False,
        0,
        0,
        0,
        0.0,
        "key",
        "sha",
        "print",
        None,
        None,
    )
    return SetBack(claim, verdict, code, "It did not work out.")


FOUND = {
    "fails": [set_back("fails", LOST, "damaged_document")],
    "waits": [set_back("waits", Retry("errors", 4.0), "storage_unavailable")],
    "works": [],
}


def hear(message: Message) -> None:
    """Do as a worker does with what it found under a wake-up."""
    troubles = TurnTroubles()
    troubles.note(FOUND[message.job_id])
    troubles.raise_for_celery()


@pytest.fixture
def seen(redis_server: RedisServer) -> Iterator[tuple[Celery, dict[str, str]]]:
    """A consumer at work, and the exceptions that Celery's events told of, by their type."""
    app, told = app_of(redis_server.url, {}), dict[str, str]()
    app.conf.worker_send_task_events = True
    handlers = {"*": lambda event: told.update({event["type"]: event.get("exception", "")})}
    with app.connection_for_read() as connection:
        receiver = app.events.Receiver(connection, handlers=handlers)
        listener = threading.Thread(target=partial(receiver.capture, None, None, wakeup=False), daemon=True)
        listener.start()
        consumer = WakeUpConsumer(app, [Lane.FAST], 1, hear)
        consumer.start()
        try:
            wait_for(lambda: consumer.is_connected)
            wait_for(lambda: told)
            yield app, told
        finally:
            consumer.stop()
            consumer.wait()
            receiver.should_stop = True
            listener.join(STOP_SECONDS)


def test_failed_work_is_a_failed_task_and_what_is_tried_again_a_retry(
    seen: tuple[Celery, dict[str, str]],
) -> None:
    app, told = seen
    line = BrokerConnection(app)
    for job_id in FOUND:
        line.publish(Message(Step.PLAN, Lane.FAST, job_id))
    line.close()
    wait_for(lambda: {"task-failed", "task-retried", "task-succeeded"} <= told.keys())
    assert "job fails, plan: damaged_document" in told["task-failed"]
    assert "job waits, plan: storage_unavailable" in told["task-retried"]


def test_more_than_a_few_set_backs_are_counted() -> None:
    troubles = TurnTroubles()
    troubles.note([set_back(f"j{number}", LOST, "damaged_document") for number in range(5)])
    with pytest.raises(WorkFailed, match="job j2, plan: damaged_document; and 2 more"):
        troubles.raise_for_celery()
