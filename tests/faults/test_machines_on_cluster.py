"""Faults between machines on real processes of PostgreSQL, Redis and S3, with workers that are killed, differ or are sick."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection

import obstore
import psycopg
import pytest

from bench.door import Door
from bench.ports import free_port
from pagemill.client.shapes import Job
from pagemill.db.postgres import PostgresDatabase
from pagemill.desk.admin import StuckLimits, find_stuck_work
from tests.cluster import cluster as clusters
from tests.cluster.bad_bucket import bad_bucket
from tests.cluster.cluster import LEASE_SECONDS, ROOT, Cluster, pagemill
from tests.cluster.program import Program, plain_environment
from tests.cluster.proxy import FAIR, Way, Weather, between
from tests.cluster.s3 import S3
from tests.faults.evidence import assert_completed_once, of_cluster
from tests.faults.machine_rows import BETWEEN
from tests.faults.notes import note
from tests.faults.scenes import book, finished, hand_in, page, reader_of, settle
from tests.trial_provider import VERSION_VARIABLE
from tests.waiting import wait_for

pytestmark = pytest.mark.slow
HOUR_SECONDS = 3_600
LATE_SECONDS = 6.0
DAMAGED = 'pagemill_blob_errors_total{kind="WrongBytes"}'
FLEET = 2
COPIED = (
    "job_id, tenant, run, priority, single, handed_pages, small, fence, not_before, crashes, errors, lost,"
    " failed_pages, created_at"
)
NO_LIMITS = StuckLimits(HOUR_SECONDS, HOUR_SECONDS, HOUR_SECONDS)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory, s3_server: S3) -> Iterator[Cluster]:
    """An API and two workers."""
    with clusters.running(tmp_path_factory.mktemp("fleet"), s3_server) as cluster:
        cluster.new_api()
        for _ in range(FLEET):
            cluster.new_worker()
        for program in cluster.programs:
            program.launch()
        for program in cluster.programs:
            program.wait_until_up()
        yield cluster


@pytest.fixture(autouse=True)
def whole(fleet: Cluster) -> Iterator[None]:
    """Each test begins with these and no other workers."""
    fleet.revive()
    for program in fleet.programs:
        program.wait_until_up()
    yield
    for worker in fleet.workers[FLEET:]:
        worker.kill()
    del fleet.workers[FLEET:]


@pytest.fixture
def door(fleet: Cluster) -> Iterator[Door]:
    """A connection to the API."""
    with fleet.apis[0].door() as opened:
        yield opened


def completed(fleet: Cluster, door: Door, body: bytes) -> Job:
    """The job of a document, once it is done."""
    [job] = finished(fleet, [hand_in(door, body)])
    assert job.status == "completed"
    return job


def key_of(fleet: Cluster, job_id: str, name: str) -> str:
    """Where a file of a job's result is in the bucket."""
    query = "SELECT results.prefix FROM results JOIN jobs ON jobs.result_id = results.id WHERE jobs.id = %s"
    [(prefix,)] = fleet.asked(query, job_id)
    return f"{fleet.prefix}/{prefix}/{name}"


def change(fleet: Cluster, statement: str, *values: object) -> None:
    """Change rows past pagemill."""
    with psycopg.connect(fleet.database_url) as connection:
        connection.execute(statement.encode(), values)


def trouble_of(fleet: Cluster, worker: Program) -> object:
    """What keeps a worker from working, as its row has it."""
    return fleet.asked("SELECT trouble FROM workers WHERE pid = %s", worker.pid)[0][0]


def test_two_installations_do_not_share_a_bucket(fleet: Cluster, door: Door) -> None:
    job = completed(fleet, door, page())
    before = fleet.object_keys()
    second = fleet.new_api(database_url=fleet.postgres.new_database(), orphan_seconds=1)
    second.launch()
    wait_for(lambda: not second.is_alive, what="it goes on with files of another installation")
    fleet.apis.remove(second)
    assert "pagemill admin adopt" in second.log.read_text("utf-8")
    assert before <= fleet.object_keys()
    door.get(f"/v1/jobs/{job.id}/markdown").expect(200)


def test_a_result_that_the_bucket_has_lost_is_gone_and_the_document_is_read_again(
    fleet: Cluster, door: Door
) -> None:
    body = page()
    first, second = completed(fleet, door, body), completed(fleet, door, page())
    for job in (first, second):
        obstore.delete(fleet.s3.store(), key_of(fleet, job.id, "document.md"))
    assert door.get(f"/v1/jobs/{first.id}/markdown").status == 410
    query = "/v1/jobs?filename=a.pdf&formats=markdown,json&providers=trial"
    again = str(door.post(query, body, {"Content-Type": "application/pdf"}).expect(202, 200).json()["id"])
    [job] = finished(fleet, [again])
    assert (job.status, job.reused) == ("completed", False)
    door.get(f"/v1/jobs/{again}/markdown").expect(200)
    command = [pagemill(), "admin", "verify", "--repair"]
    environment = plain_environment() | fleet.environment("verify")
    subprocess.run(command, check=False, env=environment, cwd=ROOT, capture_output=True)
    wait_for(lambda: door.get(f"/v1/jobs/{second.id}/markdown").status == 200, what="it is not read again")


def test_a_run_stays_with_the_engine_that_began_it_or_is_read_again(fleet: Cluster, door: Door) -> None:
    newer = fleet.new_worker()
    newer.environment[VERSION_VARIABLE] = "2"
    newer.start()
    job_id = hand_in(door, book(4, 1.0))
    reader = wait_for(lambda: reader_of(fleet, job_id))
    others = [one for one in fleet.workers if (one is newer) != (reader is newer)]
    of_others = (
        "SELECT count(*) FROM chunks JOIN workers ON workers.id = chunks.worker_id"
        " WHERE job_id = %s AND pid = ANY(%s)"
    )
    assert fleet.asked(of_others, job_id, [one.pid for one in others]) == [(0,)]
    gone = [one for one in fleet.workers if one not in others]
    for worker in gone:
        worker.kill()
    [job] = finished(fleet, [job_id])
    assert (job.status, job.run, job.failed_pages) == ("completed", 2, ())
    assert_completed_once(of_cluster(fleet), [job_id])
    note(BETWEEN + 3, "the run of the older engine was read again as a whole by the newer")


def test_claims_that_a_failover_brought_back_are_given_back(fleet: Cluster, door: Door) -> None:
    job_id = completed(fleet, door, page()).id
    [(worker_id,)] = fleet.asked("SELECT id FROM workers WHERE pid = %s", fleet.workers[0].pid)
    # As the rows were seconds before: claimed by a worker that has recorded it since.
    change(fleet, "DELETE FROM chunks WHERE job_id = %s AND step <> 'plan'", job_id)
    running = "UPDATE chunks SET state = 'running', finished_at = NULL, worker_id = %s WHERE job_id = %s"
    change(fleet, running, worker_id, job_id)
    pending = "UPDATE jobs SET status = 'processing', result_id = NULL, finished_at = NULL WHERE id = %s"
    change(fleet, pending, job_id)
    [job] = finished(fleet, [job_id])
    assert (job.status, job.counters.lost) == ("completed", 0)


def test_work_of_a_version_that_is_not_known_here_holds_up_no_other(fleet: Cluster, door: Door) -> None:
    model = completed(fleet, door, page()).id
    row = (
        f"INSERT INTO chunks (id, state, step, lane, {COPIED})"
        f" SELECT %s, 'ready', 'summarise', %s, {COPIED} FROM chunks WHERE job_id = %s LIMIT 1"
    )
    for lane in ("gpu", "fast"):
        change(fleet, row, f"unknown-{lane}", lane, model)
    completed(fleet, door, page())
    with closing(PostgresDatabase(fleet.database_url)) as database:
        found = [one for one in find_stuck_work(database, NO_LIMITS) if one.why == "unknown_kind"]
    assert found
    change(fleet, "DELETE FROM chunks WHERE step = %s", "summarise")


def test_a_worker_whose_heartbeat_hangs_claims_nothing_and_has_to_be_restarted(
    fleet: Cluster, door: Door
) -> None:
    port = free_port()
    sick = fleet.new_worker(fault=f"heartbeat.before_write:sleep={HOUR_SECONDS}", metrics_port=port)
    sick.start()
    wait_for(lambda: status_of(port, "/health") == 503, what="it says that it is alive")
    wait_for(lambda: not fleet.knows(sick.pid), what="its row stays")
    well = [worker.pid for worker in fleet.workers if worker is not sick]
    jobs = finished(fleet, [hand_in(door, page()) for _ in range(20)])
    assert {(job.status, job.counters.lost) for job in jobs} == {("completed", 0)}
    assert len(well) == FLEET


def status_of(port: int, path: str) -> int | None:
    """What a worker answers to a probe; None if it does not listen yet or takes too long."""
    with suppress(OSError), closing(HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request("GET", path)
        return connection.getresponse().status
    return None


def test_claims_of_a_dead_worker_are_free_though_its_times_are_in_the_future(
    fleet: Cluster, door: Door
) -> None:
    job_id = hand_in(door, book(2, 1.0))
    worker = reader_of(fleet, job_id)
    pid = worker.pid
    worker.kill()
    # As if the clock of the database had been set back since.
    change(fleet, "UPDATE workers SET seen_at = seen_at + %s WHERE pid = %s", HOUR_SECONDS, pid)
    died = time.monotonic()
    [job] = finished(fleet, [job_id])
    assert job.status == "completed"
    note(BETWEEN + 9, f"done {time.monotonic() - died:.0f} s later at a lease of {LEASE_SECONDS:.0f} s")


@pytest.mark.long
def test_a_wrong_byte_of_the_bucket_is_not_handed_out(fleet: Cluster, door: Door) -> None:
    job_id = completed(fleet, door, page()).id
    key, store = key_of(fleet, job_id, "document.md"), fleet.s3.store()
    body = bytes(obstore.get(store, key).bytes())
    obstore.put(store, key, bytes([body[0] ^ 1]) + body[1:])
    assert door.get(f"/v1/jobs/{job_id}/markdown").status == 410
    counted = [line for line in door.get("/metrics").body.decode().splitlines() if line.startswith(DAMAGED)]
    assert sum(float(line.rpartition(" ")[2]) for line in counted) >= 1


@pytest.mark.long
def test_a_worker_that_has_lost_its_bucket_pauses_and_comes_back(fleet: Cluster, door: Door) -> None:
    with between(fleet.s3.url) as proxy:
        sick = fleet.new_worker(blobs_timeout_seconds=1)
        sick.environment["AWS_ENDPOINT_URL"] = proxy.url_through(fleet.s3.url)
        sick.start()
        proxy.weather = Weather(Way.REFUSE)
        proxy.cut()
        ids: list[str] = []

        def says_why() -> object:
            ids.append(hand_in(door, page()))
            return trouble_of(fleet, sick)

        wait_for(says_why, what="it says nothing")
        jobs = finished(fleet, ids)
        assert {(job.status, job.counters.errors, job.counters.lost) for job in jobs} == {("completed", 0, 0)}
        proxy.weather = FAIR

        def is_back() -> bool:
            settle(fleet, [hand_in(door, page())])
            return trouble_of(fleet, sick) is None

        wait_for(is_back, what="it does not come back")


@pytest.mark.long
def test_a_document_that_the_bucket_shows_late_is_read(fleet: Cluster, door: Door) -> None:
    with ExitStack() as stack:
        bucket = stack.enter_context(bad_bucket(fleet.s3.url, 0.0))
        late = fleet.new_worker()
        late.environment["AWS_ENDPOINT_URL"] = bucket.url
        late.start()
        for worker in fleet.workers[:FLEET]:
            worker.stop()
        bucket.hidden_until = time.monotonic() + LATE_SECONDS
        [job] = finished(fleet, [hand_in(door, page())])
    assert (job.status, job.counters.errors) == ("completed", 0)
    assert bucket.troubles["hidden"] > 0
