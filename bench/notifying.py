"""Webhooks: how fast a backlog of events reaches one receiver, and what a webhook for each job costs the jobs."""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median

from bench.door import Door
from bench.figure import Bench, Figure, paired
from bench.pages import write_document
from bench.serving import serving

EVENTS_PER_JOB = 2
WAIT_SECONDS = 600.0
LOCAL = "127.0.0.0/8"


@dataclass
class Receiver:
    """Takes webhooks; answers none of them before `opened` is set."""

    port: int = 0
    ids: set[str] = field(default_factory=set)
    opened: threading.Event = field(default_factory=threading.Event)

    def wait_for(self, count: int) -> float:
        """The time at which so many different ones had come."""
        deadline = time.monotonic() + WAIT_SECONDS
        while len(self.ids) < count:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{len(self.ids)} of {count} webhooks came")
            time.sleep(0.005)
        return time.monotonic()


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver on this machine, until the block ends."""
    receiver = Receiver()

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            receiver.opened.wait(WAIT_SECONDS)
            receiver.ids.add(self.headers["webhook-id"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.daemon_threads = True
    receiver.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield receiver
    finally:
        receiver.opened.set()
        server.shutdown()
        server.server_close()


def register(door: Door, receiver: Receiver, *events: str) -> None:
    """Have events sent to a receiver."""
    body = json.dumps({"url": f"http://127.0.0.1:{receiver.port}/hook", "events": list(events)}).encode()
    door.post("/v1/webhooks", body, {"Content-Type": "application/json"}).expect(201)


def webhooks(bench: Bench) -> Iterator[Figure]:
    """A backlog of events to one receiver, and the throughput of jobs with a webhook for each."""
    yield drain(bench)
    yield throughput(bench)


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
        receiver.opened.set()
        seconds = receiver.wait_for(count) - started
    return Figure(
        "webhook_drain", count / seconds, ">= 200", "none", count / seconds, 0.0, "webhooks per second",
        {"webhooks": count, "seconds": seconds},
    )  # fmt: skip


def throughput(bench: Bench) -> Figure:
    """Documents per second with one webhook for each, beside the same without."""
    documents = bench.documents(bench.size(400, 10), 1, seed=96_000)
    with_webhooks, without = [], []
    with receiving() as receiver:
        receiver.opened.set()
        for _ in range(bench.rounds):
            without.append(documents_per_second(bench, documents, None))
            with_webhooks.append(documents_per_second(bench, documents, receiver))
    return Figure(
        "webhook_throughput", paired(with_webhooks, without), ">= 0.95", "the same documents without webhooks",
        median(with_webhooks), median(without), "documents per second", {"documents": len(documents)},
    )  # fmt: skip


def documents_per_second(bench: Bench, documents: Sequence[Path], receiver: Receiver | None) -> float:
    """How many documents are handed in and read in a second, their webhooks included."""
    with serving(bench.fresh("throughput"), outbound_allow=LOCAL) as server, server.door() as door:
        if receiver is not None:
            register(door, receiver, "job.completed")
            receiver.ids.clear()
        started = time.monotonic()
        door.finished([door.submit(path) for path in documents], WAIT_SECONDS)
        seconds = time.monotonic() - started
        if receiver is not None:
            receiver.wait_for(len(documents))
    return len(documents) / seconds
