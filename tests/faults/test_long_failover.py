"""A replica that takes over and lacks the last seconds, and a database whose clock is set."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from bench.ports import free_port
from tests.cluster import cluster as clusters
from tests.cluster.cluster import LEASE_SECONDS, Cluster
from tests.cluster.postgres import Postgres, answers, binary, unprivileged
from tests.cluster.proxy import FaultProxy, Way, Weather, between
from tests.cluster.s3 import S3
from tests.faults.conftest import start_all
from tests.faults.evidence import assert_completed_once, of_cluster
from tests.faults.machine_rows import BETWEEN
from tests.faults.notes import note
from tests.faults.scenes import book, finished, hand_in, hand_in_surely, page, reader_of, settle
from tests.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.long]
LOST_SECONDS = 4.0
HOUR_SECONDS, YEAR_SECONDS = 3_600, 31_536_000
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")


@contextmanager
def replica_of(primary: Postgres, proxy: FaultProxy, folder: Path) -> Iterator[Postgres]:
    """A replica that streams from a server through a proxy."""
    folder.mkdir()
    os.chmod(folder, 0o777)
    files, port = folder / "postgres", free_port()
    source = f"host=127.0.0.1 port={proxy.port} user=postgres"
    copy = [str(binary("pg_basebackup")), "-d", source, "-D", str(files), "-R", "-X", "stream", "--no-sync"]
    subprocess.run([*unprivileged(), *copy, "--checkpoint=fast"], check=True, capture_output=True)
    place = primary.command.index("-p") + 1
    command = [*primary.command[:place], str(port), *primary.command[place + 1 :]]
    command[command.index("-D") + 1] = str(files)
    url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
    replica = Postgres(
        command, url, folder / "postgres.log", lambda: answers(url), stop_signal=primary.stop_signal
    )
    try:
        replica.start()
        yield replica
    finally:
        replica.kill()


def test_a_replica_that_lacks_the_last_seconds_takes_over(cluster: Cluster, tmp_path: Path) -> None:
    with (
        between(cluster.database_url) as clients,
        between(cluster.database_url) as stream,
        replica_of(cluster.postgres, stream, tmp_path / "replica") as replica,
    ):
        primary, cluster.database_url = cluster.database_url, clients.url_through(cluster.database_url)
        start_all(cluster, apis=1, workers=2)
        with cluster.apis[0].door() as door:
            ids = [hand_in(door, book(6, 1.0)), *(hand_in(door, page("TRIAL:sleep:0.5")) for _ in range(20))]
            wait_for(lambda: rows_of(primary, "SELECT 1 FROM chunks WHERE state = 'running'"))
            wait_for(lambda: rows_of(on(replica, primary), "SELECT 1 FROM chunks WHERE state = 'running'"))
            stream.weather = Weather(Way.BLACKHOLE)
            time.sleep(LOST_SECONDS)
            late = hand_in(door, page())
            known = rows_of(primary, "SELECT count(*) FROM chunks WHERE state = 'done'")[0][0]
            cluster.postgres.kill()
        stream.cut()
        assert replica.url
        with psycopg.connect(replica.url, autocommit=True) as connection:
            connection.execute("SELECT pg_promote()")
        [(left,)] = rows_of(on(replica, primary), "SELECT count(*) FROM chunks WHERE state = 'done'")
        assert left < known, "it lacks nothing, so this shows nothing"
        began = time.monotonic()
        clients.target = ("127.0.0.1", int(replica.url.rpartition(":")[2].split("/")[0]))
        clients.cut()
        jobs = finished(cluster, ids)
        assert {(job.status, job.counters.lost, job.counters.errors) for job in jobs} == {("completed", 0, 0)}
        assert_completed_once(of_cluster(cluster), ids)
        with cluster.apis[0].door() as door:
            assert door.get(f"/v1/jobs/{late}").status == 404
        took = time.monotonic() - began
        hand_in_surely(cluster, page(), "after")
        note(
            BETWEEN + 4,
            f"a replica lacked {known - left} finished chunks; all done {took:.0f} s later, nothing counted",
        )


def on(server: Postgres, url: str) -> str:
    """The same database on another server."""
    return server.url.removesuffix("postgres") + url.rpartition("/")[2]


def rows_of(url: str, query: str) -> list[tuple[int, ...]]:
    """What a query finds past pagemill; nothing as long as the tables are not there."""
    try:
        with psycopg.connect(url, connect_timeout=5) as connection:
            return connection.execute(query.encode()).fetchall()
    except psycopg.errors.UndefinedTable:
        return []


@pytest.fixture
def settable(tmp_path: Path, s3_server: S3) -> Iterator[tuple[Cluster, Path]]:
    """An installation whose database has a clock that a file sets."""
    if not FAKETIME.exists():
        pytest.skip("libfaketime is missing: apt-get install libfaketime")
    clock = tmp_path / "clock"
    set_clock(clock, 0)
    with clusters.running(tmp_path / "cluster", s3_server) as cluster:
        cluster.postgres.stop()
        cluster.postgres.environment |= {
            "LD_PRELOAD": str(FAKETIME),
            "FAKETIME_TIMESTAMP_FILE": str(clock),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        cluster.postgres.start()
        start_all(cluster, apis=1, workers=2)
        yield cluster, clock


def set_clock(clock: Path, ahead_seconds: int) -> None:
    """Have the database's clock go so far ahead of, or behind, the true time."""
    clock.write_text(f"{ahead_seconds:+d}\n")
    clock.chmod(0o644)


def wait_for_clock(cluster: Cluster, ahead_seconds: int) -> None:
    """Return once the database tells the new time."""

    def is_set() -> bool:
        [(now,)] = cluster.asked("SELECT extract(epoch FROM clock_timestamp())::float")
        return abs(float(str(now)) - time.time() - ahead_seconds) < 60

    wait_for(is_set, what="the clock of the database is as it was")


def test_the_clock_of_the_database_goes_back_an_hour_and_a_worker_is_killed(
    settable: tuple[Cluster, Path],
) -> None:
    cluster, clock = settable
    with cluster.apis[0].door() as door:
        ids = [hand_in(door, book(4, 1.0)), *(hand_in(door, page("TRIAL:sleep:0.3")) for _ in range(10))]
    worker = reader_of(cluster, ids[0])
    set_clock(clock, -HOUR_SECONDS)
    wait_for_clock(cluster, -HOUR_SECONDS)
    worker.kill()
    died = time.monotonic()
    jobs = finished(cluster, ids)
    assert {(job.status, job.counters.errors) for job in jobs} == {("completed", 0)}
    assert max(job.counters.lost for job in jobs) <= 1
    assert_completed_once(of_cluster(cluster), ids)
    note(
        BETWEEN + 9,
        f"PostgreSQL an hour back: all done {time.monotonic() - died:.0f} s after the kill at a lease of {LEASE_SECONDS:.0f} s",
    )


def test_a_clock_that_leaps_ahead_for_a_while_removes_nothing(settable: tuple[Cluster, Path]) -> None:
    cluster, clock = settable
    [api] = cluster.apis
    with api.door() as door:
        before = hand_in(door, page())
    settle(cluster, [before])
    api.stop()
    set_clock(clock, YEAR_SECONDS)
    wait_for_clock(cluster, YEAR_SECONDS)
    # It leads the upkeep, and asks for the time when it starts.
    api.start()
    meanwhile = hand_in_surely(cluster, page(), "meanwhile")
    settle(cluster, [meanwhile])
    wait_for(lambda: cluster.asked("SELECT 1 FROM leases"), what="no one leads the upkeep")
    time.sleep(LEASE_SECONDS)
    set_clock(clock, 0)
    wait_for_clock(cluster, 0)
    after = hand_in_surely(cluster, page(), "after")
    assert {job.status for job in finished(cluster, [before, meanwhile, after])} == {"completed"}
    with api.door() as door:
        assert door.get(f"/v1/jobs/{before}/markdown").status == 200
