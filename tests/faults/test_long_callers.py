"""Callers who race, clocks that are wrong, settings that are wrong, and too few files to open."""

import random
import threading
import time
from pathlib import Path

import psutil
import pytest

from bench.door import Answer, Door
from tests.cluster.cluster import LEASE_SECONDS, PYTHON_PATH, Cluster
from tests.faults.conftest import start_all
from tests.faults.evidence import (
    assert_attempts_are_bounded,
    assert_completed_once,
    assert_each_run_ended_once,
    assert_logs_are_whole,
    assert_nothing_is_left,
    of_cluster,
)
from tests.faults.notes import note
from tests.faults.scenes import book, finished, hand_in, hand_in_surely, page, reader_of, timed, together
from tests.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.long]
SAME_REQUESTS, RACES = 50, 60
HOUR_SECONDS = 3_600
FEW_FILES = 64
WRONG_SECRET = "a-wrong-secret-of-the-bucket"
SKEWED = Path(__file__).parents[1] / "cluster" / "skewed"


def test_fifty_requests_with_the_same_key_make_one_job(cluster: Cluster) -> None:
    start_all(cluster, apis=2, workers=1)
    body, gate, answers = page(), threading.Barrier(SAME_REQUESTS), list[Answer]()

    def ask(number: int) -> None:
        with cluster.apis[number % 2].door() as door:
            gate.wait()
            answers.append(door.hand_in(body, "a.pdf", {"Idempotency-Key": "one"}, providers="trial"))

    together([lambda number=number: ask(number) for number in range(SAME_REQUESTS)])  # type: ignore[misc]
    # Some may be told that the first is still under way; none may fail otherwise.
    assert {answer.status for answer in answers} <= {200, 202, 409}
    ids = {answer.json()["id"] for answer in answers if answer.status < 300}
    assert len(ids) == 1
    assert len(cluster.asked("SELECT id FROM jobs")) == 1
    finished(cluster, list(ids))
    assert_completed_once(of_cluster(cluster), list(ids))
    assert_nothing_is_left(cluster)
    note(38, f"{SAME_REQUESTS} requests over two APIs: one job")


def test_a_cancel_at_any_moment_ends_the_job_once(cluster: Cluster) -> None:
    start_all(cluster, apis=2, workers=2)
    chance = random.Random(40)

    def race(number: int) -> str:
        with cluster.apis[number % 2].door() as door:
            job_id = hand_in(door, book(2, 0.2) if number % 3 else page())
            time.sleep(chance.random() * 0.8)
            assert door.post(f"/v1/jobs/{job_id}/cancel").status in (202, 409)
            return job_id

    ids = [race(number) for number in range(RACES)]
    jobs = finished(cluster, ids)
    evidence = of_cluster(cluster)
    assert_each_run_ended_once(evidence)
    assert_logs_are_whole(evidence)
    cancelled = [job.id for job in jobs if job.status == "cancelled"]
    assert [job.id for job in jobs if job.status not in ("cancelled", "completed")] == []
    results = {row[0] for row in cluster.asked("SELECT id FROM jobs WHERE result_id IS NOT NULL")}
    assert results & set(cancelled) == set()
    assert_nothing_is_left(cluster)
    note(
        40, f"{RACES} cancels at random moments: {len(cancelled)} cancelled, the others completed, each once"
    )


@pytest.mark.parametrize("hours", [1, -1])
def test_a_worker_with_a_wrong_clock_works_like_any_other(cluster: Cluster, hours: int) -> None:
    start_all(cluster, apis=1, workers=1)
    skewed = cluster.new_worker()
    skewed.environment |= wrong_clock(hours * HOUR_SECONDS, 0)
    skewed.start()
    with cluster.apis[0].door() as door:
        ids = [hand_in(door, book(3, LEASE_SECONDS / 2)), *(hand_in(door, page()) for _ in range(20))]
        jobs = finished(cluster, ids)
    assert {(job.status, job.counters.lost) for job in jobs} == {("completed", 0)}
    times = cluster.asked("SELECT max(finished_at) - min(created_at) FROM jobs")
    assert float(str(times[0][0])) < HOUR_SECONDS / 2
    assert_completed_once(of_cluster(cluster), ids)
    note(29, "a worker an hour off: no claim lost, all times by the database's clock")


def test_an_api_whose_clock_jumps_back_goes_on(cluster: Cluster) -> None:
    jumpy = cluster.new_api()
    jumpy.environment |= wrong_clock(-HOUR_SECONDS, 5)
    jumpy.start()
    cluster.worker()
    ids: list[str] = []
    end = time.monotonic() + 8
    while time.monotonic() < end:
        ids.append(hand_in_surely(cluster, page(), f"jump{len(ids)}"))
        time.sleep(0.3)
    finished(cluster, ids)
    spread = cluster.asked("SELECT max(created_at) - min(created_at), min(expires_at - created_at) FROM jobs")
    assert float(str(spread[0][0])) < HOUR_SECONDS / 2
    assert float(str(spread[0][1])) > 0
    assert_completed_once(of_cluster(cluster), ids)


def wrong_clock(seconds: float, after_seconds: float) -> dict[str, str]:
    """What makes the wall clock of a process wrong."""
    return {
        "PYTHONPATH": f"{SKEWED}:{PYTHON_PATH}",
        "SKEW_SECONDS": str(seconds),
        "SKEW_AFTER_SECONDS": str(after_seconds),
    }


def test_wrong_keys_and_addresses_are_told_at_the_start_without_secrets(cluster: Cluster) -> None:
    start_all(cluster, apis=1, workers=0)
    wrong_bucket = cluster.new_api()
    wrong_bucket.environment["AWS_SECRET_ACCESS_KEY"] = WRONG_SECRET
    wrong_broker = cluster.new_worker(broker_url="redis://:hidden-word@127.0.0.1:1/0")
    wrong_base = cluster.new_api(database_url="postgresql://postgres:hidden-word@127.0.0.1:1/none")
    for program in (wrong_bucket, wrong_broker, wrong_base):
        program.launch()
    for program in (wrong_bucket, wrong_broker, wrong_base):
        wait_for(lambda one=program: one.log.stat().st_size, what="it says nothing")  # type: ignore[misc]
    time.sleep(5)
    assert not wrong_bucket.answers()
    assert not wrong_base.answers()
    for program in (wrong_bucket, wrong_broker, wrong_base):
        said = program.log.read_text()
        assert said.strip(), program.command
        assert "hidden-word" not in said
        assert WRONG_SECRET not in said
    told = [last_line(program.log) for program in (wrong_bucket, wrong_broker, wrong_base)]
    alive = [program.is_alive for program in (wrong_bucket, wrong_broker, wrong_base)]
    note(
        43,
        f"bucket keys, broker, database wrong: {['ends', 'waits'][alive[0]]}, "
        f"{['ends', 'waits'][alive[1]]}, {['ends', 'waits'][alive[2]]}; none ready, no secret in {len(told)} logs",
    )


def last_line(log: Path) -> str:
    """The last words of a log."""
    return log.read_text().strip().splitlines()[-1]


def test_an_api_without_files_to_open_recovers(cluster: Cluster) -> None:
    start_all(cluster, apis=1, workers=1)
    [api] = cluster.apis
    process = psutil.Process(api.pid)
    before = process.rlimit(psutil.RLIMIT_NOFILE)
    process.rlimit(psutil.RLIMIT_NOFILE, (FEW_FILES, before[1]))
    doors = [Door("127.0.0.1", api.port, 3.0) for _ in range(2 * FEW_FILES)]
    statuses = {status_of(door) for door in doors}
    statuses.add(doors[0].hand_in(page(), "a.pdf").status)
    for door in doors:
        door.__exit__()
    process.rlimit(psutil.RLIMIT_NOFILE, before)
    wait_for(api.answers, 20, "it does not recover")
    job_id = hand_in_surely(cluster, page(), "after")
    finished(cluster, [job_id])
    assert statuses <= {0, 200, 202, 503, 507}
    note(44, f"{FEW_FILES} files: answers {sorted(statuses - {0})}, well again once there are more")


def status_of(door: Door) -> int:
    """The status of an answer; 0 for none."""
    answer = timed(lambda: door.get("/v1/jobs")).answer
    return answer.status if answer else 0


def test_a_worker_without_files_to_open_recovers(cluster: Cluster) -> None:
    start_all(cluster, apis=1, workers=1)
    process = psutil.Process(cluster.workers[0].pid)
    before = process.rlimit(psutil.RLIMIT_NOFILE)
    job_id = hand_in_surely(cluster, book(3, 1.0), "long")
    reader_of(cluster, job_id)
    process.rlimit(psutil.RLIMIT_NOFILE, (process.num_fds(), before[1]))
    time.sleep(3)
    process.rlimit(psutil.RLIMIT_NOFILE, before)
    others = [hand_in_surely(cluster, page(), f"after{number}") for number in range(5)]
    finished(cluster, others)
    [job] = finished(cluster, [job_id])
    assert job.status in ("completed", "failed")
    assert_attempts_are_bounded(of_cluster(cluster))
