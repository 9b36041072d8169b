"""What requests cost: CPU of the server per upload and per look at a job, and how long uploads take."""

import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Protocol

from bench.door import Door
from bench.figure import Bench, Figure, paired, percentile
from bench.machine import cpu_seconds
from bench.pages import padded_document
from bench.serving import bare_application, serving

UPLOAD_BYTES = 1_000_000
MARK_PLACE = UPLOAD_BYTES // 2
Request = Callable[[Door, int], float]


class Answering(Protocol):
    """Whatever answers requests in a process of its own."""

    @property
    def pid(self) -> int:
        """Its process id."""
        ...

    def door(self) -> Door:
        """A connection to it."""
        ...


def ack(bench: Bench) -> Iterator[Figure]:
    """Uploads of 1 MB: CPU beside the bare application, and how long they take with many clients."""
    documents = Documents()
    count = bench.size(320, 16)
    ours, theirs = [], []
    with serving(bench.fresh("ack"), workers=False) as server, bare_application(bench.fresh("bare")) as bare:
        for side, request in ((server, documents.hand_in), (bare, documents.upload)):
            load(side, request, 16, 4)
        for _ in range(bench.rounds):
            theirs.append(cpu_per_request(bare, documents.upload, count, 16))
            ours.append(cpu_per_request(server, documents.hand_in, count, 16))
        waits: dict[int, list[list[float]]] = {1: [], 16: [], 64: []}
        bare_waits: dict[int, list[list[float]]] = {16: []}
        for _ in range(bench.rounds):
            # In turns, because what else runs on the machine changes from round to round.
            bare_waits[16].append(load_after_rest(bare, documents.upload, count, 16))
            for clients, rounds in waits.items():
                rounds.append(load_after_rest(server, documents.hand_in, count, clients))
    told = {f"p{share}_ms": in_ms(waits, share) for share in (50, 99)}
    p99, bare_p99 = ([percentile(one, 0.99) for one in rounds[16]] for rounds in (waits, bare_waits))
    yield Figure(
        figure="ack_cpu",
        value=paired(ours, theirs),
        target="<= 1.4",
        baseline="a bare FastAPI route: body to disk, hash, one row",
        ours=median(ours) * 1000,
        theirs=median(theirs) * 1000,
        unit="CPU ms per accepted 1 MB upload",
        details={"clients": 16, **told},
    )
    yield Figure(
        figure="ack_p99",
        value=paired(p99, bare_p99),
        target="<= 1.1",
        baseline="the same bare route",
        ours=told["p99_ms"]["16"],
        theirs=in_ms(bare_waits, 99)["16"],
        unit="ms for 99 of 100 uploads of 1 MB by 16 clients",
        details={"uploads": count},
    )


def in_ms(waits: dict[int, list[list[float]]], share: int) -> dict[str, float]:
    """A percentile of the waits for each number of clients, in milliseconds, in the median of the rounds."""
    return {
        str(clients): median(percentile(values, share / 100) for values in rounds) * 1000
        for clients, rounds in waits.items()
    }


def status(bench: Bench) -> Iterator[Figure]:
    """Looks at a job, finished or still waiting behind others: CPU beside a constant; the dearer one counts."""
    count, data_dir = bench.size(4_000, 100), bench.fresh("status")
    first, *others = bench.documents(bench.size(101, 3), 1, seed=10_000)
    with serving(data_dir) as server, server.door() as door:
        done = door.submit(first)
        door.finished([done], 60)
    costs: dict[str, list[float]] = {"completed": [], "pending": [], "constant": []}
    with serving(data_dir, workers=False) as server, bare_application(bench.fresh("bare")) as bare:
        with server.door() as door:
            waiting = [door.submit(path) for path in others][-1]
        for _ in range(bench.rounds):
            costs["constant"].append(cpu_per_request(bare, look("/constant"), count, 8))
            costs["completed"].append(cpu_per_request(server, look(f"/v1/jobs/{done}"), count, 8))
            costs["pending"].append(cpu_per_request(server, look(f"/v1/jobs/{waiting}"), count, 8))
    worst = max(("completed", "pending"), key=lambda kind: median(costs[kind]))
    yield Figure(
        figure="status_cpu",
        value=paired(costs[worst], costs["constant"]),
        target="<= 2.5",
        baseline="a bare FastAPI route that returns a constant",
        ours=median(costs[worst]) * 1000,
        theirs=median(costs["constant"]) * 1000,
        unit="CPU ms per GET /v1/jobs/{id}",
        details={"of": worst, **{f"{kind}_ms": median(costs[kind]) * 1000 for kind in costs}},
    )


def look(path: str) -> Request:
    """A request that gets a path."""
    return lambda door, _number: timed(lambda: door.get(path).expect(200))


class Documents:
    """Documents of 1 MB, each with a mark of its own in the middle."""

    def __init__(self) -> None:
        whole = padded_document(seed=1, size_bytes=UPLOAD_BYTES)
        self._head, self._tail = whole[:MARK_PLACE], whole[MARK_PLACE + 16 :]
        self._numbers = itertools.count()

    def next(self) -> bytes:
        """A document that no one had before."""
        return self._head + f"{next(self._numbers):016}".encode() + self._tail

    def hand_in(self, door: Door, number: int) -> float:
        """Hand one in; the seconds that it took."""
        body = self.next()
        return timed(lambda: door.hand_in(body, f"{number}.pdf").expect(202))

    def upload(self, door: Door, _number: int) -> float:
        """Upload one to the bare application; the seconds that it took."""
        body = self.next()
        return timed(lambda: door.post("/upload", body).expect(202))


def timed(act: Callable[[], object]) -> float:
    """The seconds that something takes."""
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def cpu_per_request(server: Answering, request: Request, count: int, clients: int) -> float:
    """CPU seconds that the server and all its processes spend on one request."""
    before = cpu_seconds(server.pid)
    load_after_rest(server, request, count, clients)
    return (cpu_seconds(server.pid) - before) / count


def load_after_rest(server: Answering, request: Request, count: int, clients: int) -> list[float]:
    """As `load`, once all is on the disk that was left to be written later: it is not for this side to wait for."""
    os.sync()
    return load(server, request, count, clients)


def load(server: Answering, request: Request, count: int, clients: int) -> list[float]:
    """Make that many requests over that many connections; the seconds that each took."""
    numbers = iter(range(count))
    waits: list[float] = []
    failures: list[Exception] = []

    def ask() -> None:
        try:
            with server.door() as door:
                for number in numbers:
                    waits.append(request(door, number))
        except Exception as error:  # for the caller, who would otherwise wait for answers that never come
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(min(clients, count))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return waits
