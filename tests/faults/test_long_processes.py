"""Processes that die, stop and come back, one after the other or all at once, on several machines."""

import signal
import socket
import threading
import time

import pytest

from bench.machine import tree
from pagemill.faultpoints import POINTS
from tests import samples
from tests.cluster.cluster import LEASE_SECONDS, Cluster
from tests.cluster.program import Program
from tests.faults.conftest import start_all
from tests.faults.evidence import outputs
from tests.faults.notes import note
from tests.faults.scenes import (
    assert_all_is_well,
    book,
    finished,
    hand_in,
    hand_in_surely,
    insist,
    is_alive,
    page,
    reader_of,
    revived,
    timed,
)
from tests.waiting import PATIENCE_SECONDS, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.long]
AT_THE_DOOR = ("accept.", "blob.")
# A worker that is started again needs its time, too.
RECOVERY_SECONDS = PATIENCE_SECONDS


# Enriching has a test of its own, because it has to be asked for.
@pytest.mark.parametrize("point", [point for point in POINTS if not point.startswith("enrich.")])
def test_a_kill_at_any_point_loses_and_doubles_nothing(cluster: Cluster, point: str) -> None:
    fault = f"{point}:kill"
    api = cluster.new_api(**({"fault": fault} if point.startswith((*AT_THE_DOOR, "sweep.")) else {}))
    worker = cluster.new_worker(**({} if point.startswith(AT_THE_DOOR) else {"fault": fault}))
    for program in (api, worker):
        program.launch()
    for program in (api, worker):
        wait_for(lambda one=program: one.answers() or not one.is_alive)  # type: ignore[misc]
    bodies = {f"{chunks}": book(chunks, 0.2) for chunks in (1, 3)} | {"letter": page()}
    with revived(cluster) as deaths:
        doomed = hand_in_surely(cluster, page(), "doomed")
        ids = [hand_in_surely(cluster, body, key) for key, body in bodies.items()]
        assert [hand_in_surely(cluster, body, key) for key, body in bodies.items()] == ids
        finished(cluster, [doomed, *ids])
        insist(cluster.apis, lambda door: door.delete(f"/v1/jobs/{doomed}").expect(204, 410))
        gone = f"SELECT 1 FROM jobs WHERE id = '{doomed}' AND swept"
        wait_for(lambda: cluster.asked(gone), what="the files of a removed job stay")
        wait_for(lambda: deaths, what="the point was never passed")
        assert_all_is_well(cluster, ids)
    assert 1 <= len(deaths) <= 2


def test_an_api_killed_in_the_middle_of_an_upload_leaves_nothing(cluster: Cluster) -> None:
    start_all(cluster, apis=2, workers=1)
    body = samples.big(400)
    head = (
        "POST /v1/jobs?filename=half.pdf HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/pdf\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", cluster.apis[0].port)) as half:
        half.sendall(head.encode() + body[: len(body) // 2])
        time.sleep(0.5)
        cluster.apis[0].kill()
    assert cluster.asked("SELECT id FROM jobs") == []
    cluster.apis[0].start()
    job_id = hand_in_surely(cluster, page(), "again")
    finished(cluster, [job_id])
    assert_all_is_well(cluster, [job_id])
    scratch = [path for path in (cluster.folder / "api0" / "scratch").iterdir() if path.is_dir()]
    assert len(scratch) == 1, "the killed process left its half of an upload on the machine's disk"
    note(1, "no job, no file; the repeated request is taken")


def test_a_job_whose_answer_never_came_is_found_by_its_key(cluster: Cluster) -> None:
    doomed = cluster.api(fault="accept.before_answer:kill")
    body = page()
    with doomed.door() as door:
        assert timed(lambda: door.hand_in(body, "document.pdf", {"Idempotency-Key": "k"})).answer is None
    [(job_id,)] = wait_for(lambda: cluster.asked("SELECT job_id FROM idempotency_keys"))
    cluster.dismiss(doomed)
    start_all(cluster, apis=1, workers=1)
    with cluster.apis[0].door() as door:
        again = door.hand_in(body, "document.pdf", {"Idempotency-Key": "k"}).expect(202, 200).json()["id"]
    assert again == job_id
    finished(cluster, [str(job_id)])
    assert_all_is_well(cluster, [str(job_id)])
    note(3, "the repeated request gets the same job, which runs once")


def test_files_of_a_worker_that_died_before_recording_them_are_removed(cluster: Cluster) -> None:
    start_all(cluster, apis=1, workers=1)
    cluster.workers[0].kill()
    cluster.worker(fault="turn.before_record:nth=3:kill")
    with cluster.apis[0].door() as door:
        job_id = hand_in(door, book(4, 0.2))
        wait_for(lambda: not cluster.workers[1].is_alive, what="the point was never passed")
        killed = time.monotonic()
        cluster.revive()
        [job] = finished(cluster, [job_id], RECOVERY_SECONDS)
    assert job.counters.lost >= 1
    assert_all_is_well(cluster, [job_id])
    note(8, f"read again; completed {time.monotonic() - killed:.0f} s later, the first files are removed")


@pytest.mark.parametrize("fault", ["join.before_files:kill", "publish.before_commit:kill"])
def test_a_document_whose_joining_died_is_joined_once(cluster: Cluster, fault: str) -> None:
    start_all(cluster, apis=1, workers=0)
    first = cluster.worker(fault=fault)
    with cluster.apis[0].door() as door:
        job_id = hand_in(door, book(3, 0.1))
        wait_for(lambda: not first.is_alive, what="the point was never passed")
        killed = time.monotonic()
        cluster.revive()
        finished(cluster, [job_id], RECOVERY_SECONDS)
    assert_all_is_well(cluster, [job_id])
    note(10, f"joined and published once, {time.monotonic() - killed:.0f} s after the kill")


def test_of_two_that_publish_the_same_document_one_wins(cluster: Cluster) -> None:
    start_all(cluster, apis=1, workers=0)
    sleeper = cluster.worker(fault="publish.before_commit:stop")
    with cluster.apis[0].door() as door:
        job_id = hand_in(door, book(2, 0.1))
        wait_for(lambda: tree(sleeper.pid)[0].status() == "stopped", what="the point was never passed")
        cluster.worker()
        time.sleep(2 * LEASE_SECONDS)
        sleeper.resume()
        finished(cluster, [job_id], RECOVERY_SECONDS)
        time.sleep(2)
    assert_all_is_well(cluster, [job_id])


def test_restarts_one_after_the_other_fail_no_request(cluster: Cluster) -> None:
    start_all(cluster, apis=2, workers=2)
    ids: list[str] = []
    over = threading.Event()

    def load() -> None:
        while not over.is_set():
            ids.append(hand_in_surely(cluster, page(), f"load{len(ids)}"))

    long_one = hand_in_surely(cluster, book(6, 1.0), "long")
    client = threading.Thread(target=load)
    client.start()
    for program in cluster.programs:
        assert program.stop(30) == 0
        program.start()
    over.set()
    client.join()
    jobs = finished(cluster, [long_one, *ids])
    assert {(job.status, job.counters.crashes, job.counters.lost) for job in jobs} == {("completed", 0, 0)}
    assert_all_is_well(cluster, [long_one, *ids])
    note(36, f"{len(ids) + 1} jobs, none failed, none lost, no attempt counted")


def test_a_worker_that_is_killed_while_it_stops_loses_nothing(cluster: Cluster) -> None:
    start_all(cluster, apis=1, workers=2)
    with cluster.apis[0].door() as door:
        job_id = hand_in(door, book(3, 1.5))
        worker = reader_of(cluster, job_id)
        assert worker.process is not None
        worker.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        worker.kill()
        finished(cluster, [job_id])
        again = finished(cluster, [hand_in(door, book(1, 0.1))])[0]
    assert again.status == "completed"
    assert_all_is_well(cluster, [job_id])
    note(37, "as row 6")


def test_reading_processes_end_with_their_parent(cluster: Cluster) -> None:
    start_all(cluster, apis=1, workers=1)
    [worker] = cluster.workers
    with cluster.apis[0].door() as door:
        job_id = hand_in(door, book(2, 2.0))
        reader_of(cluster, job_id)
        family = tree(worker.pid)
        only_parent(worker)
        wait_for(lambda: not [one for one in family if is_alive(one)], 5, "reading processes live on")
        cluster.revive()
        finished(cluster, [job_id])
        whole = outputs(door, [job_id])
    assert whole
    assert_all_is_well(cluster, [job_id])
    note(45, "none left within a second of the parent's death")


def only_parent(worker: Program) -> None:
    """Kill a worker and leave its children to themselves."""
    assert worker.process is not None
    worker.process.kill()
    worker.process.wait(PATIENCE_SECONDS)
