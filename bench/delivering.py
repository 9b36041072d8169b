"""Ways in: a batch from one request to one archive, and a resumable upload that is cut off again and again."""

import http.client
import io
import os
import time
import zipfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

from bench.bare import read_all, readers
from bench.door import Door
from bench.figure import Bench, Figure, paired
from bench.long import GIGABYTE, READ_SECONDS, hand_in_padded
from bench.machine import MEGABYTE, memory_bytes, watched_memory
from bench.pages import padded_pieces, padded_size
from bench.reading import SAME_ENGINE, WARM_UP
from bench.serving import Serving, serving
from pagemill.client.batches import WAIT_SECONDS as BATCH_WAIT_SECONDS

WAIT_SECONDS = 900.0
LOOK_SECONDS = 0.2
CUTS = 3
TUS = {"Tus-Resumable": "1.0.0"}
SEED = 77


def batch(bench: Bench) -> Iterator[Figure]:
    """A batch of one-page documents, from the request with their ZIP to the archive of their Markdown."""
    letters = bench.documents(bench.size(1_000, 20), 1, seed=80_000)
    first = bench.documents(bench.size(WARM_UP, 2), 1, seed=90_000)
    ours, theirs = [], []
    with readers(bench.processes) as pool:
        for _ in range(bench.rounds):
            theirs.append(read_all(pool, letters, bench.fresh("bare")).pages_per_second)
            ours.append(len(letters) / batch_seconds(bench, letters, first))
    yield Figure(
        figure="batch",
        value=paired(ours, theirs),
        target=">= 0.6",
        baseline=f"bare LiteParse, {bench.processes} processes, Markdown and JSON written, files on disk",
        ours=median(ours),
        theirs=median(theirs),
        unit="documents per second, from the request to the archive",
        details={"documents": len(letters)},
    )


def batch_seconds(bench: Bench, letters: Sequence[Path], first: Sequence[Path]) -> float:
    """How long a batch takes on a server that has read some documents before."""
    with serving(bench.fresh("batch")) as server, server.door(WAIT_SECONDS) as door:
        read_batch(door, packed(first), len(first))
        archive = packed(letters)
        # The server syncs the file system of its folder, which is to have nothing of what others have written.
        os.sync()
        started = time.monotonic()
        read_batch(door, archive, len(letters))
        return time.monotonic() - started


def packed(documents: Sequence[Path]) -> bytes:
    """Documents in a ZIP archive."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for path in documents:
            file.write(path, path.name)
    return archive.getvalue()


def read_batch(door: Door, archive: bytes, count: int) -> None:
    """Hand in an archive, wait for its end, and fetch the results in one file."""
    headers = {"Content-Type": "application/zip"}
    made = door.post(f"/v1/batches?{urlencode(SAME_ENGINE)}", archive, headers).expect(202).json()
    where, deadline = f"/v1/batches/{made['id']}", time.monotonic() + WAIT_SECONDS
    # As the Python client waits.
    while not door.get(f"{where}?wait={BATCH_WAIT_SECONDS}").expect(200).json()["finished_at"]:
        if time.monotonic() > deadline:
            raise TimeoutError("the batch did not end")
    body = door.get(f"{where}/archive.zip?format=markdown").expect(200).body
    with zipfile.ZipFile(io.BytesIO(body)) as results:
        found = sum(name.endswith(".md") for name in results.namelist())
    if found != count:
        raise AssertionError(f"{found} of {count} results came")


def resumable(bench: Bench) -> Iterator[Figure]:
    """How much the server grows over a very large resumable upload that is cut off three times."""
    size_bytes = padded_size(SEED, bench.size(GIGABYTE, 20 * MEGABYTE))
    with serving(bench.fresh("resumable")) as server, server.door(600.0) as door:
        # The first document makes the server and its readers as large as they are at rest.
        door.finished([hand_in_padded(door, MEGABYTE)], READ_SECONDS)
        before = memory_bytes(server.pid)
        with watched_memory(server.pid, 0.02) as watch:
            upload_id, offsets = upload_with_cuts(server, bench.size(GIGABYTE, 20 * MEGABYTE), size_bytes)
            made = door.post(f"/v1/jobs?upload_id={upload_id}").expect(202).json()
        job = door.finished([str(made["id"])], READ_SECONDS)[0]
    yield Figure(
        figure="resumable_upload_memory",
        value=(watch.peak_bytes - before) / MEGABYTE,
        target="<= 32",
        baseline="the same server before the upload",
        ours=watch.peak_bytes / MEGABYTE,
        theirs=before / MEGABYTE,
        unit="MB, proportional set size of all processes",
        details={
            "upload_mb": size_bytes / MEGABYTE,
            "cuts": CUTS,
            "kept_of_sent": min(offsets[cut] / sent for cut, sent in enumerate(cut_points(size_bytes)[1:-1])),
            "job": job.status,
        },
    )


def cut_points(size_bytes: int) -> list[int]:
    """Where the parts of an upload begin and end."""
    return [size_bytes * part // (CUTS + 1) for part in range(CUTS + 1)] + [size_bytes]


def upload_with_cuts(server: Serving, seed_bytes: int, size_bytes: int) -> tuple[str, list[int]]:
    """Upload a document in requests of which all but the last are cut off; its id, and how far each went on from."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_SECONDS)
    connection.request("POST", "/v1/uploads", headers=TUS | {"Upload-Length": str(size_bytes)})
    where = connection.getresponse().headers["location"]
    connection.close()
    offsets, offset = [], 0
    for _, until in pairwise(cut_points(size_bytes)):
        send_until(server, where, seed_bytes, (offset, until, size_bytes))
        offset = offset_of(server, where, at_least=offset + 1)
        offsets.append(offset)
    if offset != size_bytes:
        raise AssertionError(f"{offset} of {size_bytes} bytes arrived")
    return where.rpartition("/")[2], offsets


def send_until(server: Serving, where: str, seed_bytes: int, span: tuple[int, int, int]) -> None:
    """Send the bytes of an upload from one place to another, and leave if that is not the end."""
    offset, until, size_bytes = span
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_SECONDS)
    connection.putrequest("PATCH", where)
    for name, value in TUS.items():
        connection.putheader(name, value)
    connection.putheader("Content-Type", "application/offset+octet-stream")
    connection.putheader("Upload-Offset", str(offset))
    connection.putheader("Content-Length", str(size_bytes - offset))
    connection.endheaders()
    for piece in pieces_between(seed_bytes, offset, until):
        connection.send(piece)
    if until == size_bytes:
        connection.getresponse().read()
    connection.close()


def pieces_between(seed_bytes: int, start: int, end: int) -> Iterator[bytes]:
    """The bytes of the document from one place to another."""
    at = 0
    for piece in padded_pieces(SEED, seed_bytes):
        if at + len(piece) > start and at < end:
            yield piece[max(start - at, 0) : end - at]
        at += len(piece)
        if at >= end:
            return


def offset_of(server: Serving, where: str, at_least: int) -> int:
    """How far an upload has come, once the server has noticed that its connection is gone."""
    deadline, last = time.monotonic() + WAIT_SECONDS, -1
    while time.monotonic() < deadline:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_SECONDS)
        connection.request("HEAD", where, headers=TUS)
        offset = int(connection.getresponse().headers["upload-offset"])
        connection.close()
        if offset == last and offset >= at_least:
            return offset
        last = offset
        time.sleep(LOOK_SECONDS)
    raise TimeoutError("the upload did not go on")
