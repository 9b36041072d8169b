"""A web server before an S3 server that answers some requests badly, as buckets do on a bad day."""

import math
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

REFUSALS = {
    "slow_down": (
        503,
        b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>",
    ),
    "forbidden": (403, b"<Error><Code>InvalidAccessKeyId</Code><Message>Unknown key.</Message></Error>"),
    "broken": (500, b"<Error><Code>InternalError</Code><Message>We had a problem.</Message></Error>"),
}
MISSING = b"<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>"
HOP_HEADERS = {"connection", "transfer-encoding", "keep-alive"}
UNPACKED = {"Accept-Encoding": "identity"}
LONGEST_SECONDS = 30.0


class BadBucket(ThreadingHTTPServer):
    """Passes requests on, but for a share of them that come to grief."""

    daemon_threads = True

    def __init__(self, target: str, share: float, seed: int) -> None:
        super().__init__(("127.0.0.1", 0), Passing)
        self.http = httpx.Client(base_url=target, timeout=LONGEST_SECONDS)
        self.share = share
        self.troubles: Counter[str] = Counter()
        # What goes wrong with each request; the share decides if it is empty.
        self.always = ""
        # Until then no object can be read, though it is there.
        self.hidden_until = -math.inf
        self._random = random.Random(seed)

    @property
    def url(self) -> str:
        """Where it is reached."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def trouble(self) -> str:
        """What goes wrong with the next request; mostly nothing."""
        if self.always:
            self.troubles[self.always] += 1
            return self.always
        chosen = ""
        if self._random.random() < self.share:
            chosen = self._random.choice(sorted(TROUBLES))
            self.troubles[chosen] += 1
        return chosen

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that hung up."""


class Passing(BaseHTTPRequestHandler):
    """One connection of a client."""

    protocol_version = "HTTP/1.1"
    server: BadBucket

    def pass_on(self) -> None:
        """Answer what the bucket answers, or worse."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        trouble = self.server.trouble()
        if self.command == "GET" and "?" not in self.path and time.monotonic() < self.server.hidden_until:
            self.server.troubles["hidden"] += 1
            self.tell(404, {}, MISSING)
            return
        if trouble in REFUSALS:
            status, words = REFUSALS[trouble]
            self.tell(status, {}, words)
            return
        asked = {**UNPACKED, **dict(self.headers.items())}
        answer = self.server.http.request(self.command, self.path, content=body, headers=asked)
        headers = {name: value for name, value in answer.headers.items() if name not in HOP_HEADERS}
        TROUBLES.get(trouble, Passing.tell)(self, answer.status_code, headers, answer.content)

    def tell(self, status: int, headers: dict[str, str], body: bytes) -> None:
        """Answer in full; an answer to HEAD keeps the length that the bucket told."""
        if self.command != "HEAD":
            headers = headers | {"content-length": str(len(body))}
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def truncate(self, status: int, headers: dict[str, str], body: bytes) -> None:
        """Hang up in the middle of the answer."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[: len(body) // 2])
        self.close_connection = True

    def shorten(self, status: int, headers: dict[str, str], body: bytes) -> None:
        """Give a part for the whole; only whoever knows the checksum can tell."""
        is_object = self.command == "GET" and "?" not in self.path and status == 200
        self.tell(status, headers, body[: len(body) // 2] if is_object else body)

    def reset(self, *_: object) -> None:
        """Hang up without an answer, though the request was carried out."""
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = pass_on  # noqa: N815 - the names that the library calls


TROUBLES: dict[str, Callable[[Passing, int, dict[str, str], bytes], None]] = {
    "slow_down": Passing.tell,
    "broken": Passing.tell,
    "truncate": Passing.truncate,
    "shorten": Passing.shorten,
    "reset": Passing.reset,
}


@contextmanager
def bad_bucket(target: str, share: float, seed: int = 1) -> Iterator[BadBucket]:
    """Trouble before an S3 server until the context ends."""
    server = BadBucket(target, share, seed)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        server.http.close()
