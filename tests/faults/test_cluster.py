"""Several machines and the faults that come first: nothing is lost, nothing is published twice, nobody waits long."""

import threading
import time
from collections.abc import Iterator

import pytest

from bench.machine import tree
from tests.cluster.cluster import LEASE_SECONDS, Api, Cluster
from tests.faults.evidence import (
    assert_attempts_are_bounded,
    assert_completed_once,
    assert_logs_are_whole,
    assert_nothing_is_left,
    assert_results_are_whole,
    of_cluster,
    orphans,
    outputs,
)
from tests.faults.notes import note
from tests.faults.scenes import (
    Timed,
    book,
    finished,
    hand_in,
    hand_in_many,
    hand_in_surely,
    is_alive,
    page,
    percentile,
    reader_of,
    reading_processes,
    settle,
    timed,
)
from tests.timing import can_take_less_than
from tests.waiting import wait_for

pytestmark = pytest.mark.slow
# The lease runs out, the next sweep sees it, and a worker that is free begins anew.
RECOVERY_SECONDS = 15.0
FEW_FLUSHED, FLUSHED, GOOD = 100, 1_000, 100
HUNG_SECONDS = 6.0
HELD = (
    "SELECT workers.pid FROM chunks JOIN workers ON workers.id = chunks.worker_id"
    " WHERE chunks.state = 'running'"
)
MOST_SECONDS = 150.0


@pytest.fixture(autouse=True)
def quiet(house: Cluster) -> Iterator[None]:
    """Every test starts with all processes alive, and leaves logs and counters as they must be."""
    house.revive()
    for program in house.programs[:4]:
        program.wait_until_up()
    yield
    evidence = of_cluster(house)
    assert_logs_are_whole(evidence)
    assert_attempts_are_bounded(evidence)


@pytest.fixture(scope="module")
def doomed(house: Cluster) -> dict[str, Api]:
    """APIs that die when they come to a fault point, by that point."""
    points = ("accept.before_commit", "accept.after_commit")
    apis = {point: house.new_api(fault=f"{point}:kill") for point in points}
    for api in apis.values():
        api.launch()
    for api in apis.values():
        api.wait_until_up()
        house.apis.remove(api)
    return apis


def die(api: Api, body: bytes, key: str) -> None:
    """Hand in a document that kills the API before it answers."""
    with api.door() as door:
        headers = {"Idempotency-Key": key}
        assert timed(lambda: door.hand_in(body, "document.pdf", headers, providers="trial")).answer is None
    api.kill()


def test_a_kill_between_blob_and_commit_leaves_no_job_and_no_file(
    house: Cluster, doomed: dict[str, Api]
) -> None:
    body = page()
    die(doomed["accept.before_commit"], body, "row2")
    assert house.asked("SELECT 1 FROM idempotency_keys WHERE key = 'row2'") == []
    job_id = hand_in_surely(house, body, "row2")
    settle(house, [job_id])
    assert len(orphans(of_cluster(house))) == 1
    assert_nothing_is_left(house)
    assert_completed_once(of_cluster(house), [job_id])
    note(2, "no job of the first request; its bytes were removed")


def test_a_job_that_was_never_sent_to_the_broker_runs_all_the_same(
    house: Cluster, doomed: dict[str, Api]
) -> None:
    body = page()
    die(doomed["accept.after_commit"], body, "row4")
    died = time.monotonic()
    [(job_id,)] = house.asked("SELECT job_id FROM idempotency_keys WHERE key = 'row4'")
    settle(house, [str(job_id)], RECOVERY_SECONDS)
    note(4, f"completed {time.monotonic() - died:.1f} s after the API died")
    assert hand_in_surely(house, body, "row4") == job_id
    assert_completed_once(of_cluster(house), [str(job_id)])


def test_what_a_killed_worker_was_reading_is_finished_by_another(house: Cluster) -> None:
    body = book(4, 1.0)
    with house.apis[0].door() as door:
        job_id = hand_in(door, body)
        done_query = (
            f"SELECT id, fence FROM chunks WHERE job_id = '{job_id}' AND step = 'extract' AND state = 'done'"
        )
        wait_for(lambda: house.asked(done_query), what="no chunk is ever done")
        worker = reader_of(house, job_id)
        done, family = house.asked(done_query), tree(worker.pid)
        worker.kill()
        killed = time.monotonic()
        # One chunk that it read, and perhaps one that waited for its turn there.
        held = len(house.asked(f"SELECT 1 FROM ({HELD}) AS held WHERE pid = {worker.pid}"))
        assert held in (1, 2)
        assert [process for process in family if is_alive(process)] == []
        [job] = finished(house, [job_id], RECOVERY_SECONDS + 6)
        seconds = time.monotonic() - killed
        again = finished(house, [hand_in(door, body)])[0]
        assert outputs(door, [job_id]) == outputs(door, [again.id])
        assert_results_are_whole(door, of_cluster(house), [job_id])
    assert (job.status, job.counters.lost, job.failed_pages) == ("completed", held, ())
    assert set(done) <= set(house.asked(done_query)), "a chunk that was done was read again"
    assert_completed_once(of_cluster(house), [job_id])
    note(6, f"completed {seconds:.1f} s after the kill at a lease of {LEASE_SECONDS:.0f} s, same bytes")


def test_a_killed_reading_process_counts_as_one_crash(house: Cluster) -> None:
    with house.apis[0].door() as door:
        job_id = hand_in(door, book(2, 1.5))
        worker = reader_of(house, job_id)
        for process in reading_processes(worker):
            process.kill()
        [job] = finished(house, [job_id])
    assert (job.status, job.counters.crashes, job.counters.lost, job.failed_pages) == ("completed", 1, 0, ())
    assert worker.is_alive
    assert_completed_once(of_cluster(house), [job_id])
    note(7, "one crash counted, read again by the same worker")


@pytest.mark.parametrize("flushed", [FEW_FLUSHED, pytest.param(FLUSHED, marks=pytest.mark.long)])
def test_a_broker_that_forgets_everything_costs_no_job(house: Cluster, flushed: int) -> None:
    for worker in house.workers:
        worker.kill()
    ids = hand_in_many(house, flushed)
    house.redis.flush()
    house.revive()
    started = time.monotonic()
    settle(house, ids, MOST_SECONDS)
    note(11, f"{len(ids)} of {flushed} completed once, {time.monotonic() - started:.0f} s after the flush")
    assert_completed_once(of_cluster(house), ids)


def answers_while_the_broker_hangs(house: Cluster) -> list[Timed]:
    """What an API answers to uploads and queries in some seconds without a broker."""
    answers: list[Timed] = []
    with house.apis[0].door() as door:
        house.redis.pause()
        try:
            end = time.monotonic() + HUNG_SECONDS
            while time.monotonic() < end:
                answers.append(timed(lambda: door.hand_in(page(), "a.pdf", None, providers="trial")))
                answers.append(timed(lambda: door.get("/v1/jobs?limit=1")))
                time.sleep(0.05)
        finally:
            house.redis.resume()
    return answers


def test_a_broker_that_hangs_delays_nobody(house: Cluster) -> None:
    def slowest_seconds() -> float:
        answers = answers_while_the_broker_hangs(house)
        taken = [one.answer for one in answers if one.answer is not None and one.answer.status == 202]
        assert [one for one in answers if one.answer is None or one.answer.status not in (200, 202)] == []
        slowest = percentile([one.seconds for one in answers], 99)
        ids = [str(answer.json()["id"]) for answer in taken]
        assert {job.status for job in finished(house, ids)} == {"completed"}
        assert_completed_once(of_cluster(house), ids)
        note(13, f"{len(answers)} answers while it hung, p99 {1000 * slowest:.0f} ms; all jobs completed")
        return slowest

    assert can_take_less_than(2.0, slowest_seconds)


def test_a_worker_that_slept_through_its_lease_changes_nothing(house: Cluster) -> None:
    with house.apis[0].door() as door:
        job_id = hand_in(door, book(2, 1.5))
        sleeper = reader_of(house, job_id)
        sleeper.pause()
        waking = threading.Timer(2 * LEASE_SECONDS, sleeper.resume)
        waking.start()
        [job] = finished(house, [job_id], RECOVERY_SECONDS + 8)
        before = house.asked(f"SELECT version, last_seq, result_id FROM jobs WHERE id = '{job_id}'")
        waking.join()
        wait_for(lambda: not reading_processes(sleeper), what="it goes on reading what it has lost")
        time.sleep(LEASE_SECONDS)
        assert house.asked(f"SELECT version, last_seq, result_id FROM jobs WHERE id = '{job_id}'") == before
        assert_results_are_whole(door, of_cluster(house), [job_id])
    # It may have held both chunks.
    assert (job.status, job.counters.lost in (1, 2)) == ("completed", True)
    assert_completed_once(of_cluster(house), [job_id])
    assert_nothing_is_left(house)
    wait_for(lambda: house.knows(sleeper.pid), 10, "the sleeper never comes back to work")
    note(30, "its claim went to another; what it had written was refused and removed")


def test_a_document_that_kills_its_reader_holds_up_nobody(house: Cluster) -> None:
    def p95_of(ids: list[str]) -> float:
        settle(house, ids)
        wanted = ", ".join(f"'{job_id}'" for job_id in ids)
        rows = house.asked(f"SELECT finished_at - created_at FROM jobs WHERE id IN ({wanted})")
        return percentile([float(str(row[0])) for row in rows], 95)

    def slowdown_seconds() -> float:
        """How much longer others take than twice what they take by themselves."""
        alone = p95_of(hand_in_many(house, GOOD))
        with house.apis[0].door() as door:
            poison = hand_in(door, page("TRIAL:segfault"))
            good = hand_in_many(house, GOOD)
            beside = p95_of(good)
            [job] = finished(house, [poison])
        assert job.status == "failed"
        assert job.error is not None
        assert job.error.code == "worker_crashed"
        assert_completed_once(of_cluster(house), good)
        crashes = f"{job.counters.crashes} crashes, then given up"
        note(35, f"{crashes}; p95 of 100 others {beside:.1f} s ({alone:.1f} s without)")
        return beside - 2 * alone

    # A second for the noise of a busy machine: both figures are well below one.
    assert can_take_less_than(1.0, slowdown_seconds)
