"""A database that restarts, is away, is locked or changes its tables: 503 and no 500, and everything goes on."""

import threading
import time
from contextlib import suppress

import psycopg
import pytest

from tests.cluster.cluster import Cluster
from tests.faults.conftest import start_all
from tests.faults.evidence import assert_completed_once, of_cluster
from tests.faults.notes import note
from tests.faults.scenes import (
    Timed,
    assert_all_is_well,
    book,
    finished,
    hand_in_surely,
    page,
    percentile,
    timed,
)
from tests.waiting import Late, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.long]
DOWN_SECONDS, LOCKED_SECONDS = 60.0, 10.0
LATER_TABLES = (
    "ALTER TABLE jobs ADD COLUMN colour text",
    "ALTER TABLE chunks ADD COLUMN weight integer NOT NULL DEFAULT 1",
    "ALTER TABLE documents ADD COLUMN origin text",
    "CREATE TABLE later (id text PRIMARY KEY, job_id text REFERENCES jobs (id))",
    "CREATE INDEX CONCURRENTLY later_events ON events (type, job_id)",
)


def test_a_database_that_crashes_again_and_again_loses_nothing(cluster: Cluster) -> None:
    start_all(cluster, apis=2, workers=2)
    ids, over = list[str](), threading.Event()

    def load() -> None:
        while not over.is_set():
            ids.append(hand_in_surely(cluster, page(), f"load{len(ids)}"))

    long_one = hand_in_surely(cluster, book(6, 1.0), "long")
    client = threading.Thread(target=load)
    client.start()
    for _ in range(3):
        time.sleep(2)
        cluster.postgres.kill()
        cluster.postgres.start()
    over.set()
    client.join()
    started = time.monotonic()
    jobs = finished(cluster, [long_one, *ids])
    assert {(job.status, job.counters.crashes, job.counters.errors) for job in jobs} == {("completed", 0, 0)}
    assert [program for program in cluster.programs if not program.is_alive] == []
    assert_all_is_well(cluster, [long_one, *ids])
    note(
        17,
        f"three crashes, {len(ids) + 1} jobs, none lost; all done {time.monotonic() - started:.0f} s later",
    )


def test_a_minute_without_database_is_told_to_callers_and_then_forgotten(cluster: Cluster) -> None:
    start_all(cluster, apis=1, workers=2)
    job_id = hand_in_surely(cluster, book(6, 1.0), "long")
    wait_for(lambda: cluster.asked("SELECT 1 FROM chunks WHERE state = 'running' AND step = 'extract'"))
    cluster.postgres.kill()
    refused, health, ready = list[Timed](), list[Timed](), list[Timed]()
    end = time.monotonic() + DOWN_SECONDS
    with cluster.apis[0].door() as door:
        while time.monotonic() < end:
            refused.append(timed(lambda: door.hand_in(page(), "a.pdf")))
            refused.append(timed(lambda: door.get(f"/v1/jobs/{job_id}")))
            health.append(timed(lambda: door.get("/health")))
            ready.append(timed(lambda: door.get("/ready")))
            time.sleep(1)
    assert {one.answer.status if one.answer else 0 for one in health} == {200}
    assert {one.answer.status if one.answer else 0 for one in ready} == {503}
    assert {one.answer.status if one.answer else 0 for one in refused} == {503}
    slowest = percentile([one.seconds for one in refused], 99)
    cluster.postgres.start()
    back = time.monotonic()
    [job] = finished(cluster, [job_id])
    seconds = time.monotonic() - back
    assert (job.status, job.counters.crashes, job.counters.errors) == ("completed", 0, 0)
    assert_all_is_well(cluster, [job_id])
    assert slowest < 2.0
    note(18, f"503 within {slowest:.1f} s (p99); the job was done {seconds:.0f} s after its return")


def test_tables_that_are_locked_are_waited_for(cluster: Cluster) -> None:
    start_all(cluster, apis=1, workers=1)
    answers = list[Timed]()
    with psycopg.connect(cluster.database_url) as holder, cluster.apis[0].door() as door:
        holder.execute("LOCK TABLE jobs, chunks, workers IN ACCESS EXCLUSIVE MODE")
        end = time.monotonic() + LOCKED_SECONDS
        while time.monotonic() < end:
            answers.append(timed(lambda: door.hand_in(page(), "a.pdf", None, providers="trial")))
        holder.rollback()
    assert {one.answer.status if one.answer else 0 for one in answers} <= {202, 503}
    job_id = hand_in_surely(cluster, page(), "after")
    finished(cluster, [job_id])
    assert_completed_once(of_cluster(cluster), [job_id])
    note(19, f"tables locked for 10 s: {len(answers)} answers, each 202 or 503")


def test_tables_that_grow_while_machines_run_disturb_nobody(cluster: Cluster) -> None:
    start_all(cluster, apis=1, workers=1)
    ids = [hand_in_surely(cluster, book(4, 1.0), "long")]
    for number, change in enumerate(LATER_TABLES):
        applied(cluster, change)
        ids.append(hand_in_surely(cluster, page(), f"during{number}"))
    jobs = finished(cluster, ids)
    assert {(job.status, job.counters.errors) for job in jobs} == {("completed", 0)}
    cluster.worker()
    late = hand_in_surely(cluster, page(), "late")
    finished(cluster, [late])
    assert_all_is_well(cluster, [*ids, late])
    note(42, "columns, a table and an index were added under way; no job noticed")


def applied(cluster: Cluster, change: str) -> None:
    """Change the tables, giving way to those who work as a careful migration does."""
    for _ in range(50):
        with psycopg.connect(cluster.database_url, autocommit=True) as connection:
            connection.execute("SET lock_timeout = '300ms'")
            with suppress(psycopg.errors.LockNotAvailable):
                connection.execute(change.encode())
                return
        time.sleep(0.1)
    raise Late(change)
