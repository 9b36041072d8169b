"""POST over connections that are kept, with httptools' parser: a webhook goes out for every event, so each must be cheap."""

import re
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import httpcore
import httptools

from pagemill.adapters.outbound.network import CheckedNetwork
from pagemill.adapters.outbound.targets import Target

CONNECT_SECONDS = 10.0
KEEP_ALIVE_SECONDS = 20.0
# Of an answer whose head is not complete by then, nothing more is read.
MAX_HEAD_BYTES = 65_536
READ_BYTES = 65_536
FIRST_FINAL_STATUS = 200
# What would end a line of the request before its time.
UNSAFE = re.compile(r"[\0\r\n]")
# Scheme, host and port.
Origin = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; a body that is longer than was allowed is cut off."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(slots=True)
class ReplyParser:
    """Takes the bytes of an answer; httptools calls the methods whose names begin with `on_`."""

    largest_body_bytes: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytearray = field(default_factory=bytearray)
    status: int = 0
    has_head: bool = False
    is_complete: bool = False
    # Whether another request may follow on the same connection.
    keeps_connection: bool = False
    _head_bytes: int = 0
    _parser: httptools.HttpResponseParser = field(init=False)

    def __post_init__(self) -> None:
        self._parser = httptools.HttpResponseParser(self)

    @property
    def is_enough(self) -> bool:
        """Whether no more of the answer is wanted."""
        return self.is_complete or len(self.body) >= self.largest_body_bytes

    def feed(self, piece: bytes) -> None:
        """Take some bytes; none mean that the server has ended the connection."""
        if not piece:
            self._end()
            return
        self._head_bytes += len(piece)
        try:
            self._parser.feed_data(piece)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self.keeps_connection = False
            # What a server sends behind its answer is its own affair.
            if not self.is_complete:
                raise httpcore.RemoteProtocolError(str(error)) from error
        if not self.has_head and self._head_bytes > MAX_HEAD_BYTES:
            raise httpcore.RemoteProtocolError("the head of the answer is too long")

    def _end(self) -> None:
        """The end of the connection is the end of an answer that does not say how long it is."""
        if not self.has_head or {"content-length", "transfer-encoding"} & self.headers.keys():
            raise httpcore.RemoteProtocolError("the answer is not complete")
        self.is_complete = True

    def on_message_begin(self) -> None:
        """An answer begins; another one behind the final one is not ours."""
        if self.is_complete:
            self.keeps_connection = False

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header of the answer."""
        if not self.is_complete:
            self.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """The head is complete, or that of an answer before the final one."""
        if self.is_complete:
            return
        self.status = self._parser.get_status_code()
        self.has_head = self.status >= FIRST_FINAL_STATUS

    def on_body(self, piece: bytes) -> None:
        """Some of the body."""
        if not self.is_complete:
            self.body += piece

    def on_message_complete(self) -> None:
        """The answer is complete; after one that is not final another follows."""
        if self.is_complete:
            return
        if not self.has_head:
            self.headers.clear()
            return
        self.is_complete = True
        # The parser knows it now, and forgets it with the next call.
        self.keeps_connection = bool(self._parser.should_keep_alive())


@dataclass(frozen=True, slots=True, eq=False)
class IdleConnection:
    """A connection on which another request may be sent."""

    origin: Origin
    stream: httpcore.NetworkStream
    since: float

    @property
    def is_over(self) -> bool:
        """Whether it has been idle for too long."""
        return time.monotonic() - self.since > KEEP_ALIVE_SECONDS


class Poster:
    """Sends POST requests; may be used from many threads, which share the connections that are idle."""

    def __init__(self, network: CheckedNetwork, tls: Callable[[], ssl.SSLContext], most_idle: int) -> None:
        self._network = network
        self._tls = tls
        self._most_idle = most_idle
        # The one that was used last is the last.
        self._idle: deque[IdleConnection] = deque()
        self._lock = threading.Lock()

    def post(
        self, target: Target, path: bytes, headers: Mapping[str, str], body: bytes, largest_bytes: int
    ) -> Reply:
        """The answer to a POST; raises errors of httpcore."""
        head = request_head(path, headers, len(body))
        parser = ReplyParser(largest_bytes)
        with self._connection(target, parser) as stream:
            # A server that takes no more of a long body may have answered.
            with suppress(httpcore.WriteError):
                stream.write(head + body)
            while not parser.is_enough:
                parser.feed(stream.read(READ_BYTES))
        return Reply(parser.status, parser.headers, bytes(parser.body[:largest_bytes]))

    @contextmanager
    def _connection(self, target: Target, parser: ReplyParser) -> Iterator[httpcore.NetworkStream]:
        """A connection to the target, which is kept if the answer was read to its end and allows it."""
        origin = (target.scheme, target.host, target.port)
        stream = self._take_idle(origin) or self._connect(target)
        try:
            yield stream
        except BaseException:
            stream.close()
            raise
        if parser.keeps_connection:
            self._keep(origin, stream)
        else:
            stream.close()

    def _connect(self, target: Target) -> httpcore.NetworkStream:
        stream = self._network.connect_tcp(target.host, target.port, CONNECT_SECONDS)
        if target.scheme != "https":
            return stream
        try:
            return stream.start_tls(self._tls(), target.host, CONNECT_SECONDS)
        except BaseException:
            stream.close()
            raise

    def _take_idle(self, origin: Origin) -> httpcore.NetworkStream | None:
        """The connection that was used last, unless its server has ended it."""
        with self._lock:
            while found := next((one for one in reversed(self._idle) if one.origin == origin), None):
                self._idle.remove(found)
                # Nothing can be read from one that waits for its next request, unless it was ended.
                if not found.is_over and not found.stream.get_extra_info("is_readable"):
                    return found.stream
                found.stream.close()
        return None

    def _keep(self, origin: Origin, stream: httpcore.NetworkStream) -> None:
        """Keep a connection; the oldest go if they have been idle for too long, or are too many."""
        with self._lock:
            self._idle.append(IdleConnection(origin, stream, time.monotonic()))
            while self._idle[0].is_over or len(self._idle) > self._most_idle:
                self._idle.popleft().stream.close()

    def close(self) -> None:
        """End the connections that are idle."""
        with self._lock:
            idle, self._idle = self._idle, deque()
        for one in idle:
            with suppress(OSError):
                one.stream.close()


def request_head(path: bytes, headers: Mapping[str, str], length: int) -> bytes:
    """The head of a POST; LocalProtocolError if something in it would end a line."""
    lines = [f"{name}: {value}" for name, value in {**headers, "Content-Length": str(length)}.items()]
    if b" " in path or UNSAFE.search(path.decode("latin-1")) or any(map(UNSAFE.search, lines)):
        raise httpcore.LocalProtocolError("a header or the path has a line break in it")
    text = "\r\n".join(lines)
    return b"POST " + path + b" HTTP/1.1\r\n" + text.encode("latin-1") + b"\r\n\r\n"
