"""Many callers of every kind at once: large uploads, event streams, and clients that hardly send or never read.

Beside them, looks at a job must be answered quickly, refusals must come soon and with the right code, and memory must
stay where it was. The looks are made by a process of their own, which has nothing else to do: in that of the callers
they would wait for these.
"""

import asyncio
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import orjson
import psutil

from bench.door import Unexpected
from bench.figure import Bench, Detail, Figure, percentile
from bench.looks import REFUSALS
from bench.pages import padded_pieces, padded_size
from bench.serving import Serving, serving

CALM_SECONDS = 3.0
WAIT_SECONDS = 900.0


@dataclass
class Seen:
    """What was seen while the load was on."""

    looks: list[float] = field(default_factory=list)
    refusals: list[float] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    memory: list[float] = field(default_factory=list)


def load(bench: Bench) -> Iterator[Figure]:
    """The 99th percentile of looks at a job, the slowest refusal and the growth of memory under load."""
    uploads, size = bench.size(200, 12), bench.size(100_000_000, 2_000_000)
    watchers, slow = bench.size(500, 20), bench.size(100, 8)
    [document] = bench.documents(1, 1, seed=70_000)
    [watched] = bench.documents(1, bench.size(4_000, 100), seed=71_000)
    with serving(bench.fresh("load")) as server, server.door() as door:
        job = door.submit(document)
        door.finished([job], WAIT_SECONDS)
        before = memory_bytes(server)
        long_job = door.submit(watched)
        with looks_at(server, job) as calm:
            time.sleep(CALM_SECONDS)
        lengths = [padded_size(number, size) for number in range(uploads)]
        with looks_at(server, job) as beside:
            seen = asyncio.run(
                everything(server, long_job, lengths=lengths, size=size, watchers=watchers, slow=slow)
            )
        seen.looks, seen.refusals = beside["looks"], beside["refusals"]
    yield from figures_of(
        seen, calm["looks"], before, uploads=uploads, bytes_each=size, watchers=watchers, slow=slow
    )


def figures_of(seen: Seen, calm: list[float], before: float, **sizes: int) -> Iterator[Figure]:
    """What was seen, beside the same server without load."""
    told: dict[str, Detail] = {**sizes, **seen.answers}
    looks = percentile(seen.looks, 0.99) * 1_000
    yield Figure(
        figure="load_status_p99",
        value=looks,
        target="<= 250",
        baseline="the same server without load",
        ours=looks,
        theirs=percentile(calm, 0.99) * 1_000,
        unit="ms for 99 of 100 looks at a job",
        details=told,
    )
    slowest = max(seen.refusals, default=0.0)
    yield Figure(
        figure="load_refusals",
        value=slowest,
        target="< 2",
        baseline="none",
        ours=slowest,
        theirs=0.0,
        unit="s until the slowest refusal",
        details={"refusals": len(seen.refusals)},
    )
    yield Figure(
        figure="load_memory",
        value=(max(seen.memory) - before) / 1e6,
        target="<= 300",
        baseline="the same server before",
        ours=max(seen.memory) / 1e6,
        theirs=before / 1e6,
        unit="MB of the server process at its peak",
    )


@contextmanager
def looks_at(server: Serving, job: str) -> Iterator[dict[str, list[float]]]:
    """How long each look at a job and each refusal took by the end of the block."""
    command = [sys.executable, "-m", "bench.looks", str(server.port), job]
    found: dict[str, list[float]] = {}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None, "it has a pipe"
        # It says so when it has begun.
        process.stdout.readline()
        yield found
        answer, _ = process.communicate()
    found.update(orjson.loads(answer))


async def everything(
    server: Serving, long_job: str, *, lengths: list[int], size: int, watchers: int, slow: int
) -> Seen:
    """All callers at once, until the last upload is answered."""
    seen, over = Seen(), asyncio.Event()
    weighing = asyncio.create_task(weigh_until(server, over, seen))
    beside = [
        *(asyncio.create_task(hold_streams(server, long_job)) for _ in range(watchers)),
        *(asyncio.create_task(dawdle(server)) for _ in range(slow)),
    ]
    try:
        await asyncio.wait_for(
            asyncio.gather(
                *(upload(server, number, size, length, seen) for number, length in enumerate(lengths))
            ),
            WAIT_SECONDS,
        )
    finally:
        over.set()
        for caller in beside:
            caller.cancel()
        # What became of callers that only take up room is of no interest.
        await asyncio.gather(*beside, return_exceptions=True)
        await weighing
    return seen


async def upload(server: Serving, number: int, size: int, length: int, seen: Seen) -> None:
    """Send one large document; a refusal may come before its end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(
        b"POST /v1/jobs?reuse=false HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/pdf\r\n"
        b"Connection: close\r\nContent-Length: %d\r\n\r\n" % length
    )
    answered = asyncio.create_task(reader.readline())
    try:
        for piece in padded_pieces(number, size):
            if answered.done():
                break
            writer.write(piece)
            await writer.drain()
    except ConnectionError:
        # Refused while sending: the answer is what matters.
        seen.answers["cut"] += 1
    status = await status_of(answered)
    seen.answers[status] += 1
    if status.encode() not in (*REFUSALS, b"202", b"lost"):
        raise Unexpected(f"an upload was answered {status}")
    writer.close()


async def status_of(answered: "asyncio.Task[bytes]") -> str:
    """The status of an answer, `lost` if the connection broke before it could be read."""
    try:
        line = await answered
    except ConnectionError:
        return "lost"
    return line.split()[1].decode() if line else "lost"


async def weigh_until(server: Serving, over: asyncio.Event, seen: Seen) -> None:
    """Note the memory of the server twice a second."""
    while not over.is_set():
        seen.memory.append(memory_bytes(server))
        await asyncio.sleep(0.5)


def memory_bytes(server: Serving) -> float:
    """What the server process itself holds."""
    return float(psutil.Process(server.pid).memory_info().rss)


async def hold_streams(server: Serving, job: str) -> None:
    """Follow the events of a job; a stream that has ended is opened again."""
    head = f"GET /v1/jobs/{job}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode()
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        try:
            writer.write(head)
            await reader.read()
        finally:
            writer.close()
        await asyncio.sleep(1.0)


async def dawdle(server: Serving) -> None:
    """Send a byte a second of an upload until that is cut off, again and again."""
    head = (
        b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/pdf\r\n"
        b"Content-Length: 90000\r\n\r\n%PDF-"
    )
    while True:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        with suppress(ConnectionError):
            await send_slowly(writer, head)
        writer.close()


async def send_slowly(writer: asyncio.StreamWriter, head: bytes) -> None:
    """Send the head of a request, then a byte a second."""
    writer.write(head)
    while True:
        await writer.drain()
        await asyncio.sleep(1.0)
        writer.write(b"1")
