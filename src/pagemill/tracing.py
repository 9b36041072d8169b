"""Traces: one follows a document from the request that brought it to its result.

Nothing here does anything until `exporting` is entered with an address. Spans leave in a thread of their own, and are
dropped when it can't keep up: work never waits for them and never fails because of them.
"""

import logging
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pagemill.errors import Refused

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, SpanKind, Tracer

log = logging.getLogger("pagemill.tracing")

Fact = str | int | float | bool
PATH = "/v1/traces"
SEND_SECONDS = 5.0
FAREWELL_SECONDS = 2.0
# About a minute of spans of a busy machine; those beyond are dropped.
MOST_WAITING = 8_192
SEND_EVERY_SECONDS = 1.0
NOTHING: AbstractContextManager[None] = nullcontext()
# The last two digits of a traceparent whose sender did not choose it to be recorded.
UNSAMPLED = "-00"


class _Used:
    """The tracer in use, if there is one."""

    tracer: "Tracer | None" = None


@dataclass(frozen=True, slots=True)
class PastSpan:
    """Something that is over: how long ago it began, by this machine's clock, and how long it took."""

    name: str
    ended_at: float
    seconds: float
    facts: Mapping[str, Fact]

    def earlier(self, seconds: float) -> "PastSpan":
        """The same, so much earlier."""
        return replace(self, ended_at=self.ended_at - seconds)


class OpenSpan:
    """A span that is ended elsewhere; what happens within it is found by the key of its work."""

    def __init__(self, tracer: "Tracer", name: str, parent: str, key: str, facts: Mapping[str, Fact]) -> None:
        self._tracer = tracer
        self._span = tracer.start_span(name, _context_of(parent), attributes=dict(facts))
        self._within: list[PastSpan] = []
        self._key = key
        _open[key] = self

    def current(self) -> AbstractContextManager[object]:
        """Make the spans that begin meanwhile, in this thread, children of this one."""
        from opentelemetry.trace import use_span

        return use_span(self._span, record_exception=False)

    def record(self, past: PastSpan) -> None:
        """Note below this span something that is over."""
        self._within.append(past)

    def end(self, facts: Mapping[str, Fact], failed: str | None) -> None:
        """End it and all spans below it, with the results; `failed` says what went wrong."""
        from opentelemetry.trace import StatusCode, set_span_in_context

        _open.pop(self._key, None)
        for past in self._within:
            _record(
                self._tracer, replace(past, facts={**facts, **past.facts}), set_span_in_context(self._span)
            )
        self._span.set_attributes(dict(facts))
        if failed is not None:
            self._span.set_status(StatusCode.ERROR, failed)
        self._span.end()


_open: dict[str, OpenSpan] = {}


def is_on() -> bool:
    """Whether traces are sent."""
    return _Used.tracer is not None


def open_span(name: str, parent: str | None, key: str, facts: Mapping[str, Fact]) -> OpenSpan | None:
    """A span below the given one, for the work of a key, to be ended by the caller; None if it is not recorded."""
    if _Used.tracer is None or parent is None or parent.endswith(UNSAMPLED):
        return None
    return OpenSpan(_Used.tracer, name, parent, key, facts)


def record_span_for(key: str, past: PastSpan) -> None:
    """Note something that is over below the span of the work of a key, if there is one."""
    if span := _open.get(key):
        span.record(past)


def record_span(parent: str | None, past: PastSpan) -> None:
    """Note something that is over below the given span, if that trace is recorded."""
    if _Used.tracer is not None and parent is not None and not parent.endswith(UNSAMPLED):
        _record(_Used.tracer, past, _context_of(parent))


def request_span(name: str, parent: str | None) -> AbstractContextManager[object]:
    """A span for an incoming request: below the caller's, if it names one, else the first of a new trace."""
    if _Used.tracer is None:
        return NOTHING
    from opentelemetry.trace import SpanKind

    return _current(_Used.tracer, name, _context_of(parent), SpanKind.SERVER, {})


def child_span(name: str, **facts: Fact) -> AbstractContextManager[object]:
    """A span below the present one; nothing if there is none."""
    if _Used.tracer is None:
        return NOTHING
    from opentelemetry.trace import SpanKind, get_current_span

    if not get_current_span().is_recording():
        return NOTHING
    return _current(_Used.tracer, name, None, SpanKind.INTERNAL, facts)


def add_facts(**facts: Fact) -> None:
    """Add facts to the present span, if there is one."""
    if _Used.tracer is not None:
        from opentelemetry.trace import get_current_span

        get_current_span().set_attributes(facts)


def present() -> str | None:
    """The present span as a `traceparent`; None if there is none."""
    if _Used.tracer is None:
        return None
    from opentelemetry.trace import get_current_span

    span = get_current_span().get_span_context()
    return (
        f"00-{span.trace_id:032x}-{span.span_id:016x}-{int(span.trace_flags):02x}" if span.is_valid else None
    )


@contextmanager
def exporting(url: str, ratio: float, instance: str) -> Iterator[None]:
    """Send traces to an address while the context lasts; nothing at all if there is none."""
    if not url:
        yield
        return
    provider, before = _provider(url, ratio, instance), _Used.tracer
    _Used.tracer = provider.get_tracer("pagemill")
    try:
        yield
    finally:
        _Used.tracer = before
        _shut_down(provider)


def _provider(url: str, ratio: float, instance: str) -> "TracerProvider":
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
    except ImportError as error:
        raise Refused("PAGEMILL_TRACES_URL needs OpenTelemetry: pip install 'pagemill[traces]'.") from error
    provider = TracerProvider(
        sampler=ParentBased(TraceIdRatioBased(ratio)),
        resource=Resource.create({"service.name": "pagemill", "service.instance.id": instance}),
        shutdown_on_exit=False,
    )
    address = url if url.rstrip("/").endswith(PATH) else url.rstrip("/") + PATH
    exporter = OTLPSpanExporter(address, timeout=SEND_SECONDS)
    provider.add_span_processor(
        BatchSpanProcessor(
            exporter, max_queue_size=MOST_WAITING, schedule_delay_millis=1_000 * SEND_EVERY_SECONDS
        )
    )
    return provider


def _shut_down(provider: "TracerProvider") -> None:
    """Send what is left, but wait for no one for long."""
    thread = threading.Thread(target=provider.shutdown, name="pagemill-traces", daemon=True)
    thread.start()
    thread.join(FAREWELL_SECONDS)
    if thread.is_alive():
        log.warning("the last spans could not be sent in time")


def _context_of(parent: str | None) -> "Context":
    from opentelemetry.context import Context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    # An empty one to begin with: the span that happens to be present is not its parent.
    carrier = {} if parent is None else {"traceparent": parent}
    return TraceContextTextMapPropagator().extract(carrier, Context())


@contextmanager
def _current(
    tracer: "Tracer", name: str, context: "Context | None", kind: "SpanKind", facts: Mapping[str, Fact]
) -> Iterator["Span"]:
    with tracer.start_as_current_span(name, context, kind, dict(facts), record_exception=False) as span:
        yield span


def _record(tracer: "Tracer", past: PastSpan, context: "Context") -> None:
    ended = round(past.ended_at * 1e9)
    span = tracer.start_span(
        past.name, context, attributes=dict(past.facts), start_time=ended - round(past.seconds * 1e9)
    )
    span.end(ended)


def past_span(name: str, seconds: float, **facts: Fact) -> PastSpan:
    """Something that ended just now."""
    return PastSpan(name, time.time(), seconds, facts)
