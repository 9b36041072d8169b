"""Webhooks: how fast a backlog of events reaches one receiver, and what a webhook for each job costs the jobs."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median

from bench.door import Door
from bench.figure import Bench, Figure, paired
from bench.machine import cpu_seconds
from bench.pages import write_document
from bench.receiving import Receiver, receiving
from bench.serving import Serving, serving

EVENTS_PER_JOB = 2
WAIT_SECONDS = 600.0
LOCAL = "127.0.0.0/8"


def register(door: Door, receiver: Receiver, *events: str) -> str:
    """Have events sent to a receiver; the id of its endpoint."""
    body = json.dumps({"url": f"http://127.0.0.1:{receiver.port}/hook", "events": list(events)}).encode()
    made = door.post("/v1/webhooks", body, {"Content-Type": "application/json"}).expect(201).json()
    return str(made["id"])


def webhooks(bench: Bench) -> Iterator[Figure]:
    """A backlog of events to one receiver, and the throughput of jobs with a webhook for each."""
    yield drain(bench)
    yield from throughput(bench)


def drain(bench: Bench) -> Figure:
    """How many events of a backlog reach one receiver in a second."""
    count = bench.size(10_000, 40)
    letter = write_document(bench.fresh("letter"), 1, seed=95_000).read_bytes()
    data_dir = bench.fresh("drain")
    with (
        receiving() as receiver,
        serving(data_dir, outbound_allow=LOCAL, webhook_timeout_seconds=WAIT_SECONDS) as server,
        server.door() as door,
    ):
        first = str(door.hand_in(letter, "letter.pdf").expect(202).json()["id"])
        door.finished([first], 60)
        register(door, receiver, "job.accepted", "job.completed")
        for number in range(count // EVENTS_PER_JOB):
            # Answered from the first result, so that nothing but events is made.
            door.hand_in(letter, f"{number}.pdf", reuse="true").expect(202)
        started = time.monotonic()
        receiver.open()
        seconds = receiver.wait_for(count) - started
    return Figure(
        "webhook_drain",
        count / seconds,
        ">= 200",
        "none",
        count / seconds,
        0.0,
        "webhooks per second",
        {"webhooks": count, "seconds": seconds},
    )


def throughput(bench: Bench) -> Iterator[Figure]:
    """Documents with one webhook for each, beside the same without: by the CPU that they take, and by the clock.

    Both sides take turns on one server. The clock also sees the receiver, which shares the machine; CPU is counted for
    the processes of the server alone.
    """
    count, rounds = bench.size(200, 10), 2 * bench.rounds
    documents = iter(bench.documents(2 * rounds * count + count, 1, seed=96_000))
    costs: dict[bool, list[Cost]] = {False: [], True: []}
    with (
        receiving() as receiver,
        serving(bench.fresh("throughput"), outbound_allow=LOCAL) as server,
        server.door() as door,
    ):
        receiver.open()
        read_documents(server, door, list(islice(documents, count)), None)
        for _ in range(rounds):
            for notified, found in costs.items():
                part = list(islice(documents, count))
                found.append(read_documents(server, door, part, receiver if notified else None))
    for name, unit, rate in (
        ("webhook_throughput_cpu", "documents per CPU second of the server's processes", by_cpu),
        ("webhook_throughput", "documents per second on a machine shared with the receiver", by_clock),
    ):
        ours, theirs = ([count / rate(cost) for cost in costs[notified]] for notified in (True, False))
        yield Figure(
            name,
            paired(ours, theirs),
            ">= 0.95",
            "the same server without webhooks",
            median(ours),
            median(theirs),
            unit,
            {"documents": count, "rounds": rounds},
        )


@dataclass(frozen=True)
class Cost:
    """What reading some documents took."""

    seconds: float
    cpu_seconds: float


def by_cpu(cost: Cost) -> float:
    """CPU seconds."""
    return cost.cpu_seconds


def by_clock(cost: Cost) -> float:
    """Seconds by the clock."""
    return cost.seconds


def read_documents(server: Serving, door: Door, documents: Sequence[Path], receiver: Receiver | None) -> Cost:
    """What it takes to read documents, their webhooks included if there is a receiver."""
    endpoint = None
    if receiver is not None:
        receiver.ids.clear()
        endpoint = register(door, receiver, "job.completed")
    cpu, started = cpu_seconds(server.pid), time.monotonic()
    door.finished([door.submit(path) for path in documents], WAIT_SECONDS)
    seconds = time.monotonic() - started
    if receiver is not None:
        receiver.wait_for(len(documents))
        # Nothing is left to be done once the last delivery is recorded.
        wait_for_records(door, len(documents), endpoint or "")
    cost = Cost(seconds, cpu_seconds(server.pid) - cpu)
    if endpoint is not None:
        door.delete(f"/v1/webhooks/{endpoint}").expect(200, 204)
    return cost


def wait_for_records(door: Door, count: int, endpoint: str) -> None:
    """Return when so many deliveries of an endpoint are recorded as delivered."""
    deadline = time.monotonic() + WAIT_SECONDS
    while door.get(f"/v1/webhooks/{endpoint}").expect(200).json()["deliveries"].get("delivered", 0) < count:
        if time.monotonic() > deadline:
            raise TimeoutError("deliveries were not recorded")
        time.sleep(0.05)
