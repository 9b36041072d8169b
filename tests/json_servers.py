"""Servers in a thread that answer with JSON, as those of models do."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class JsonExchange(BaseHTTPRequestHandler):
    """One request and its answer."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Take a request, as the server that this is part of does."""
        self.take_request()

    def take_request(self) -> None:
        """Check the request and answer it; a server that takes none knows no address."""
        self.answer(404, {})

    def answer(self, status: int, body: dict[str, Any]) -> None:
        """Send an answer."""
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        if status == 429:
            self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serve_exchanges(exchange: type[JsonExchange]) -> Iterator[ThreadingHTTPServer]:
    """A server on a free port of this machine."""
    listening = ThreadingHTTPServer(("127.0.0.1", 0), exchange)
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield listening
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()
