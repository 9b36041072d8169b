"""What fault tests do with a cluster: hand documents in, find who works on them, and wait for their end."""

import http.client
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from statistics import quantiles
from typing import TypeVar

import psutil
import psycopg

from bench.door import Answer, Door, Unexpected
from bench.machine import tree
from bench.serving import Serving
from pagemill.client.shapes import Job
from tests import samples
from tests.cluster.cluster import Api, Cluster
from tests.cluster.program import Program
from tests.faults.evidence import (
    assert_attempts_are_bounded,
    assert_completed_once,
    assert_logs_are_whole,
    assert_nothing_is_left,
    assert_results_are_whole,
    of_cluster,
)
from tests.waiting import PATIENCE_SECONDS, Late, wait_for

CHUNK_PAGES = 64
RETRY_SECONDS = 0.2
T = TypeVar("T")
_numbers = count(1)


def page(marker: str = "") -> bytes:
    """A document of one page unlike any other; the marker says what it does to its reader."""
    return samples.trial_pages([f"{marker} Letter {next(_numbers)}"])


def book(chunks: int, seconds_per_chunk: float) -> bytes:
    """A document of several chunks, each of which takes a while."""
    marker = f"TRIAL:sleep:{seconds_per_chunk / CHUNK_PAGES:.4f}"
    number = next(_numbers)
    return samples.trial_pages([f"{marker} Book {number}"] * (CHUNK_PAGES * chunks))


def hand_in(door: Door, body: bytes, key: str | None = None) -> str:
    """Hand in a document, perhaps under a key, and return the id of its job."""
    headers = {"Idempotency-Key": key} if key else None
    return str(door.hand_in(body, "document.pdf", headers, providers="trial").expect(202).json()["id"])


def insist(apis: Sequence[Api], request: Callable[[Door], T], seconds: float = PATIENCE_SECONDS) -> T:
    """The answer to a request, asked again at the next API as long as none is there or it says to come later."""
    deadline = time.monotonic() + seconds
    for turn in count():
        try:
            with apis[turn % len(apis)].door() as door:
                return request(door)
        except (OSError, http.client.HTTPException, Unexpected) as error:
            if time.monotonic() > deadline or is_final(error):
                raise
            time.sleep(RETRY_SECONDS)
    raise AssertionError("the count never ends")


def is_final(error: Exception) -> bool:
    """Whether asking again is of no use: the answer was neither an outage nor the lack of one."""
    return isinstance(error, Unexpected) and not str(error).startswith(("429", "503", "507"))


def hand_in_surely(cluster: Cluster, body: bytes, key: str) -> str:
    """Hand in a document under a key, as often as it takes."""
    return insist(cluster.apis, lambda door: hand_in(door, body, key))


def finished(cluster: Cluster, job_ids: Sequence[str], seconds: float = PATIENCE_SECONDS) -> list[Job]:
    """The jobs, once all of them are over; read from whichever API answers."""
    settle(cluster, job_ids, seconds)
    return insist(cluster.apis, lambda door: [door.job(job_id) for job_id in job_ids])


def settle(cluster: Cluster, job_ids: Sequence[str], seconds: float = PATIENCE_SECONDS) -> None:
    """Return once all of the jobs are over, by their rows."""
    wanted = ", ".join(f"'{job_id}'" for job_id in job_ids)
    unfinished = f"SELECT id, status, stage FROM jobs WHERE id IN ({wanted}) AND finished_at IS NULL"
    try:
        wait_for(lambda: not looked_for(cluster, unfinished), seconds)
    except Late:
        left = looked_for(cluster, unfinished)
        raise Late(f"{len(left)} jobs are not done, such as {left[:1]}") from None


def looked_for(cluster: Cluster, query: str) -> list[tuple[object, ...]]:
    """What a query finds; something as long as the database does not answer."""
    try:
        return cluster.asked(query)
    except psycopg.OperationalError as error:
        return [(str(error),)]


def hand_in_many(cluster: Cluster, number: int, clients: int = 8) -> list[str]:
    """Hand in many documents of one page at once, over all APIs, and return the ids of their jobs."""
    ids: list[str] = []
    bodies = iter([page() for _ in range(number)])
    lock = threading.Lock()

    def client(api: Api) -> None:
        with api.door() as door:
            while True:
                with lock:
                    body = next(bodies, None)
                if body is None:
                    return
                job_id = hand_in(door, body)
                with lock:
                    ids.append(job_id)

    together([lambda api=api: client(api) for api in cluster.apis for _ in range(clients // 2)])  # type: ignore[misc]
    assert len(ids) == number
    return ids


def together(acts: Sequence[Callable[[], None]]) -> None:
    """Do several things at once, and fail as the first of them that failed."""
    failures: list[BaseException] = []

    def guarded(act: Callable[[], None]) -> None:
        try:
            act()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def reader_of(cluster: Cluster, job_id: str) -> Program:
    """The worker that reads a chunk of a job right now."""
    query = (
        "SELECT workers.pid FROM chunks JOIN workers ON workers.id = chunks.worker_id"
        f" WHERE chunks.job_id = '{job_id}' AND chunks.state = 'running' AND chunks.step = 'extract'"
    )

    def found() -> Program | None:
        pids = {row[0] for row in cluster.asked(query)}
        at_work = [worker for worker in cluster.workers if worker.is_alive and worker.pid in pids]
        return next((worker for worker in at_work if reading_processes(worker)), None)

    worker = wait_for(found, what="nobody reads it")
    assert worker is not None
    return worker


def reading_processes(program: Program | Serving) -> list[psutil.Process]:
    """The processes of a program's press that have a document open."""
    return [process for process in tree(program.pid)[1:] if reads_a_document(process)]


def reads_a_document(process: psutil.Process) -> bool:
    """Whether a process has a document open."""
    try:
        return any(file.path.endswith(".pdf") for file in process.open_files())
    except psutil.NoSuchProcess:
        return False


def is_alive(process: psutil.Process) -> bool:
    """Whether a process still runs."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def assert_all_is_well(cluster: Cluster, ids: Sequence[str]) -> None:
    """Everything that must hold once the faults are over: one end, whole results, nothing left behind."""
    evidence = of_cluster(cluster)
    assert_completed_once(evidence, ids)
    assert_logs_are_whole(evidence)
    assert_attempts_are_bounded(evidence)
    insist(cluster.apis, lambda door: assert_results_are_whole(door, evidence, ids))
    assert_nothing_is_left(cluster)


@dataclass(frozen=True, slots=True)
class Timed:
    """An answer, or None for no answer, and the seconds that it took."""

    answer: Answer | None
    seconds: float


def timed(request: Callable[[], Answer]) -> Timed:
    """Ask once and look at the clock."""
    started = time.monotonic()
    try:
        return Timed(request(), time.monotonic() - started)
    except (OSError, http.client.HTTPException):
        return Timed(None, time.monotonic() - started)


def percentile(seconds: Sequence[float], percent: int) -> float:
    """The value below which that share of the values lies."""
    return quantiles(seconds, n=100, method="inclusive")[percent - 1]


@contextmanager
def revived(cluster: Cluster) -> Iterator[list[float]]:
    """Start processes again that die inside the block, as an orchestrator does; the moments of their deaths."""
    deaths: list[float] = []
    over = threading.Event()

    def watch() -> None:
        while not over.wait(RETRY_SECONDS):
            deaths.extend([time.monotonic()] * cluster.revive())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield deaths
    finally:
        over.set()
        thread.join()
