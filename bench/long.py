"""Long documents: they take no more time and memory per page than short ones, and hold no one up."""

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.bare import first_pages_seconds, readers
from bench.door import Door, Unexpected
from bench.figure import Bench, Figure, paired
from bench.machine import MEGABYTE, memory_bytes, watched_memory
from bench.pages import padded_pieces, padded_size
from bench.reading import Span
from bench.serving import serving

READ_SECONDS = 900.0
GIGABYTE = 1_000_000_000
FIRST_PAGES = 64


def length(bench: Bench) -> Iterator[Figure]:
    """One very long document beside short ones: seconds per page, and the peak of the whole tree's memory."""
    short_pages, long_pages = bench.size(100, 20), bench.size(10_000, 200)
    shorts = bench.documents(bench.size(8, 2), short_pages, seed=40_000)
    longs = bench.documents(1, long_pages, seed=41_000)
    short_seconds, short_bytes = read_in_turn(bench, shorts)
    long_seconds, long_bytes = read_in_turn(bench, longs)
    ours, theirs = long_seconds / long_pages, short_seconds / short_pages
    baseline = f"documents of {short_pages} pages in the same run"
    yield Figure(
        figure="length",
        value=ours / theirs,
        target="<= 1.2",
        baseline=baseline,
        ours=ours * 1000,
        theirs=theirs * 1000,
        unit="ms per page",
        details={"pages": long_pages},
    )
    yield Figure(
        figure="length_memory",
        value=long_bytes / short_bytes,
        target="<= 1.5",
        baseline=baseline,
        ours=long_bytes / MEGABYTE,
        theirs=short_bytes / MEGABYTE,
        unit="MB at the peak, proportional set size of all processes",
        details={"pages": long_pages},
    )


def read_in_turn(bench: Bench, documents: list[Path]) -> tuple[float, float]:
    """Have documents read one after the other: the median of the seconds, and the peak of the memory."""
    with serving(bench.fresh("length")) as server, server.door() as door, watched_memory(server.pid) as watch:
        seconds = [Span.of(door.finished([door.submit(path)], READ_SECONDS)[0]).seconds for path in documents]
    return median(seconds), watch.peak_bytes


def upload_memory(bench: Bench) -> Iterator[Figure]:
    """How much the server grows while it takes a very large document."""
    size_bytes = bench.size(GIGABYTE, 20 * MEGABYTE)
    with serving(bench.fresh("upload")) as server, server.door(600.0) as door:
        # The first document makes the server and its readers as large as they are at rest.
        door.finished([hand_in_padded(door, MEGABYTE)], READ_SECONDS)
        before = memory_bytes(server.pid)
        with watched_memory(server.pid, 0.02) as watch:
            job_id = hand_in_padded(door, size_bytes)
        job = door.finished([job_id], READ_SECONDS)[0]
    growth = (watch.peak_bytes - before) / MEGABYTE
    yield Figure(
        figure="upload_memory",
        value=growth,
        target="<= 32",
        baseline="the same server before the upload",
        ours=watch.peak_bytes / MEGABYTE,
        theirs=before / MEGABYTE,
        unit="MB, proportional set size of all processes",
        details={"upload_mb": size_bytes / MEGABYTE, "job": job.status},
    )


def hand_in_padded(door: Door, size_bytes: int) -> str:
    """Hand in a document that is made while it is sent."""
    headers = {"Content-Length": str(padded_size(size_bytes, size_bytes))}
    answer = door.hand_in(padded_pieces(size_bytes, size_bytes), "padded.pdf", headers)
    return str(answer.expect(202).json()["id"])


def first_page(bench: Bench) -> Iterator[Figure]:
    """From handing in a long document to its first page being readable, beside bare LiteParse on its first pages."""
    documents = bench.documents(bench.rounds, bench.size(1_000, 130), seed=50_000)
    ours, theirs = [], []
    with readers(1) as pool, serving(bench.fresh("first")) as server, server.door() as door:
        for path in documents:
            theirs.append(pool.apply(first_pages_seconds, (str(path), FIRST_PAGES)))
            ours.append(first_page_seconds(door, path))
    yield Figure(
        figure="first_page",
        value=paired(ours, theirs),
        target="<= 3",
        baseline=f"bare LiteParse on the first {FIRST_PAGES} pages",
        ours=median(ours),
        theirs=median(theirs),
        unit="seconds",
        details={"pages": bench.size(1_000, 130)},
    )


def first_page_seconds(door: Door, path: Path) -> float:
    """Hand a document in, wait for its first page to be readable, then for its end."""
    started = time.perf_counter()
    job_id = door.submit(path)
    while door.get(f"/v1/jobs/{job_id}/pages/1").status != 200:
        if time.perf_counter() - started > READ_SECONDS:
            raise Unexpected(f"the first page of job {job_id} does not come")
        time.sleep(0.005)
    seconds = time.perf_counter() - started
    door.finished([job_id], READ_SECONDS)
    return seconds


def letter(bench: Bench) -> Iterator[Figure]:
    """One-page documents handed in while a very long one is being read, beside the same on an idle server."""
    with serving(bench.fresh("letter")) as server, server.door() as door:
        yield letters_past_a_book(bench, door, "letter", "the same on an idle server")


def letters_past_a_book(bench: Bench, door: Door, name: str, baseline: str) -> Figure:
    """How long letters take behind a door that no other caller uses, before and while a very long document is read."""
    letters = bench.documents(bench.size(24, 4), 1, seed=60_000)
    (book,) = bench.documents(1, bench.size(10_000, 1_000), seed=61_000)
    half = len(letters) // 2
    idle = [letter_seconds(door, path) for path in letters[:half]]
    job_id = door.submit(book)
    wait_until_read_from(door, job_id)
    busy = []
    for path in letters[half:]:
        busy.append(letter_seconds(door, path))
        time.sleep(0.3)
    still_reading = not door.job(job_id).is_over
    door.post(f"/v1/jobs/{job_id}/cancel")
    if not still_reading and not bench.quick:
        raise Unexpected("the long document was read before all letters were handed in")
    return Figure(
        figure=name,
        value=max(busy),
        target="<= 2",
        baseline=baseline,
        ours=max(busy),
        theirs=median(idle),
        unit="seconds, the slowest",
        details={"letters": len(busy), "median_seconds": median(busy), "ratio": median(busy) / median(idle)},
    )


def letter_seconds(door: Door, path: Path) -> float:
    """Hand a letter in and wait for its end."""
    started = time.perf_counter()
    job = door.finished([door.submit(path)], 60)[0]
    if job.status != "completed":
        raise Unexpected(f"the letter did not come out well: {job}")
    return time.perf_counter() - started


def wait_until_read_from(door: Door, job_id: str) -> None:
    """Return as soon as some pages of a job have been read."""
    deadline = time.monotonic() + 120
    while door.job(job_id).processed_pages == 0:
        if time.monotonic() > deadline:
            raise Unexpected(f"no page of job {job_id} has been read")
        time.sleep(0.05)
