"""A broker that is away or cut off for long: documents are taken all the same, and workers find their way back."""

import threading
import time

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.proxy import between
from tests.faults.conftest import start_all
from tests.faults.evidence import assert_completed_once, assert_nothing_is_left, of_cluster
from tests.faults.notes import note
from tests.faults.scenes import Timed, finished, hand_in_surely, page, percentile, timed
from tests.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.long]
DOWN_SECONDS = 60.0
CUT_EVERY_SECONDS, CUT_FOR_SECONDS, WINDOW_SECONDS = 5.0, 120.0, 15.0


def test_a_minute_without_broker_costs_no_job(cluster: Cluster) -> None:
    start_all(cluster, apis=2, workers=2)
    pids = [worker.pid for worker in cluster.workers]
    cluster.redis.kill()
    end, answers = time.monotonic() + DOWN_SECONDS, list[Timed]()
    with cluster.apis[0].door() as door:
        while time.monotonic() < end:
            answers.append(timed(lambda: door.hand_in(page(), "a.pdf", None, providers="trial")))
            time.sleep(0.5)
    ids = [str(one.answer.json()["id"]) for one in answers if one.answer and one.answer.status == 202]
    assert len(ids) == len(answers)
    slowest = percentile([one.seconds for one in answers], 99)
    assert slowest < 2.0
    cluster.redis.start()
    back = time.monotonic()
    finished(cluster, ids)
    drained = time.monotonic() - back
    late = hand_in_surely(cluster, page(), "late")
    finished(cluster, [late], 20)
    assert [worker.pid for worker in cluster.workers if worker.is_alive] == pids, (
        "a worker had to be restarted"
    )
    assert_completed_once(of_cluster(cluster), [*ids, late])
    assert_nothing_is_left(cluster)
    note(12, f"{len(ids)} submits, p99 {1000 * slowest:.0f} ms; all done {drained:.0f} s after its return")


def test_connections_that_are_cut_again_and_again_stall_nobody(cluster: Cluster) -> None:
    with between(cluster.redis.url) as proxy:
        cluster.routes["broker"] = proxy.url_through(cluster.redis.url)
        start_all(cluster, apis=1, workers=2)
        over, ids = threading.Event(), list[str]()

        def cut() -> None:
            while not over.wait(CUT_EVERY_SECONDS):
                proxy.cut()

        cutter = threading.Thread(target=cut)
        cutter.start()
        started, counts = time.monotonic(), list[int]()
        try:
            while time.monotonic() < started + CUT_FOR_SECONDS:
                counts.append(done_in_window(cluster, ids))
        finally:
            over.set()
            cutter.join()
        assert min(counts) > 0, counts
        finished(cluster, ids)
        assert_completed_once(of_cluster(cluster), ids)
    note(14, f"{min(counts)} to {max(counts)} jobs done in each 15 s")


def done_in_window(cluster: Cluster, ids: list[str]) -> int:
    """Hand in documents for a while and count how many are done in that time."""
    query = "SELECT count(*) FROM jobs WHERE status = 'completed'"
    [(before,)] = cluster.asked(query)
    end = time.monotonic() + WINDOW_SECONDS
    while time.monotonic() < end:
        ids.append(hand_in_surely(cluster, page(), f"cut{len(ids)}"))
        time.sleep(0.2)
    [(after,)] = wait_for(lambda: cluster.asked(query))
    return int(str(after)) - int(str(before))
