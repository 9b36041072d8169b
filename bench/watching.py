"""What those who watch cost: many event streams of one running job beside a single one, and whether they miss anything."""

import asyncio
import re
import time
from collections.abc import Iterator
from statistics import median

import psutil

from bench.figure import Bench, Figure, paired
from bench.serving import Serving, serving

END_OF_STREAM = b"0\r\n\r\n"
EVENT_ID = re.compile(rb"^id: (\d+)$", re.MULTILINE)
WAIT_SECONDS = 300.0


class Missed(Exception):
    """A watcher did not see every event."""


def watchers(bench: Bench) -> Iterator[Figure]:
    """CPU of the server over a job with 500 event streams, beside the same with one; nobody may miss an event."""
    many, pages = bench.size(500, 20), bench.size(4_000, 200)
    documents = bench.documents(2 * bench.rounds + 1, pages, seed=90_000)
    costs: dict[int, list[float]] = {1: [], many: []}
    events = 0
    with serving(bench.fresh("watchers")) as server, server.door() as door:
        # The first reading warms the processes up.
        door.finished([door.submit(documents.pop())], WAIT_SECONDS)
        for _ in range(bench.rounds):
            for count in (1, many):
                started = own_cpu_seconds(server.pid)
                job_id = door.submit(documents.pop())
                events = watch_job(server, job_id, count)
                costs[count].append(own_cpu_seconds(server.pid) - started)
    yield Figure(
        "watchers_cpu",
        paired(costs[many], costs[1]),
        "<= 5",
        "the same job with one event stream",
        median(costs[many]),
        median(costs[1]),
        "CPU s of the server process over one job",
        {"watchers": many, "pages": pages, "events_each": events, "missed": 0},
    )


def watch_job(server: Serving, job_id: str, count: int) -> int:
    """Watch a job with that many event streams to its end; how many events each saw."""
    seen = asyncio.run(watch_together(server.port, job_id, count))
    whole = list(range(1, max(map(len, seen)) + 1))
    if any(numbers != whole for numbers in seen):
        raise Missed(f"{sum(numbers != whole for numbers in seen)} of {count} watchers missed events")
    return len(whole)


async def watch_together(port: int, job_id: str, count: int) -> list[list[int]]:
    """The numbers of the events that each of several watchers saw."""
    return await asyncio.gather(*(watch_once(port, job_id) for _ in range(count)))


async def watch_once(port: int, job_id: str) -> list[int]:
    """The numbers of the events of one stream."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /v1/jobs/{job_id}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    said = bytearray()
    deadline = time.monotonic() + WAIT_SECONDS
    while not said.endswith(END_OF_STREAM):
        piece = await asyncio.wait_for(reader.read(65_536), deadline - time.monotonic())
        if not piece:
            break
        said += piece
    writer.close()
    return [int(found) for found in EVENT_ID.findall(said)]


def own_cpu_seconds(pid: int) -> float:
    """User and system time of a process alone, without those that read pages for it."""
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)
