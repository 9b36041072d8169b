"""A real server in this process, and what tests do with it over real sockets."""

import socket
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from pagemill.entrypoints.http_app import create_app
from pagemill.entrypoints.http_server import make_server
from pagemill.mill import Mill
from pagemill.settings import Settings
from pagemill.wiring import open_mill
from tests.waiting import wait_for
from tests.walking import files_below

START_SECONDS = 30
PATIENCE_SECONDS = 60


@dataclass(frozen=True)
class Served:
    """A mill and the server in front of it."""

    mill: Mill
    port: int
    http: httpx.Client

    @property
    def url(self) -> str:
        """Where the server is reached."""
        return f"http://127.0.0.1:{self.port}"

    def submit(self, document: bytes, **options: str) -> dict[str, Any]:
        """Hand in a document as a raw body and return its job."""
        answer = self.http.post(
            "/v1/jobs", content=document, params=options, headers={"content-type": "application/pdf"}
        )
        assert answer.status_code == 202, answer.text
        job: dict[str, Any] = answer.json()
        return job

    def finished(self, document: bytes, **options: str) -> dict[str, Any]:
        """Hand in a document and return its job after its end."""
        return self.ended(self.submit(document, **options)["id"])

    def ended(self, job_id: str, revision: int = 0) -> dict[str, Any]:
        """A job after its end, once its result has that revision."""

        def look() -> list[dict[str, Any]]:
            job = self.http.get(f"/v1/jobs/{job_id}", params={"wait": PATIENCE_SECONDS}).json()
            return [job] if job["finished_at"] and job["revision"] >= revision else []

        return wait_for(look)[0]

    def files(self) -> set[Path]:
        """Every file in the blob store."""
        return set(files_below(self.mill.settings.data_dir / "blobs"))

    def jobs(self) -> set[str]:
        """The newest jobs that there are."""
        return {job["id"] for job in self.http.get("/v1/jobs", params={"limit": 200}).json()["jobs"]}

    def refusals(self) -> list[dict[str, Any]]:
        """Every refusal in the event log."""
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            params = {"type": "request.refused", "limit": "1000"} | ({"cursor": cursor} if cursor else {})
            page = self.http.get("/v1/events", params=params).json()
            if not page["events"]:
                return [event["facts"] for event in found]
            found += page["events"]
            cursor = page["next_cursor"]


def served(settings: Settings) -> AbstractContextManager[Served]:
    """A server on a free port with a mill at work, until the context ends."""
    return run_server(settings, workers=True)


def served_idle(settings: Settings) -> AbstractContextManager[Served]:
    """A server on a free port whose jobs are never begun, until the context ends."""
    return run_server(settings, workers=False)


@contextmanager
def run_server(settings: Settings, *, workers: bool) -> Iterator[Served]:
    """A server in a thread of its own."""
    ports: list[int] = []
    listening = threading.Event()

    def told(port: int) -> None:
        ports.append(port)
        listening.set()

    with open_mill(settings, workers=workers) as mill:
        server = make_server(create_app(mill), settings, told)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            assert listening.wait(START_SECONDS)
            with httpx.Client(
                base_url=f"http://127.0.0.1:{ports[0]}", timeout=PATIENCE_SECONDS, verify=False
            ) as http:
                yield Served(mill, ports[0], http)
        finally:
            server.should_exit = True
            thread.join()


def talk(port: int, sent: bytes, *, half_close: bool = False, seconds: float = 20) -> bytes:
    """Send bytes and return everything that comes back until the server closes or falls silent."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as door:
        try:
            door.sendall(sent)
            if half_close:
                door.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):
            # Refused while sending: the answer is what matters.
            return heard(door)
        return heard(door)


def heard(door: socket.socket) -> bytes:
    """What the server says until it closes the connection or the answer is complete."""
    said = b""
    while not is_complete(said):
        try:
            piece = door.recv(65_536)
        except ConnectionResetError:
            return said
        if not piece:
            return said
        said += piece
    return said


def is_complete(said: bytes) -> bool:
    """Whether an answer with a declared length is here in full."""
    head, end, body = said.partition(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if end and line.startswith(b"content-length:"):
            return len(body) >= int(line.split(b":")[1])
    return bool(end) and head.startswith((b"HTTP/1.1 204", b"HTTP/1.1 304"))


def status_of(said: bytes) -> int:
    """The status of an answer as it came over the wire."""
    return int(said.split(b" ", 2)[1]) if said.startswith(b"HTTP/1.1 ") else 0
