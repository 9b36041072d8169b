"""Real HTTP receivers for requests that pagemill sends: they note what came, and answer as a test asks."""

import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Received:
    """A request as it arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    at: float


@dataclass(frozen=True)
class Answered:
    """What is sent back; the body may come in pieces, slowly."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    pieces: Callable[[], Iterator[bytes]] | None = None
    # The pieces are all there is, without a status line or headers in front of them.
    raw: bool = False


Answering = Callable[[Received], Answered]


@dataclass
class HttpReceiver:
    """A server on a free port of this machine and the requests that reached it."""

    answer: Answering
    url: str = ""
    port: int = 0
    requests: list[Received] = field(default_factory=list)

    def bodies(self) -> list[bytes]:
        """The bodies that came, in order."""
        return [one.body for one in self.requests]


class QuietServer(ThreadingHTTPServer):
    """A server that says nothing about callers that went away."""

    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """Callers may leave at any time."""


def respond(caller: BaseHTTPRequestHandler, answered: Answered) -> None:
    """Send an answer."""
    if not answered.raw:
        caller.send_response_only(answered.status)
    for name, value in answered.headers.items():
        caller.send_header(name, value)
    if caller.command == "HEAD":
        caller.end_headers()
        return
    if answered.pieces is None:
        caller.send_header("content-length", str(len(answered.body)))
        caller.end_headers()
        caller.wfile.write(answered.body)
        return
    caller.close_connection = True
    if not answered.raw:
        caller.end_headers()
    for piece in answered.pieces():
        caller.wfile.write(piece)


@contextmanager
def receiving_http(
    answer: Answering = lambda _: Answered(), *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> Iterator[HttpReceiver]:
    """A receiver, until the context ends."""
    receiver = HttpReceiver(answer)

    class Caller(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            self.connection.settimeout(30)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            received = Received(self.command, self.path, headers, body, time.time())
            receiver.requests.append(received)
            respond(self, receiver.answer(received))

        def do_GET(self) -> None:
            self.do_POST()

        def do_HEAD(self) -> None:
            self.do_POST()

        def do_PUT(self) -> None:
            self.do_POST()

        def do_DELETE(self) -> None:
            self.do_POST()

    server = QuietServer((host, 0), Caller)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    receiver.port = server.server_port
    receiver.url = f"{'https' if tls else 'http'}://{host}:{server.server_port}"
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
