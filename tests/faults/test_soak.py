"""A day in miniature: thousands of small jobs while workers and APIs die at random, and nothing grows."""

import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import psutil
import pytest

from bench.machine import tree
from tests.cluster.cluster import Cluster
from tests.faults.conftest import start_all
from tests.faults.evidence import (
    assert_attempts_are_bounded,
    assert_completed_once,
    assert_logs_are_whole,
    of_cluster,
)
from tests.faults.notes import note
from tests.faults.scenes import finished, hand_in_surely, page, revived, together

pytestmark = [pytest.mark.slow, pytest.mark.long]
JOBS = int(os.environ.get("SOAK_JOBS", "3000"))
# Until then pools and caches still fill.
WARM_JOBS = 300
CLIENTS, KILL_SECONDS = 4, 6.0
MOST_GROWTH = 1.35
# Less than this is start-up noise: caches, pools and threads that are made on first use.
ROOM_BYTES = 40_000_000


def test_thousands_of_jobs_outlive_random_kills_and_nothing_grows(cluster: Cluster) -> None:
    start_all(cluster, apis=2, workers=2)
    lasting = cluster.worker()
    finished(cluster, handed_in(cluster, "warm", WARM_JOBS), 300)
    before = size_of(lasting.pid)
    with revived(cluster) as deaths, killed_at_random(cluster, spare=lasting.pid):
        ids = handed_in(cluster, "soak", JOBS)
    finished(cluster, ids, 600)
    after = size_of(lasting.pid)
    evidence = of_cluster(cluster)
    assert_completed_once(evidence, ids)
    assert_logs_are_whole(evidence)
    assert_attempts_are_bounded(evidence)
    with closing(cluster.redis.client()) as redis:
        assert redis.dbsize() < 100
    assert after[0] <= max(MOST_GROWTH * before[0], before[0] + ROOM_BYTES), (before, after)
    assert after[1] <= before[1] + 10, (before, after)
    note(
        47,
        f"{len(ids)} jobs, {len(deaths)} processes killed, 0 lost, 0 twice; memory of a worker "
        f"{before[0] // 1_000_000} → {after[0] // 1_000_000} MB, open files {before[1]} → {after[1]}",
    )


def handed_in(cluster: Cluster, name: str, number: int) -> list[str]:
    """Hand in documents from several clients who insist."""
    ids = list[str]()

    def client(start: int) -> None:
        ids.extend(hand_in_surely(cluster, page(), f"{name}{n}") for n in range(start, number, CLIENTS))

    together([lambda start=start: client(start) for start in range(CLIENTS)])  # type: ignore[misc]
    return ids


@contextmanager
def killed_at_random(cluster: Cluster, spare: int) -> Iterator[None]:
    """Have some process die every few seconds, but for a worker that is watched and an API that callers can reach."""
    over, chance = threading.Event(), random.Random(47)
    mortal = [one for one in cluster.programs[1:] if one.pid != spare]

    def kill() -> None:
        while not over.wait(KILL_SECONDS * chance.random()):
            chance.choice(mortal).kill()

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield
    finally:
        over.set()
        killer.join()


def size_of(pid: int) -> tuple[int, int]:
    """Memory and open files of a process, without those of the reading processes, which are renewed anyway."""
    time.sleep(1)
    process = psutil.Process(pid)
    assert tree(pid)
    return process.memory_info().rss, process.num_fds()
