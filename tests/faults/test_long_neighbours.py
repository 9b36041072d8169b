"""Faults beside those of the table: what administrators, poolers, failovers and rotated keys do to an installation."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg
import pytest
from redis import Redis

from bench.door import Door
from bench.ports import free_port
from tests.cluster import cluster as clusters
from tests.cluster.bad_bucket import bad_bucket
from tests.cluster.cluster import Cluster
from tests.cluster.proxy import FAIR, Way, Weather, between
from tests.cluster.s3 import S3
from tests.faults.evidence import assert_completed_once, of_cluster
from tests.faults.scenes import finished, hand_in, hand_in_surely, page, settle
from tests.faults.test_machines_on_cluster import status_of
from tests.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.long]
TAKEN, REFUSED = 202, 503
TRIES = 10
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory, s3_server: S3) -> Iterator[Cluster]:
    """An API and two workers."""
    with clusters.running(tmp_path_factory.mktemp("town"), s3_server, blobs_timeout_seconds=2) as cluster:
        programs = [cluster.new_api(), cluster.new_worker(), cluster.new_worker()]
        for program in programs:
            program.launch()
        for program in programs:
            program.wait_until_up()
        yield cluster


@pytest.fixture
def door(town: Cluster) -> Iterator[Door]:
    """A connection to the API."""
    with town.apis[0].door() as opened:
        yield opened


def name_of(town: Cluster) -> str:
    """The name of the database."""
    return town.database_url.rpartition("/")[2]


def administer(town: Cluster, *statements: str) -> None:
    """Do what only an administrator does, and cut all connections, as a restart or a failover would."""
    with psycopg.connect(town.postgres.url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())
        connection.execute(CUT.encode(), [name_of(town)])


@contextmanager
def altered(town: Cluster, change: str, back: str) -> Iterator[None]:
    """The database with another property until the block ends."""
    name = f'ALTER DATABASE "{name_of(town)}"'
    administer(town, f"{name} {change}")
    try:
        yield
    finally:
        administer(town, f"{name} {back}")


def answers(door: Door) -> list[int]:
    """What the API answers to some documents."""
    return [door.hand_in(page(), "a.pdf", None, providers="trial").status for _ in range(TRIES)]


def assert_works(town: Cluster, key: str) -> None:
    """A document that is handed in now is read, and nothing was counted against it."""
    job_id = hand_in_surely(town, page(), key)
    [job] = finished(town, [job_id])
    counted = (job.counters.crashes, job.counters.errors, job.counters.lost)
    assert (job.status, counted) == ("completed", (0, 0, 0))
    assert_completed_once(of_cluster(town), [job_id])


@pytest.mark.parametrize(
    ("change", "back"),
    [
        ("SET default_transaction_read_only = on", "RESET default_transaction_read_only"),
        (
            "WITH CONNECTION LIMIT 0 ALLOW_CONNECTIONS false",
            "WITH CONNECTION LIMIT -1 ALLOW_CONNECTIONS true",
        ),
    ],
)
def test_a_database_that_takes_no_writes_or_no_connections_is_an_outage(
    town: Cluster, door: Door, change: str, back: str
) -> None:
    with altered(town, change, back):
        assert set(answers(door)) == {REFUSED}
        assert door.get("/health").status == 200
    assert_works(town, change)


def test_rights_that_were_taken_away_and_given_back_are_an_outage(town: Cluster, door: Door) -> None:
    with psycopg.connect(town.database_url, autocommit=True) as connection:
        connection.execute("ALTER TABLE idempotency_keys RENAME TO hidden_keys")
        headers = {"Idempotency-Key": "hidden"}
        refused = door.hand_in(page(), "a.pdf", headers, providers="trial").status
        connection.execute("ALTER TABLE hidden_keys RENAME TO idempotency_keys")
    assert refused == REFUSED
    assert_works(town, "hidden")


def test_connections_that_an_administrator_ends_again_and_again_cost_no_job(town: Cluster) -> None:
    ids = []
    for number in range(TRIES):
        ids.append(hand_in_surely(town, page(), f"cut-{number}"))
        administer(town)
    jobs = finished(town, ids)
    assert {(job.status, job.counters.errors) for job in jobs} == {("completed", 0)}
    assert_completed_once(of_cluster(town), ids)


def test_a_job_that_somebody_holds_in_the_database_delays_no_other(town: Cluster, door: Door) -> None:
    held, *others = (hand_in(door, page("TRIAL:sleep:0.2")) for _ in range(TRIES))
    with psycopg.connect(town.database_url) as connection:
        connection.execute("SELECT 1 FROM jobs WHERE id = %s FOR UPDATE", [held])
        settle(town, others)
    settle(town, [held])
    assert_completed_once(of_cluster(town), [held, *others])


@pytest.mark.parametrize(
    ("acts", "back"),
    [
        (["REPLICAOF 127.0.0.1 1"], ["REPLICAOF NO ONE"]),
        (["CONFIG SET maxmemory 1", "CONFIG SET maxmemory-policy noeviction"], ["CONFIG SET maxmemory 0"]),
        (["FLUSHALL", "CLIENT KILL TYPE normal"], []),
    ],
    ids=["replica", "memory", "replaced"],
)
def test_a_broker_that_takes_nothing_delays_documents_and_loses_none(
    town: Cluster, door: Door, acts: Sequence[str], back: Sequence[str]
) -> None:
    before = lines_of_workers(town)
    with Redis.from_url(town.redis.url) as redis:
        for act in acts:
            redis.execute_command(*act.split())
        taken = answers(door)
        assert set(taken) == {TAKEN}
        settle(town, [str(row[0]) for row in town.asked("SELECT id FROM jobs")])
        for act in back:
            redis.execute_command(*act.split())
    assert lines_of_workers(town) - before < 400, "the log says it again and again"
    assert_works(town, f"broker-{acts[0]}")


def lines_of_workers(town: Cluster) -> int:
    """How much the workers have logged."""
    return sum(len(worker.log.read_text("utf-8").splitlines()) for worker in town.workers)


@pytest.mark.parametrize("trouble", ["forbidden", "slow_down"])
def test_a_bucket_that_refuses_a_worker_counts_against_no_document(
    town: Cluster, door: Door, trouble: str
) -> None:
    with bad_bucket(town.s3.url, 0.0) as bucket:
        worker = town.new_worker()
        worker.environment["AWS_ENDPOINT_URL"] = bucket.url
        worker.start()
        for other in town.workers[:2]:
            other.stop()
        bucket.always = trouble
        job_id = hand_in(door, page())
        wait_for(lambda: bucket.troubles[trouble] > 3, what="the worker asks for nothing")
        bucket.always = ""
        [job] = finished(town, [job_id])
        assert (job.status, job.counters.errors, job.counters.crashes) == ("completed", 0, 0)
        town.revive()
        worker.kill()
    town.workers.remove(worker)
    for other in town.workers:
        other.wait_until_up()


def test_a_slow_bucket_is_waited_for(town: Cluster, door: Door) -> None:
    with between(town.s3.url) as proxy:
        worker = town.new_worker()
        worker.environment["AWS_ENDPOINT_URL"] = proxy.url_through(town.s3.url)
        worker.start()
        for other in town.workers[:2]:
            other.stop()
        proxy.weather = Weather(latency_seconds=0.7)
        [job] = finished(town, [hand_in(door, page())])
        assert (job.status, job.counters.errors) == ("completed", 0)
        town.revive()
        worker.kill()
    town.workers.remove(worker)
    for other in town.workers:
        other.wait_until_up()


def test_a_worker_whose_connections_to_the_database_are_half_open_recovers(town: Cluster, door: Door) -> None:
    port = free_port()
    with between(town.database_url) as proxy:
        worker = town.new_worker(database_url=proxy.url_through(town.database_url), metrics_port=port)
        worker.start()
        proxy.weather = Weather(Way.BLACKHOLE)
        jobs = finished(town, [hand_in(door, page()) for _ in range(TRIES)])
        assert {job.status for job in jobs} == {"completed"}
        wait_for(lambda: not town.knows(worker.pid), what="its row stays")
        assert status_of(port, "/health") == 200, "it must not be restarted for the fault of another"
        proxy.weather = FAIR
        proxy.cut()
        wait_for(lambda: town.knows(worker.pid), what="it does not come back")
        wait_for(lambda: status_of(port, "/ready") == 200, what="it does not become ready")
        worker.kill()
    town.workers.remove(worker)


def test_workers_with_one_name_and_one_folder_do_not_take_each_other_for_the_same(
    town: Cluster, door: Door
) -> None:
    folder = str(town.folder / "one folder")
    pair = [town.new_worker(data_dir=folder) for _ in range(2)]
    pair[0].start()
    pair[1].launch()
    wait_for(
        lambda: not pair[1].is_alive or town.knows(pair[1].pid), what="it neither works nor says why not"
    )
    jobs = finished(town, [hand_in(door, page()) for _ in range(TRIES)])
    assert {(job.status, job.counters.lost) for job in jobs} == {("completed", 0)}
    for worker in pair:
        worker.kill()
        town.workers.remove(worker)


def test_tables_of_a_newer_version_are_left_as_they_are(town: Cluster) -> None:
    [(version,)] = town.asked("SELECT version_num FROM alembic_version")
    with psycopg.connect(town.database_url, autocommit=True) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        town.workers[0].stop()
        town.workers[0].start()
        assert_works(town, "newer")
        connection.execute("UPDATE alembic_version SET version_num = %s", [version])
