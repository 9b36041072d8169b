"""`bench hundred`: a hundred thousand jobs of a thousand tenants, with random kills and outages; it can be stopped and resumed.

Everything is kept in `bench-out/hundred` until it is done, and a run goes on with what it finds there. `HUNDRED=2000`
in the environment makes it that many documents. Progress goes to the standard error output.
"""

import itertools
import json
import os
import random
import shutil
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from http.client import HTTPException
from pathlib import Path
from statistics import mean
from uuid import uuid4

import psycopg

from bench.cluster import USUAL
from bench.door import Door
from bench.figure import Bench, Detail, Figure, percentile
from bench.kills import loss_figure, number, published_twice
from bench.machine import MEGABYTE, memory_bytes
from pagemill.db.migrate import migrate
from pagemill.db.postgres import PostgresDatabase
from pagemill.desk import tenant_keys
from tests import samples
from tests.cluster import postgres, redis, s3
from tests.cluster.cluster import Api, Cluster, Setting

KEPT = Path("bench-out") / "hundred"
VARIABLE = "HUNDRED"
HANDED_BY = 6
WORKERS = 2
REPORT_SECONDS = 10.0
TROUBLE_SECONDS = (10.0, 40.0)
PAUSE_SECONDS = 3.0
# Little is read of each document, so that there can be many: what is tried here is the way that they take.
OPTIONS = {"providers": "liteparse-plain,pdfium", "formats": "markdown"}
# What is done to the installation, and how often beside the others.
TROUBLES = {"worker": 12, "api": 3, "broker": 3, "bucket": 2, "database": 1}
LEASES: dict[str, Setting] = {
    "lease_seconds": 20.0,
    "heartbeat_seconds": 3.0,
    "sweep_seconds": 5.0,
    "max_lost": 50,
    "max_pending_jobs": 1_000_000,
    "max_requests_per_minute": 1_000_000,
    "batch_documents": 24,
}


@dataclass
class Progress:
    """What has to be known to go on."""

    count: int
    keys: list[str] = field(default_factory=list)
    database: str = ""
    prefix: str = field(default_factory=lambda: uuid4().hex)
    troubles: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    first_megabytes: float = 0.0
    first_connections: int = 0

    def save(self, folder: Path) -> None:
        """Write it down."""
        (folder / "progress.json").write_text(json.dumps(asdict(self)), "utf-8")


def progress_in(folder: Path, count: int) -> Progress:
    """What a former run has left, or a new start; another number of documents is another run."""
    file = folder / "progress.json"
    if file.exists():
        found = Progress(**json.loads(file.read_text("utf-8")))
        if found.count == count:
            return found
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return Progress(count)


def hundred(bench: Bench) -> Iterator[Figure]:
    """Documents lost or published twice, how long small tenants wait, and what grows."""
    count, tenants = int(os.environ.get(VARIABLE, bench.size(100_000, 60))), bench.size(1_000, 20)
    folder = bench.fresh("hundred") if bench.quick else KEPT.absolute()
    progress = progress_in(folder, count)
    # In the background of a shell Ctrl-C is ignored, and `kill` is what stops it.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.default_int_handler)
    bodies = [samples.letter(f"Dear reader {number},") for number in range(bench.size(200, 10))]
    with installation(folder, progress, tenants) as cluster:
        watched = cluster.api()
        spare = cluster.api()
        for _ in range(bench.size(WORKERS, 1)):
            cluster.worker("--concurrency", str(bench.processes), slots=bench.processes)
        run = Run(folder, progress, cluster, watched, bodies, tenants)
        with troubled(run, spare):
            run.work_off()
        yield from figures(run)
    shutil.rmtree(folder)


@contextmanager
def installation(folder: Path, progress: Progress, tenants: int) -> Iterator[Cluster]:
    """The installation in a folder as it was left, with a key for each tenant."""
    with ExitStack() as stack:
        bucket = stack.enter_context(s3.running(folder / "bucket"))
        database = stack.enter_context(postgres.running(folder / "database", {"fsync": "on"}))
        broker = stack.enter_context(redis.running(folder / "broker"))
        url = database.url.removesuffix("postgres") + (progress.database or "")
        if not progress.keys:
            url = database.new_database()
            progress.database, progress.keys = url.rpartition("/")[2], make_keys(url, tenants)
            progress.save(folder)
        settings = {**USUAL, **LEASES}
        cluster = Cluster(folder, database, broker, bucket, url, progress.prefix, settings)
        stack.callback(cluster.end)
        yield cluster


def make_keys(url: str, tenants: int) -> list[str]:
    """A key for each tenant."""
    database = PostgresDatabase(url)
    migrate(database.engine)
    try:
        return [tenant_keys.add(database, f"t{rank:04}", "bench").key for rank in range(tenants)]
    finally:
        database.close()


class Run:
    """Hands in what is missing, waits for the end of all, and reports how far it is."""

    def __init__(
        self,
        folder: Path,
        progress: Progress,
        cluster: Cluster,
        watched: Api,
        bodies: Sequence[bytes],
        tenants: int,
    ) -> None:
        self.folder, self.progress, self.cluster, self.watched = folder, progress, cluster, watched
        self.bodies, self.tenants = bodies, tenants
        self.shares = list(itertools.accumulate(1 / rank for rank in range(1, tenants + 1)))
        self.handed_in = 0
        self._over = threading.Event()

    def tenant_of(self, document: int) -> int:
        """Whose a document is; the sizes of tenants fall off as 1/rank."""
        return random.Random(document).choices(range(self.tenants), cum_weights=self.shares)[0]

    def work_off(self) -> None:
        """Hand everything in and wait until it has ended."""
        known = {str(name) for (name,) in self.cluster.asked("SELECT filename FROM documents")}
        missing = [one for one in range(self.progress.count) if f"{one}.pdf" not in known]
        self.handed_in = self.progress.count - len(missing)
        hands = [
            threading.Thread(target=self._hand_in, args=(missing[n::HANDED_BY],)) for n in range(HANDED_BY)
        ]
        for hand in hands:
            hand.start()
        try:
            while any(hand.is_alive() for hand in hands) or self.unfinished():
                self._report()
        except KeyboardInterrupt:
            raise SystemExit("Stopped; the same command goes on from here.") from None
        finally:
            self._over.set()
            for hand in hands:
                hand.join()

    def unfinished(self) -> int:
        """How many jobs wait or run; all of them while the database is away."""
        query = "SELECT count(*) FROM jobs WHERE status IN ('pending', 'processing')"
        try:
            return number(self.cluster, query)
        except psycopg.Error:
            return self.progress.count

    def _hand_in(self, documents: Sequence[int]) -> None:
        with self.watched.door() as door:
            for one in documents:
                until_done(lambda one=one: self._over.is_set() or self._hand_in_one(door, one))  # type: ignore[misc]
                self.handed_in += 1

    def _hand_in_one(self, door: Door, document: int) -> bool:
        """Whether a document was taken; under its key it is taken once, however often it is tried."""
        headers = {
            "Authorization": f"Bearer {self.progress.keys[self.tenant_of(document)]}",
            "Idempotency-Key": f"hundred-{document}",
        }
        body = self.bodies[document % len(self.bodies)]
        return door.hand_in(body, f"{document}.pdf", headers, **OPTIONS).status == 202

    def _report(self) -> None:
        time.sleep(REPORT_SECONDS)
        progress = self.progress
        progress.seconds += REPORT_SECONDS
        if not progress.first_megabytes and self.handed_in > progress.count // 20:
            progress.first_megabytes, progress.first_connections = self.size()
        progress.save(self.folder)
        done = self.handed_in - min(self.unfinished(), self.handed_in)
        troubles = ", ".join(f"{count} {name}" for name, count in sorted(progress.troubles.items()))
        line = f"{self.handed_in:,} of {progress.count:,} handed in, {done:,} done, {progress.seconds:.0f} s; {troubles}"
        print(line, file=sys.stderr, flush=True)

    def size(self) -> tuple[float, int]:
        """The megabytes of the API that is never killed, and the connections to the database; nothing while that is away."""
        try:
            connections = number(
                self.cluster, "SELECT count(*) FROM pg_stat_activity WHERE datname IS NOT NULL"
            )
        except psycopg.Error:
            return 0.0, 0
        return memory_bytes(self.watched.pid) / MEGABYTE, connections


def until_done(act: Callable[[], bool]) -> None:
    """Do something until it works out, as a patient client does."""
    pause = 0.2
    while True:
        with suppress(OSError, HTTPException):
            if act():
                return
        time.sleep(pause)
        pause = min(2 * pause, 2.0)


@contextmanager
def troubled(run: Run, spare: Api) -> Iterator[None]:
    """Kill and pause parts of the installation at random until the block ends."""
    over, chance = threading.Event(), random.Random()

    def trouble() -> None:
        while not over.wait(chance.uniform(*TROUBLE_SECONDS)):
            [name] = chance.choices(list(TROUBLES), list(TROUBLES.values()))
            cause(name, run.cluster, spare, chance)
            # What was started while the database was away has ended, as an orchestrator would see.
            run.cluster.revive()
            run.progress.troubles[name] = run.progress.troubles.get(name, 0) + 1

    thread = threading.Thread(target=trouble)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def cause(name: str, cluster: Cluster, spare: Api, chance: random.Random) -> None:
    """Cause one trouble, and end it."""
    if name == "bucket":
        cluster.s3.pause()
        time.sleep(PAUSE_SECONDS)
        cluster.s3.resume()
        return
    programs = {"api": spare, "broker": cluster.redis, "database": cluster.postgres}
    doomed = programs.get(name) or chance.choice(cluster.workers)
    doomed.kill()
    doomed.launch()


def figures(run: Run) -> Iterator[Figure]:
    """What came of it."""
    progress, cluster = run.progress, run.cluster
    completed = number(
        cluster, "SELECT count(*) FROM jobs WHERE status = 'completed' AND result_id IS NOT NULL"
    )
    lost, doubled = progress.count - completed, published_twice(cluster)
    details: dict[str, Detail] = {
        "documents": progress.count,
        "tenants": run.tenants,
        "documents_per_second": progress.count / max(progress.seconds, 1.0),
        "troubles": {name: float(count) for name, count in progress.troubles.items()},
    }
    yield loss_figure("hundred", lost, doubled, details)
    waits = waits_by_tenant(cluster)
    every = [wait for found in waits.values() for wait in found]
    small = [
        wait for tenant, found in waits.items() if int(tenant[1:]) >= run.tenants // 10 for wait in found
    ]
    yield Figure(
        figure="hundred_small_tenants",
        value=percentile(small, 0.95) / max(mean(every), 0.1),
        target="<= 2",
        baseline="the mean wait of all",
        ours=percentile(small, 0.95),
        theirs=mean(every),
        unit="seconds until a document is begun, p95 of all but the largest tenth of the tenants",
    )
    megabytes, connections = run.size()
    yield Figure(
        figure="hundred_memory",
        value=megabytes / (progress.first_megabytes or megabytes),
        target="<= 1.3",
        baseline="the same after a twentieth",
        ours=megabytes,
        theirs=progress.first_megabytes,
        unit="MB of an API that is never killed",
        details={"connections": connections, "connections_after_a_twentieth": progress.first_connections},
    )


def waits_by_tenant(cluster: Cluster) -> dict[str, list[float]]:
    """How long the documents of each tenant waited to be begun."""
    waits: dict[str, list[float]] = defaultdict(list)
    for tenant, seconds in cluster.asked(
        "SELECT tenant, started_at - created_at FROM jobs WHERE started_at IS NOT NULL"
    ):
        waits[str(tenant)].append(float(str(seconds)))
    return waits
