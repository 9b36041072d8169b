"""Servers that misbehave, over real sockets: one that answers from a script, and a proxy that cuts answers off."""

import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True, slots=True)
class Reply:
    """What to answer, and after how long; `cut` closes the connection after the body although more was announced."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    after_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Heard:
    """A request that came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Script:
    """The replies still to give, and the requests heard so far."""

    replies: list[Reply]
    url: str = ""
    heard: list[Heard] = field(default_factory=list)


@contextmanager
def scripted(*replies: Reply) -> Iterator[Script]:
    """A server that gives these replies, one per request."""
    script = Script(list(replies))

    class Speaker(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            script.heard.append(Heard(self.command, self.path, headers, body))
            reply = script.replies.pop(0)
            time.sleep(reply.after_seconds)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.body) + (100 if reply.cut else 0)))
            self.end_headers()
            self.wfile.write(reply.body)
            self.close_connection = True

        do_GET = do_POST = do_DELETE = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Speaker)) as port:
        script.url = f"http://127.0.0.1:{port}"
        yield script


@contextmanager
def cutting_proxy(target_url: str, cuts: int) -> Iterator[str]:
    """A proxy whose first connections lose the answer: the request arrives, the caller hears nothing."""
    host, _, port = target_url.removeprefix("http://").partition(":")
    left = [cuts]

    class Pipe(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with socket.create_connection((host, int(port))) as target:
                threading.Thread(target=forward, args=(self.request, target), daemon=True).start()
                if left[0]:
                    left[0] -= 1
                    target.recv(1)
                    return
                forward(target, self.request)

    with running(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Pipe)) as own_port:
        yield f"http://127.0.0.1:{own_port}"


def forward(source: socket.socket, target: socket.socket) -> None:
    """Pass bytes on until one side has had enough, and tell the other."""
    try:
        while piece := source.recv(65_536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        target.close()


@contextmanager
def running(server: socketserver.TCPServer) -> Iterator[int]:
    """A server at work in a thread; its port."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
