"""Faults of another kind: what shares the servers with an installation, and what is done to all of it at once."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import psycopg
import pytest
from redis import Redis

from bench.door import Door
from tests.cluster import cluster as clusters
from tests.cluster.cluster import LEASE_SECONDS, Cluster
from tests.cluster.s3 import S3
from tests.faults.conftest import start_all
from tests.faults.evidence import assert_completed_once, of_cluster
from tests.faults.scenes import book, finished, hand_in, hand_in_surely, page, settle
from tests.faults.test_long_neighbours import altered
from tests.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.long]
DOCUMENTS = 20
TAKEN, REFUSED = 202, 503
NONSENSE = (b"no JSON", b"{}", b"[1, 2, 3]", b'{"body": "!", "headers": {}, "properties": {}}')
CHUNKS_FIRST = "SELECT id FROM chunks WHERE state IN ('ready', 'running') ORDER BY id DESC FOR UPDATE"


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory, s3_server: S3) -> Iterator[Cluster]:
    """An API and two workers."""
    with clusters.running(tmp_path_factory.mktemp("town"), s3_server) as cluster:
        start_all(cluster, apis=1, workers=2)
        yield cluster


@pytest.fixture
def door(town: Cluster) -> Iterator[Door]:
    """A connection to the API."""
    with town.apis[0].door() as opened:
        yield opened


def assert_read(town: Cluster, ids: list[str]) -> None:
    """All were read once, and nothing was counted against them."""
    jobs = finished(town, ids)
    counted = {(job.counters.crashes, job.counters.errors, job.counters.lost) for job in jobs}
    assert ({job.status for job in jobs}, counted) == ({"completed"}, {(0, 0, 0)})
    assert_completed_once(of_cluster(town), ids)


def test_a_database_that_is_serializable_by_default_costs_no_job(town: Cluster) -> None:
    change = "SET default_transaction_isolation = 'serializable'"
    with altered(town, change, "RESET default_transaction_isolation"):
        assert_read(town, [hand_in_surely(town, page(), f"serial-{number}") for number in range(DOCUMENTS)])


def test_strangers_that_hold_every_connection_cost_no_job(town: Cluster, door: Door) -> None:
    with ExitStack() as stack:
        with suppress(psycopg.OperationalError):
            while True:
                stack.enter_context(psycopg.connect(town.database_url, connect_timeout=5))
        answers = [door.hand_in(page(), "a.pdf", None, providers="trial") for _ in range(DOCUMENTS)]
    assert {answer.status for answer in answers} <= {TAKEN, REFUSED}
    ids = [str(answer.json()["id"]) for answer in answers if answer.status == TAKEN]
    assert_read(town, [*ids, hand_in_surely(town, page(), "connections")])


def test_a_stranger_that_locks_rows_in_the_other_order_costs_no_job(town: Cluster) -> None:
    over = threading.Event()

    def lock_rows() -> None:
        while not over.is_set():
            with suppress(psycopg.errors.DeadlockDetected), psycopg.connect(town.database_url) as connection:
                connection.execute(CHUNKS_FIRST.encode())
                time.sleep(0.3)
                connection.execute("SELECT id FROM jobs WHERE finished_at IS NULL FOR UPDATE")

    thread = threading.Thread(target=lock_rows)
    thread.start()
    try:
        ids = [
            hand_in_surely(town, page("TRIAL:sleep:0.1"), f"locked-{number}") for number in range(DOCUMENTS)
        ]
        settle(town, ids)
    finally:
        over.set()
        thread.join()
    assert_read(town, ids)


def test_an_installation_that_is_suspended_as_a_whole_goes_on(town: Cluster, door: Door) -> None:
    ids = [hand_in(door, book(2, 2.0)), *(hand_in(door, page("TRIAL:sleep:0.5")) for _ in range(6))]
    everything = [town.postgres, town.redis, *town.programs]
    for program in everything:
        program.pause()
    time.sleep(2 * LEASE_SECONDS)
    for program in everything:
        program.resume()
    assert_read(town, ids)


def test_workers_and_leader_whose_rows_were_deleted_come_back(town: Cluster, door: Door) -> None:
    ids = [hand_in(door, page("TRIAL:sleep:0.5")) for _ in range(6)]
    with psycopg.connect(town.database_url) as connection:
        connection.execute("DELETE FROM workers")
        connection.execute("DELETE FROM leases")
    jobs = finished(town, ids)
    assert {job.status for job in jobs} == {"completed"}
    assert_completed_once(of_cluster(town), ids)
    for worker in town.workers:
        wait_for(lambda worker=worker: town.knows(worker.pid), what="it has no row")  # type: ignore[misc]
    wait_for(lambda: town.asked("SELECT 1 FROM leases"), what="no one leads")


def test_messages_that_are_nonsense_delay_documents_and_lose_none(town: Cluster, door: Door) -> None:
    with Redis.from_url(town.redis.url) as redis:
        for nonsense in NONSENSE:
            redis.lpush("fast", nonsense)
        assert_read(town, [hand_in(door, page()) for _ in range(DOCUMENTS)])
        redis.delete("fast")
        redis.set("fast", "a text where a list should be")
        assert_read(town, [hand_in(door, page()) for _ in range(DOCUMENTS)])
        redis.delete("fast")
    assert all(worker.is_alive for worker in town.workers)
