"""Documents that crash, hang, fill the memory or kill whole workers: they are named, and all others are delivered."""

import signal
import time

import pytest

from tests import samples
from tests.cluster.cluster import Cluster
from tests.faults.conftest import start_all
from tests.faults.evidence import (
    assert_attempts_are_bounded,
    assert_completed_once,
    assert_logs_are_whole,
    of_cluster,
)
from tests.faults.notes import note
from tests.faults.scenes import finished, hand_in, hand_in_many, page, revived

pytestmark = [pytest.mark.slow, pytest.mark.long]
PAGES, BAD = 50, 23
MOST_LOST, GOOD = 4, 100
ROWS = {"memory_limit": 32, "page_timeout": 33, "worker_crashed": 34}


@pytest.mark.parametrize(
    ("marker", "code"),
    [
        ("TRIAL:allocate", "memory_limit"),
        ("TRIAL:hold", "page_timeout"),
        ("TRIAL:spin", "page_timeout"),
        ("TRIAL:segfault", "worker_crashed"),
        (f"TRIAL:die:{signal.SIGABRT.value}", "worker_crashed"),
        (f"TRIAL:die:{signal.SIGBUS.value}", "worker_crashed"),
    ],
)
def test_a_bad_page_is_named_and_all_others_are_delivered(cluster: Cluster, marker: str, code: str) -> None:
    # Filling the memory takes a while on a busy machine; only a page that hangs is to meet the time limit.
    seconds = 1.5 if code == "page_timeout" else 20.0
    cluster.settings |= {
        "page_timeout_seconds": seconds,
        "chunk_timeout_seconds": 2 * seconds,
        "press_memory_bytes": 500_000_000,
    }
    start_all(cluster, apis=1, workers=1)
    body = samples.trial_pages(["" if number != BAD else marker for number in range(1, PAGES + 1)])
    with cluster.apis[0].door() as door:
        started = time.monotonic()
        [bad, good] = finished(
            cluster, [hand_in(door, body), hand_in(door, samples.trial_pages([""] * PAGES))]
        )
        seconds = time.monotonic() - started
    assert (bad.status, [(one.page, one.code) for one in bad.failed_pages]) == ("completed", [(BAD, code)])
    assert (good.status, good.failed_pages, good.counters.crashes) == ("completed", (), 0)
    assert cluster.workers[0].is_alive
    assert_attempts_are_bounded(of_cluster(cluster))
    note(
        ROWS[code], f"`{code}` for one page of {PAGES}, in {seconds:.0f} s ({marker.removeprefix('TRIAL:')})"
    )


def test_a_document_that_kills_every_worker_is_given_up(cluster: Cluster) -> None:
    # In the sandbox no document could.
    cluster.settings |= {"max_lost": MOST_LOST, "sandbox": "off"}
    start_all(cluster, apis=2, workers=2)
    with revived(cluster) as deaths, cluster.apis[0].door() as door:
        poison = hand_in(door, page("TRIAL:murder"))
        good = hand_in_many(cluster, GOOD)
        [job] = finished(cluster, [poison])
        finished(cluster, good)
        count = len(deaths)
        assert MOST_LOST <= count <= 2 * MOST_LOST
    assert (job.status, job.error.code if job.error else "") == ("failed", "worker_lost")
    assert_completed_once(of_cluster(cluster), good)
    assert_logs_are_whole(of_cluster(cluster))
    assert_attempts_are_bounded(of_cluster(cluster), lost=MOST_LOST)
    note(
        35, f"a document that kills the whole worker: {count} workers, then given up; {GOOD} others completed"
    )
