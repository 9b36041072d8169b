"""A receiver of traces: takes what is sent by OTLP over HTTP, and tells how the spans hang together."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as Sent
from opentelemetry.proto.trace.v1.trace_pb2 import Status


@dataclass(frozen=True)
class Span:
    """A span as it came over the wire."""

    name: str
    trace: str
    id: str
    parent: str
    started: int
    ended: int
    facts: dict[str, str]
    failed: bool

    @property
    def seconds(self) -> float:
        """How long it took."""
        return (self.ended - self.started) / 1e9


@dataclass
class Spans:
    """Some spans, to be looked at."""

    all: list[Span]

    def named(self, name: str) -> list[Span]:
        """The spans of a name."""
        return [span for span in list(self.all) if span.name == name]

    def one(self, name: str) -> Span:
        """The only span of a name."""
        [span] = self.named(name)
        return span


@dataclass
class Receiver:
    """Where spans are sent, and those that came."""

    url: str = ""
    spans: list[Span] = field(default_factory=list)

    def take(self, body: bytes) -> None:
        """Take what was sent."""
        sent = ExportTraceServiceRequest.FromString(body)
        for one in sent.resource_spans:
            self.spans += [span_of(span) for scope in one.scope_spans for span in scope.spans]


def span_of(span: Sent) -> Span:
    """A span as it was sent."""
    facts = {one.key: str(getattr(one.value, one.value.WhichOneof("value") or "")) for one in span.attributes}
    return Span(
        span.name,
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        span.start_time_unix_nano,
        span.end_time_unix_nano,
        facts,
        span.status.code == Status.STATUS_CODE_ERROR,
    )


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver on a free port, until the context ends."""
    receiver = Receiver()

    class Taking(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            receiver.take(gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body)
            self.send_response_only(200)
            self.send_header("content-length", "0")
            self.end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Taking)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    receiver.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
