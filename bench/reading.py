"""How fast documents are read, beside bare LiteParse in as many processes that write the same two files."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median

from bench.bare import Reading, parse_natively, read_all, readers
from bench.door import Door, Unexpected
from bench.doors import load
from bench.figure import Bench, Figure, paired
from bench.machine import Watch, watched_cpu
from bench.serving import serving, start
from pagemill.client.shapes import Job

DRAIN_SECONDS = 600.0
# So many that each process has read some.
WARM_UP = 50
Options = Mapping[str, str]
# What pagemill does with LiteParse's blocks is reading, not the service around it: both sides have the same engine and
# write the same formats.
SAME_ENGINE: Options = {"providers": "liteparse-plain,pdfium", "formats": "markdown,json"}


def pages(bench: Bench) -> Iterator[Figure]:
    """A backlog of long documents, drained: pages per second, and CPU per page."""
    documents = bench.documents(bench.size(20, 2), bench.size(100, 10), seed=20_000)
    ours, theirs, native_cpu = measured(bench, documents)
    arranged = drained(bench, documents, {})
    baseline = f"bare LiteParse, {bench.processes} processes, Markdown and JSON written"
    yield Figure(
        figure="pages",
        value=paired([one.pages_per_second for one in ours], [one.pages_per_second for one in theirs]),
        target=">= 0.85",
        baseline=baseline,
        ours=median(one.pages_per_second for one in ours),
        theirs=median(one.pages_per_second for one in theirs),
        unit="pages per second",
        details={
            "documents": len(documents),
            "pages": ours[0].pages,
            "with_structure": arranged.pages_per_second,
        },
    )
    mine, others = [cpu_per_page(one) for one in ours], [cpu_per_page(one) for one in theirs]
    yield Figure(
        figure="pages_cpu",
        value=paired(mine, others),
        target="<= 1.25",
        baseline=baseline,
        ours=median(mine) * 1000,
        theirs=median(others) * 1000,
        unit="CPU ms per page, all processes",
        details={"engine_alone_ms": native_cpu * 1000, "with_structure_ms": cpu_per_page(arranged) * 1000},
    )


def cpu_per_page(reading: Reading) -> float:
    """CPU seconds that one page took."""
    return reading.cpu_seconds / reading.pages


def measured(bench: Bench, documents: Sequence[Path]) -> tuple[list[Reading], list[Reading], float]:
    """Both sides in turns, and the CPU seconds per page of the engine's inner class without any writing."""
    ours, theirs = [], []
    with readers(bench.processes) as pool:
        for _ in range(bench.rounds):
            theirs.append(read_all(pool, documents, bench.fresh("bare")))
            ours.append(drained(bench, documents, SAME_ENGINE))
        counted = pool.map(parse_natively, [str(path) for path in documents], chunksize=1)
    return ours, theirs, sum(cpu for _, cpu in counted) / sum(count for count, _ in counted)


def documents(bench: Bench) -> Iterator[Figure]:
    """Many one-page documents: as an accepted backlog, and with the uploads in the measured time."""
    letters = bench.documents(bench.size(500, 20), 1, seed=30_000)
    first = bench.documents(bench.size(WARM_UP, 2), 1, seed=40_000)
    drains, uploads, theirs = [], [], []
    with readers(bench.processes) as pool:
        for _ in range(bench.rounds):
            theirs.append(read_all(pool, letters, bench.fresh("bare")))
            drains.append(drained(bench, letters, SAME_ENGINE, first))
            uploads.append(handed_in_and_read(bench, letters, SAME_ENGINE, first))
    baseline = f"bare LiteParse, {bench.processes} processes, Markdown and JSON written, files on disk"
    for name, target, ours in (
        ("documents", ">= 0.75", drains),
        ("documents_with_uploads", ">= 0.5", uploads),
    ):
        speeds, others = [one.pages_per_second for one in ours], [one.pages_per_second for one in theirs]
        yield Figure(
            figure=name,
            value=paired(speeds, others),
            target=target,
            baseline=baseline,
            ours=median(speeds),
            theirs=median(others),
            unit="documents per second",
            details={
                "documents": len(letters),
                "cpu_ms_per_document": median(cpu_per_page(one) for one in ours) * 1000,
                "baseline_cpu_ms": median(cpu_per_page(one) for one in theirs) * 1000,
            },
        )


def drained(bench: Bench, documents: Sequence[Path], options: Options, first: Sequence[Path] = ()) -> Reading:
    """Have the documents accepted by a server without workers, then read by one that has them.

    With some that come first, the time runs from when as many were read: the processes are warm then, as the others'.
    """
    data_dir = bench.fresh("drain")
    with serving(data_dir, workers=False) as server, server.door() as door:
        ids = [door.submit(path, **options) for path in (*first, *documents)]
    server = start(data_dir)
    try:
        with watched_cpu(server.pid) as watch:
            server.wait_until_up("/ready")
            with server.door() as door:
                jobs = door.finished(ids, DRAIN_SECONDS)
                check_written(door, jobs)
        server.stop()
    finally:
        server.kill()
    if not first:
        return reading_of(jobs, min(moment(job.started_at) for job in jobs), watch)
    in_order = sorted(jobs, key=lambda job: moment(job.finished_at))
    return reading_of(in_order[len(first) :], moment(in_order[len(first) - 1].finished_at), watch)


def handed_in_and_read(
    bench: Bench, documents: Sequence[Path], options: Options, first: Sequence[Path]
) -> Reading:
    """Hand the documents in to a warm, idle server over four connections, and have them read at the same time."""
    ids: list[str] = []

    def hand_in(door: Door, number: int) -> float:
        ids.append(door.submit(documents[number], **options))
        return 0.0

    with serving(bench.fresh("uploads")) as server, watched_cpu(server.pid) as watch:
        with server.door() as door:
            door.finished([door.submit(path, **options) for path in first], DRAIN_SECONDS)
        started = time.time()
        load(server, hand_in, len(documents), 4)
        with server.door() as door:
            jobs = door.finished(ids, DRAIN_SECONDS)
    return reading_of(jobs, started, watch)


def reading_of(jobs: Sequence[Job], started: float, watch: Watch) -> Reading:
    """What the jobs took from the start to the end of the last one."""
    bad = [job for job in jobs if job.status != "completed" or job.failed_pages or job.reused]
    if bad:
        raise Unexpected(f"{len(bad)} jobs did not come out well, the first is {bad[0]}")
    ended = max(moment(job.finished_at) for job in jobs)
    count = sum(job.processed_pages for job in jobs)
    return Reading(count, ended - started, watch.cpu_between(started, ended))


def check_written(door: Door, jobs: Sequence[Job]) -> None:
    """See that the files of the last job are there."""
    for name in ("markdown", "result"):
        if not door.get(f"/v1/jobs/{jobs[-1].id}/{name}").expect(200).body:
            raise Unexpected(f"the {name} of job {jobs[-1].id} is empty")


@dataclass(frozen=True)
class Span:
    """From when to when a job ran."""

    started: float
    ended: float

    @classmethod
    def of(cls, job: Job) -> "Span":
        """The span of a finished job."""
        return cls(moment(job.started_at), moment(job.finished_at))

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.ended - self.started


def moment(text: str | None) -> float:
    """Seconds since 1970 from a time in a job."""
    if text is None:
        raise Unexpected("a finished job lacks a time")
    return datetime.fromisoformat(text).timestamp()
