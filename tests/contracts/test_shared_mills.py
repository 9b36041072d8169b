"""Two mills on one database, as if they were on two machines."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import Connection, event

from pagemill.db import workers
from pagemill.desk import admin
from pagemill.desk.commands import cancel
from pagemill.entrypoints.api.database_calls import JobLookups, run_query
from pagemill.errors import IdempotencyKeyReused, NotFound
from pagemill.heartbeat import Heartbeat, worker_row
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.ids import new_id
from pagemill.model.states import Lane
from pagemill.steps.accept import Acceptance, accept
from pagemill.wiring import open_mill
from tests.mills import finished, hand_in, made, small_settings, submission
from tests.samples import letter
from tests.waiting import PATIENCE_SECONDS

DOCUMENT = letter()
KEY = Fernet.generate_key().decode()


@pytest.fixture
def mills(tmp_path: Path, postgres_url: str) -> Iterator[tuple[Mill, Mill]]:
    """Two mills that take no work."""
    shared = {"database_url": postgres_url, "secret_key": KEY, "slots": 1}
    one, other = (small_settings(tmp_path / name, **shared) for name in ("one", "other"))
    with open_mill(one, workers=False) as first, open_mill(other, workers=False) as second:
        yield first, second


def test_the_same_key_fifty_times_at_two_mills_makes_one_job(mills: tuple[Mill, Mill]) -> None:
    asked = [submission(mills[n % 2], DOCUMENT, idempotency_key="once") for n in range(50)]

    def ask(number: int) -> "Future[Acceptance]":
        mill = mills[number % 2]
        return mill.db.submit(lambda tx: accept(tx, mill, asked[number]))

    answers = [waiting.result(60) for waiting in [ask(number) for number in range(50)]]
    assert len({answer.job_id for answer in answers}) == 1
    assert len({answer.answer for answer in answers}) == 1
    assert [answer.replayed for answer in answers].count(False) == 1


def test_a_key_for_something_else_is_refused_by_the_other_mill(mills: tuple[Mill, Mill]) -> None:
    first, second = mills
    hand_in(first, DOCUMENT, idempotency_key="once")
    other = replace(submission(second, DOCUMENT, idempotency_key="once"), priority=3)
    with pytest.raises(IdempotencyKeyReused):
        second.db.write(lambda tx: accept(tx, second, other))


def test_whoever_watches_hears_what_happens_at_the_other_mill(mills: tuple[Mill, Mill]) -> None:
    here, there = mills
    job_id = hand_in(here, DOCUMENT).job_id

    async def watch() -> bool:
        here.notifier.attach(asyncio.get_running_loop())
        with here.notifier.subscribe(job_id) as listener:
            # A first ring says that the lookout has begun to watch.
            assert await listener.wait(PATIENCE_SECONDS)
            await run_query(cancel, there, DEFAULT_TENANT, job_id)
            return await listener.wait(PATIENCE_SECONDS)

    assert asyncio.run(watch())


def test_questions_do_not_hold_up_the_event_loop(mills: tuple[Mill, Mill]) -> None:
    asking, answer = threading.Event(), threading.Event()

    def slow(mill: Mill) -> bool:
        def question(_: Connection) -> bool:
            asking.set()
            return answer.wait(PATIENCE_SECONDS)

        return mill.db.read(question)

    async def ask() -> bool:
        asked = asyncio.ensure_future(run_query(slow, mills[0]))
        while not asking.is_set():  # noqa: ASYNC110 - set from another thread
            await asyncio.sleep(0.01)
        # Only a loop that goes on meanwhile can give the answer that the question waits for.
        answer.set()
        return await asked

    assert asyncio.run(ask())


def test_many_looks_at_once_take_few_questions_and_each_gets_its_own_answer(mills: tuple[Mill, Mill]) -> None:
    mill, askers = mills[0], list[str]()
    ids = [hand_in(mill, DOCUMENT).job_id for _ in range(5)]
    event.listen(mill.db.engine, "engine_connect", lambda _: askers.append(threading.current_thread().name))

    async def ask() -> list[object]:
        looks = JobLookups(mill)
        asked = [looks.job(DEFAULT_TENANT, job_id) for job_id in (*ids, new_id(), "no id") * 10]
        strange = looks.job("somebody", ids[0])
        return await asyncio.gather(*asked, strange, return_exceptions=True)

    *answers, strange = asyncio.run(ask())
    views = [answer for answer in answers if isinstance(answer, dict)]
    assert [view["id"] for view in views] == ids * 10
    assert all(isinstance(answer, NotFound) for answer in (*answers[5:7], strange))
    assert sum(name.startswith("pagemill-db") for name in askers) <= 3


def test_a_look_sees_what_was_written_before_it(mills: tuple[Mill, Mill]) -> None:
    here, there = mills
    job_id = hand_in(here, DOCUMENT).job_id

    async def ask() -> tuple[str, str]:
        looks = JobLookups(here)
        first = asyncio.ensure_future(looks.job(DEFAULT_TENANT, job_id))
        await asyncio.sleep(0)
        cancel(there, DEFAULT_TENANT, job_id)
        second = await looks.job(DEFAULT_TENANT, job_id)
        return (await first)["id"], second["status"]

    assert asyncio.run(ask()) == (job_id, "cancelled")


def test_whoever_leaves_takes_no_answer_from_the_others(mills: tuple[Mill, Mill]) -> None:
    job_id = hand_in(mills[0], DOCUMENT).job_id

    async def ask() -> str:
        looks = JobLookups(mills[0])
        leaving = asyncio.ensure_future(looks.job(DEFAULT_TENANT, job_id))
        staying = asyncio.ensure_future(looks.job(DEFAULT_TENANT, job_id))
        await asyncio.sleep(0)
        leaving.cancel()
        return (await staying)["id"]

    assert asyncio.run(ask()) == job_id


def test_a_database_that_can_no_longer_be_asked_is_told_to_all_who_look(mills: tuple[Mill, Mill]) -> None:
    mill = mills[0]
    assert mill.db.threads is not None
    mill.db.threads.shutdown()

    async def ask() -> list[object]:
        looks = JobLookups(mill)
        asked = [looks.job(DEFAULT_TENANT, new_id()) for _ in range(3)]
        return await asyncio.gather(*asked, return_exceptions=True)

    assert [type(answer) for answer in asyncio.run(ask())] == [RuntimeError] * 3


def test_a_drained_worker_whose_row_was_taken_away_drains_on(mills: tuple[Mill, Mill]) -> None:
    mill = mills[0]
    heartbeat = Heartbeat(mill, worker_row(mill, [Lane.FAST]))
    heartbeat.beat()
    admin.drain(mill.db, mill.worker_id)
    heartbeat.beat()
    mill.db.write(lambda tx: workers.remove(tx, mill.worker_id))
    heartbeat.beat()
    assert [one.draining for one in mill.db.read(workers.everyone)] == [True]


def test_a_document_is_read_with_its_rows_in_postgres(tmp_path: Path, postgres_url: str) -> None:
    settings = small_settings(tmp_path / "mill", database_url=postgres_url, secret_key=KEY, slots=1)
    with open_mill(settings) as mill:
        job_id = hand_in(mill, DOCUMENT).job_id
        assert finished(mill, job_id)["status"] == "completed"
        assert b"Dear reader" in made(mill, job_id)
        assert hand_in(mill, DOCUMENT).messages == ()
