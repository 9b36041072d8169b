"""Office files: one-page documents beside the bare reader, and long ones that hold no one up."""

import time
from collections.abc import Iterator, Sequence
from multiprocessing.pool import Pool
from pathlib import Path
from statistics import median

from bench.bare import Reading, readers
from bench.door import Door
from bench.figure import Bench, Figure, paired
from bench.long import READ_SECONDS, first_page_seconds, letter_seconds
from bench.machine import MEGABYTE, watched_memory
from bench.office_pages import write_deck, write_docx, write_workbook
from bench.reading import WARM_UP, drained
from bench.serving import serving
from pagemill.reading.document.join import PagesAtHand, join
from pagemill.reading.office.opening import open_office
from pagemill.reading.writers import Facts

FORMATS = ("markdown", "json")
OPTIONS = {"formats": "markdown,json"}


def office_documents(bench: Bench) -> Iterator[Figure]:
    """Word documents of one page through the service, beside the bare reader that writes the same files."""
    files = word_files(bench, bench.size(500, 20), seed=70_000)
    first = word_files(bench, bench.size(WARM_UP, 2), seed=80_000)
    ours, theirs = [], []
    with readers(bench.processes) as pool:
        read_bare(pool, first, bench.fresh("bare"))
        for _ in range(bench.rounds):
            theirs.append(read_bare(pool, files, bench.fresh("bare")))
            ours.append(drained(bench, files, OPTIONS, first))
    speeds, others = [one.pages_per_second for one in ours], [one.pages_per_second for one in theirs]
    yield Figure(
        figure="office_documents",
        value=paired(speeds, others),
        target=">= 0.7",
        baseline=f"the bare reader, {bench.processes} processes, Markdown and JSON written",
        ours=median(speeds),
        theirs=median(others),
        unit="documents per second",
        details={"documents": len(files)},
    )


def word_files(bench: Bench, count: int, seed: int) -> list[Path]:
    """That many Word documents of one page, all different."""
    folder = bench.fresh("office")
    folder.mkdir()
    return [write_docx(folder / f"{seed + at}.docx", seed + at) for at in range(count)]


def read_bare(pool: Pool, files: Sequence[Path], folder: Path) -> Reading:
    """Read the files with the reader alone."""
    folder.mkdir(parents=True)
    visits = [(str(path), str(folder / path.stem)) for path in files]
    started = time.perf_counter()
    answers = list(pool.imap_unordered(read_file, visits, chunksize=1))
    seconds = time.perf_counter() - started
    return Reading(sum(pages for pages, _ in answers), seconds, sum(cpu for _, cpu in answers))


def read_file(visit: tuple[str, str]) -> tuple[int, float]:
    """Read one file and write what is made of it; its pages and the CPU seconds."""
    began, target = time.process_time(), Path(visit[1])
    target.mkdir()
    document = open_office(visit[0])
    pages = list(document.pages(range(1, document.total_pages + 1)))
    join(PagesAtHand(pages), Facts(document.total_pages), FORMATS, target, keep_running=False)
    return len(pages), time.process_time() - began


def office_long(bench: Bench) -> Iterator[Figure]:
    """A deck of 200 slides and a workbook of 10,000 rows: the first page, the memory, and a letter beside them."""
    folder = bench.fresh("office")
    folder.mkdir()
    slides, rows = bench.size(200, 20), bench.size(10_000, 1_200)
    small = [write_deck(folder / "small.pptx", 20, 1), write_workbook(folder / "small.xlsx", 1_000, 1)]
    large = {
        "deck": [write_deck(folder / f"{seed}.pptx", slides, seed) for seed in range(10, 16)],
        "workbook": [write_workbook(folder / f"{seed}.xlsx", rows, seed) for seed in range(20, 26)],
    }
    small_peak = peak_bytes(bench, small)
    for name, files in large.items():
        with serving(bench.fresh(name)) as server, server.door() as door:
            door.finished([door.submit(small[0])], READ_SECONDS)
            seconds = [first_page_seconds(door, path) for path in files[:3]]
            beside = letters_beside(door, files[3:], bench.documents(3, 1, seed=90_000 + len(name)))
        details = {"slides": slides} if name == "deck" else {"rows": rows}
        yield Figure(
            f"office_{name}_first_page",
            max(seconds),
            "<= 1",
            "none",
            max(seconds),
            0.0,
            "seconds",
            dict(details),
        )
        yield Figure(
            f"office_{name}_letter", max(beside), "<= 2", "none", max(beside), 0.0, "seconds", dict(details)
        )
        peak = peak_bytes(bench, files[:3])
        yield Figure(
            figure=f"office_{name}_memory",
            value=peak / small_peak,
            target="<= 1.5",
            baseline="a deck of 20 slides and a workbook of 1,000 rows",
            ours=peak / MEGABYTE,
            theirs=small_peak / MEGABYTE,
            unit="MB at the peak, proportional set size of all processes",
            details=dict(details),
        )


def letters_beside(door: Door, files: Sequence[Path], letters: Sequence[Path]) -> list[float]:
    """How long letters take that are handed in right after long files."""
    seconds = []
    for path, letter in zip(files, letters, strict=True):
        job_id = door.submit(path)
        seconds.append(letter_seconds(door, letter))
        door.finished([job_id], READ_SECONDS)
    return seconds


def peak_bytes(bench: Bench, files: Sequence[Path]) -> float:
    """The peak of the whole tree's memory while files are read one after the other."""
    with serving(bench.fresh("memory")) as server, server.door() as door, watched_memory(server.pid) as watch:
        for path in files:
            door.finished([door.submit(path)], READ_SECONDS)
    return watch.peak_bytes
