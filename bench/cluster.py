"""The same service on PostgreSQL, Redis and S3: what a backlog costs there, and whether a letter still gets through."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from bench.bare import Reading, read_all, readers
from bench.doors import Answering, Request, cpu_per_request, look, timed
from bench.figure import Bench, Figure, paired
from bench.long import letters_past_a_book
from bench.machine import watched_cpu
from bench.reading import (
    DRAIN_SECONDS,
    SAME_ENGINE,
    Options,
    check_written,
    cpu_per_page,
    moment,
    reading_of,
)
from bench.serving import bare_application, serving
from tests.cluster import cluster as clusters
from tests.cluster import s3
from tests.cluster.cluster import Cluster, Setting

# What the tests shorten is here as it is for everybody.
USUAL: dict[str, Setting] = {
    "providers": "liteparse,pdfium",
    "lease_seconds": 10.0,
    "heartbeat_seconds": 3.0,
    "sweep_seconds": 5.0,
    "watch_seconds": 0.5,
    "retry_base_seconds": 1.0,
    "orphan_seconds": 86_400.0,
    "log_level": "WARNING",
}


@contextmanager
def installed(bench: Bench, **settings: Setting) -> Iterator[Cluster]:
    """An installation with the usual settings and without processes yet; the database waits for its disk."""
    folder = bench.fresh("cluster")
    with (
        s3.running(folder / "bucket") as bucket,
        clusters.running(
            folder, bucket, database_options={"fsync": "on"}, **{**USUAL, **settings}
        ) as cluster,
    ):
        yield cluster


def cluster_pages(bench: Bench) -> Iterator[Figure]:
    """An accepted backlog of long documents, drained by one worker: pages per second, and the worker's CPU per page."""
    documents = bench.documents(bench.size(20, 2), bench.size(100, 10), seed=70_000)
    ours, theirs = [], []
    with readers(bench.processes) as pool:
        for _ in range(bench.rounds):
            theirs.append(read_all(pool, documents, bench.fresh("bare")))
            ours.append(drained(bench, documents))
    arranged = drained(bench, documents, {})
    baseline = f"bare LiteParse, {bench.processes} processes, Markdown and JSON written"
    yield Figure(
        figure="cluster_pages",
        value=paired([one.pages_per_second for one in ours], [one.pages_per_second for one in theirs]),
        target=">= 0.65",
        baseline=baseline,
        ours=median(one.pages_per_second for one in ours),
        theirs=median(one.pages_per_second for one in theirs),
        unit="pages per second, with all servers on the same cores",
        details={
            "documents": len(documents),
            "pages": ours[0].pages,
            "with_structure": arranged.pages_per_second,
        },
    )
    mine, others = [cpu_per_page(one) for one in ours], [cpu_per_page(one) for one in theirs]
    yield Figure(
        figure="cluster_pages_cpu",
        value=paired(mine, others),
        target="<= 1.4",
        baseline=baseline,
        ours=median(mine) * 1000,
        theirs=median(others) * 1000,
        unit="CPU ms per page, the worker and its readers",
        details={"with_structure_ms": cpu_per_page(arranged) * 1000},
    )


def drained(
    bench: Bench, documents: Sequence[Path], options: Options = SAME_ENGINE, *, with_servers: bool = False
) -> Reading:
    """Have documents accepted while no worker is there, then read by one; the CPU time is its own, or that of all."""
    with installed(bench) as cluster, cluster.api().door() as door:
        ids = [door.submit(path, **options) for path in documents]
        worker = cluster.new_worker("--concurrency", str(bench.processes), slots=bench.processes)
        worker.launch()
        with watched_cpu(os.getpid() if with_servers else worker.pid) as watch:
            jobs = door.finished(ids, DRAIN_SECONDS)
        check_written(door, jobs)
    return reading_of(jobs, min(moment(job.started_at) for job in jobs), watch)


def cluster_letter(bench: Bench) -> Iterator[Figure]:
    """One-page documents handed in while a worker reads a very long one, beside the same with an idle worker."""
    with installed(bench) as cluster, cluster.api().door() as door:
        cluster.worker("--concurrency", str(bench.processes), slots=bench.processes)
        yield letters_past_a_book(bench, door, "cluster_letter", "the same with an idle worker")


def cluster_status(bench: Bench) -> Iterator[Figure]:
    """Looks at waiting jobs by several callers at once: CPU of the API on PostgreSQL beside the embedded one."""
    count, letters = bench.size(4_000, 100), bench.documents(bench.size(20, 2), 1, seed=75_000)
    costs: dict[str, list[float]] = {"shared": [], "embedded": [], "constant": []}
    with (
        installed(bench) as cluster,
        serving(bench.fresh("embedded"), workers=False) as embedded,
        bare_application(bench.fresh("bare")) as bare,
    ):
        api = cluster.api()
        requests = {"shared": looks_at(api, letters), "embedded": looks_at(embedded, letters)}
        for _ in range(bench.rounds):
            costs["constant"].append(cpu_per_request(bare, look("/constant"), count, 8))
            costs["embedded"].append(cpu_per_request(embedded, requests["embedded"], count, 8))
            costs["shared"].append(cpu_per_request(api, requests["shared"], count, 8))
    yield Figure(
        figure="cluster_status",
        value=paired(costs["shared"], costs["embedded"]),
        target="<= 2",
        baseline="the same on SQLite",
        ours=median(costs["shared"]) * 1000,
        theirs=median(costs["embedded"]) * 1000,
        unit="CPU ms of the API per GET /v1/jobs/{id}",
        details={"clients": 8, "jobs": len(letters), "constant_ms": median(costs["constant"]) * 1000},
    )


def looks_at(server: Answering, letters: Sequence[Path]) -> Request:
    """Looks at the jobs of these documents, which are handed in for it, one after the other."""
    with server.door() as door:
        paths = [f"/v1/jobs/{door.submit(letter)}" for letter in letters]
    return lambda door, number: timed(lambda: door.get(paths[number % len(paths)]).expect(200))
