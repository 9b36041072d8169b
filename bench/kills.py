"""Workers that are killed: how soon others go on, and whether very many documents all arrive exactly once."""

import random
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from bench.cluster import installed
from bench.door import Door, Unexpected
from bench.doors import timed
from bench.figure import Bench, Detail, Figure
from bench.machine import MEGABYTE, memory_bytes
from tests import samples
from tests.cluster.cluster import Cluster
from tests.waiting import wait_for

HELD = "SELECT c.id, c.fence FROM chunks c JOIN workers w ON w.id = c.worker_id WHERE c.state = 'running' AND w.pid = %s"
TAKEN = "SELECT 1 FROM chunks WHERE id = %s AND fence > %s AND state IN ('running', 'done')"
KILL_EVERY_SECONDS = 6.0
PATIENCE_SECONDS = 3_600.0


def recovery(bench: Bench) -> Iterator[Figure]:
    """From the kill of a worker in the middle of a chunk to the moment another one takes it, with the usual settings."""
    with installed(bench, providers="trial") as cluster, cluster.api().door() as door:
        waits = [recovery_seconds(cluster, door, number) for number in range(bench.size(5, 1))]
    yield Figure(
        figure="recovery",
        value=max(waits),
        target="<= 15",
        baseline="the lease of 10 s",
        ours=max(waits),
        theirs=10.0,
        unit="seconds, the slowest",
        details={"kills": len(waits), "median_seconds": median(waits)},
    )


def recovery_seconds(cluster: Cluster, door: Door, number: int) -> float:
    """Kill the worker that holds a chunk, and wait until another one has it."""
    doomed = cluster.worker("--concurrency", "1")
    document = samples.trial_pages([f"TRIAL:sleep:20 number {number}"])
    job_id = str(door.hand_in(document, f"{number}.pdf").expect(202).json()["id"])
    [(chunk_id, fence), *_] = wait_for(lambda: cluster.asked(HELD, doomed.pid))
    heir = cluster.worker("--concurrency", "1")
    doomed.kill()
    seconds = timed(lambda: wait_for(lambda: cluster.asked(TAKEN, chunk_id, fence), 60))
    door.post(f"/v1/jobs/{job_id}/cancel")
    heir.kill()
    return seconds


def kills(bench: Bench) -> Iterator[Figure]:
    """Very many small documents from the door to the result, while workers are killed: none lost, none twice."""
    letters = bench.documents(bench.size(200, 20), 1, seed=95_000)
    count = bench.size(20_000, 40)
    with installed(
        bench, lease_seconds=5.0, heartbeat_seconds=1.0, sweep_seconds=2.0, max_lost=50
    ) as cluster:
        api = cluster.api()
        for _ in range(3):
            cluster.worker("--concurrency", str(bench.processes), slots=bench.processes)
        started, before = time.perf_counter(), memory_bytes(api.pid)
        with killing(cluster) as killed, api.door() as door:
            ids = handed_in(door, letters, count)
            wait_for(lambda: unfinished(cluster) == 0, PATIENCE_SECONDS, "some jobs never end")
        seconds, after = time.perf_counter() - started, memory_bytes(api.pid)
        lost, doubled = count - arrived(cluster, ids), published_twice(cluster)
    details: dict[str, Detail] = {
        "documents": count,
        "kills": killed[0],
        "documents_per_second": count / seconds,
        "api_mb_before": before / MEGABYTE,
        "api_mb_after": after / MEGABYTE,
    }
    yield loss_figure("kills", lost, doubled, details)


def loss_figure(name: str, lost: int, doubled: int, details: dict[str, Detail]) -> Figure:
    """The documents that were lost and those that were published twice, of which there must be none."""
    return Figure(
        figure=name,
        value=float(lost + doubled),
        target="<= 0",
        baseline="every document handed in",
        ours=float(lost),
        theirs=float(doubled),
        unit="documents lost, and published twice",
        details=details,
    )


def handed_in(door: Door, letters: Sequence[Path], count: int) -> set[str]:
    """Hand documents in over and over; the ids of the jobs."""
    bodies = [path.read_bytes() for path in letters]
    options = {"providers": "liteparse-plain,pdfium"}
    answers = (
        door.hand_in(bodies[number % len(bodies)], f"{number}.pdf", None, **options)
        for number in range(count)
    )
    return {str(answer.expect(202).json()["id"]) for answer in answers}


@contextmanager
def killing(cluster: Cluster) -> Iterator[list[int]]:
    """Kill some worker every few seconds and start it again, until the block ends; counts the kills."""
    over, killed, chance = threading.Event(), [0], random.Random(1)

    def kill_some() -> None:
        while not over.wait(KILL_EVERY_SECONDS):
            doomed = chance.choice(cluster.workers)
            doomed.kill()
            doomed.launch()
            killed[0] += 1

    thread = threading.Thread(target=kill_some)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()


def unfinished(cluster: Cluster) -> int:
    """How many jobs wait or run; looked at now and then."""
    time.sleep(1)
    return number(cluster, "SELECT count(*) FROM jobs WHERE status IN ('pending', 'processing')")


def arrived(cluster: Cluster, ids: set[str]) -> int:
    """How many of these jobs are completed and have a result."""
    rows = cluster.asked("SELECT id FROM jobs WHERE status = 'completed' AND result_id IS NOT NULL")
    return len(ids & {str(job_id) for (job_id,) in rows})


def published_twice(cluster: Cluster) -> int:
    """How many jobs have more than one end or result."""
    ends = "SELECT job_id FROM events WHERE type = 'job.completed' GROUP BY job_id HAVING count(*) > 1"
    spare = "SELECT count(*) - count(DISTINCT result_id) FROM jobs WHERE status = 'completed'"
    return len(cluster.asked(ends)) + number(cluster, spare)


def number(cluster: Cluster, query: str) -> int:
    """The number that a query answers."""
    [(found,)] = cluster.asked(query)
    if not isinstance(found, int):
        raise Unexpected(f"{query} answered {found!r}")
    return found
