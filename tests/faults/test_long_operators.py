"""Faults by hand: what operators do to an installation that works, and a disk that is full below its database."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import obstore
import psycopg
import pytest

from bench.door import Door
from tests.cluster import cluster as clusters
from tests.cluster.cluster import Cluster, pagemill
from tests.cluster.program import plain_environment
from tests.cluster.s3 import S3
from tests.faults.conftest import mounted_disk, start_all
from tests.faults.evidence import assert_completed_once, of_cluster
from tests.faults.scenes import book, finished, hand_in_surely, page, settle
from tests.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.long]
DISK_BYTES, BLOCK_BYTES = 250_000_000, 1_000_000
# The log of the database needs no more than this of the disk.
SMALL_LOG = {"max_wal_size": "48MB", "min_wal_size": "32MB"}
TAKEN, DATABASE_AWAY, DISK_FULL = 202, 503, 507
COLUMNS = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2"
CHANGING_TABLES = (
    "SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database "
    "WHERE datname = current_database() AND mode = 'AccessExclusiveLock'"
)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory, s3_server: S3) -> Iterator[Cluster]:
    """An API and two workers."""
    with clusters.running(tmp_path_factory.mktemp("town"), s3_server, blobs_missing_seconds=10) as cluster:
        start_all(cluster, apis=1, workers=2)
        yield cluster


@pytest.fixture
def door(town: Cluster) -> Iterator[Door]:
    """A connection to the API."""
    with town.apis[0].door() as opened:
        yield opened


def command(cluster: Cluster, *words: str, **settings: str) -> "subprocess.Popen[str]":
    """A command of the operator that runs."""
    environment = plain_environment() | cluster.environment("operator", **settings)
    return subprocess.Popen(
        [pagemill(), "admin", *words],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def administer(cluster: Cluster, *words: str, **settings: str) -> str:
    """What a command of the operator prints."""
    process = command(cluster, *words, **settings)
    printed, _ = process.communicate()
    assert process.returncode == 0, printed
    return printed.strip()


def test_a_bucket_that_was_emptied_is_told_and_filled_again(town: Cluster) -> None:
    read = hand_in_surely(town, page(), "read")
    settle(town, [read])
    administer(town, "pause", "fast")
    waiting = hand_in_surely(town, page(), "waiting")
    obstore.delete(town.s3.store(), [f"{town.prefix}/{key}" for key in town.object_keys()])
    administer(town, "resume", "fast")
    [job] = finished(town, [waiting])
    assert (job.status, job.error and job.error.code) == ("failed", "stored_file_missing")
    with town.apis[0].door() as door:
        assert door.get(f"/v1/jobs/{read}/markdown").status == 410
    # One that starts now finds a bucket that does not say whose it is.
    town.worker().stop()
    again = [hand_in_surely(town, page(), f"again-{number}") for number in range(3)]
    assert {job.status for job in finished(town, again)} == {"completed"}
    assert_completed_once(of_cluster(town), again)


def test_an_api_with_other_settings_takes_documents_as_its_own_say(town: Cluster, door: Door) -> None:
    other = town.api(providers="pdfium", lease_seconds=30, chunk_pages=8, max_pages=100)
    with other.door() as second:
        plain = second.hand_in(page(), "a.pdf").expect(202).json()["id"]
        key = {"Idempotency-Key": "either"}
        body = page()
        ids = {
            one.hand_in(body, "a.pdf", key, providers="trial").expect(202).json()["id"]
            for one in (door, second)
        }
        assert len(ids) == 1
        jobs = finished(town, [plain, *ids])
    town.dismiss(other)
    assert {job.status for job in jobs} == {"completed"}
    assert_completed_once(of_cluster(town), [job.id for job in jobs])


def test_a_migration_that_is_killed_leaves_nothing_half_done(town: Cluster) -> None:
    url = town.postgres.new_database()
    kills = 0
    with psycopg.connect(url, autocommit=True) as connection:
        for _ in range(5):
            process = command(town, "migrate", database_url=url)
            while process.poll() is None and not connection.execute(CHANGING_TABLES.encode()).fetchall():
                continue
            kills += process.poll() is None
            process.kill()
            process.communicate()
            assert connection.execute(COLUMNS.encode()).fetchall() == []
        assert kills == 5
        administer(town, "migrate", database_url=url)
        assert connection.execute(COLUMNS.encode()).fetchall() == town.asked(COLUMNS)


def test_a_tenant_that_is_deleted_while_its_documents_are_read_is_gone(town: Cluster) -> None:
    keys = [administer(town, "keys", "add", tenant, "laptop") for tenant in ("leaving", "staying")]
    leaving, staying = ({"Authorization": f"Bearer {key.split()[-1]}"} for key in keys)
    api = town.api(api_key="operator")
    with api.door() as door:

        def send(body: bytes, headers: dict[str, str]) -> str:
            answer = door.hand_in(body, "a.pdf", headers, providers="trial")
            return str(answer.expect(202).json()["id"])

        for _ in range(6):
            send(page("TRIAL:sleep:1"), leaving)
        send(book(4, 2.0), leaving)
        kept = [send(page("TRIAL:sleep:0.2"), staying) for _ in range(6)]
        wait_for(lambda: town.asked("SELECT 1 FROM chunks WHERE tenant = 'leaving' AND state = 'running'"))
        administer(town, "tenants", "delete", "leaving", "--yes")
        assert door.hand_in(page(), "a.pdf", leaving).status == 401
    town.dismiss(api)
    settle(town, kept)
    assert town.asked("SELECT status FROM jobs WHERE tenant = 'staying' GROUP BY 1") == [("completed",)]
    assert_completed_once(of_cluster(town), kept)
    wait_for(lambda: not town.asked("SELECT 1 FROM chunks WHERE state IN ('ready', 'running')"))
    for table in ("jobs", "chunks", "documents", "results", "events"):
        assert town.asked(f"SELECT count(*) FROM {table} WHERE tenant = 'leaving'") == [(0,)], table
    assert all(program.is_alive for program in town.programs)


def test_a_database_without_disk_space_refuses_and_loses_nothing(tmp_path: Path, s3_server: S3) -> None:
    (tmp_path / "town").mkdir()
    with (
        mounted_disk(tmp_path / "town" / "database", DISK_BYTES) as disk,
        clusters.running(tmp_path / "town", s3_server, database_options=SMALL_LOG) as town,
    ):
        start_all(town, apis=1, workers=2)
        ids = [hand_in_surely(town, page("TRIAL:sleep:0.5"), f"before-{number}") for number in range(10)]
        ballast = disk / "ballast"
        fill(ballast)
        with town.apis[0].door() as door:
            answers = [door.hand_in(page(), "a.pdf", None, providers="trial") for _ in range(400)]
        seen = {answer.status for answer in answers}
        ids += [str(answer.json()["id"]) for answer in answers if answer.status == TAKEN]
        ballast.unlink()
        if not town.postgres.is_alive:
            town.postgres.start()
        ids.append(hand_in_surely(town, page(), "after"))
        jobs = finished(town, ids)
        assert {job.status for job in jobs} == {"completed"}
        assert_completed_once(of_cluster(town), ids)
    assert seen <= {TAKEN, DATABASE_AWAY, DISK_FULL}
    assert len(seen) > 1


def fill(ballast: Path) -> None:
    """Write a file until the disk is full."""
    block = bytes(BLOCK_BYTES)
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(block):
                continue
        except OSError:
            return
