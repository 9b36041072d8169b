"""One connection: uvicorn's HTTP protocol with limits on what comes before and beside a body.

uvicorn has none of them: a header without an end would be kept in memory, a connection that sends nothing would be
held for ever, and a body that is no longer wanted would be read to its end, however slowly it comes.
"""

import logging
import struct
from asyncio import AbstractEventLoop, TimerHandle, Transport
from collections.abc import Mapping
from http import HTTPStatus
from socket import SO_LINGER, SOL_SOCKET
from typing import Any, ClassVar, cast

import orjson
from uvicorn._types import ASGISendEvent
from uvicorn.config import Config
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.http11 import Request

from pagemill.entrypoints.wire.problems import MEDIA_TYPE, problem_headers, problem_members
from pagemill.errors import (
    HeadersTooLarge,
    Overloaded,
    PagemillError,
    RequestError,
    UploadTooSlow,
    UriTooLong,
)

log = logging.getLogger("pagemill.websocket")
log.setLevel(logging.WARNING)

# Headers, trailers and whatever else is neither a complete head nor a body.
MAX_LOOSE_BYTES = 32_768
MAX_URL_BYTES = 8_192
LINGER_SECONDS = 2.0
# So long after each piece of a body that is no longer wanted, for each connection of the process that has such a body:
# together they are not read faster than one alone, and take little time from others.
LINGER_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.001, 0.25
# In the scope of a request or a WebSocket: cuts its connection off, for what is not read.
CUT_OFF = "pagemill.cut_off"
AT_ONCE = struct.pack("ii", 1, 0)
# What an answer to a handshake of another version names.
SOCKET_VERSION = {"sec-websocket-version": "13"}


class WireProtocol(HttpToolsProtocol):
    """Gives up on connections that send too much, too slowly, or more than anybody wants."""

    head_seconds = 15.0
    max_connections = 10_000
    # An answer that waits to be read must shrink by so much in each window.
    least_read_bytes = 15_360.0
    read_window_seconds = 15.0

    _loose_bytes = 0
    _in_head = True
    _in_body = False
    _is_upgraded = False
    # The connections on which the rest of a body is read that is no longer wanted.
    _lingering: ClassVar[set["WireProtocol"]] = set()
    _timer: TimerHandle | None = None
    _reading_timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Take a connection, unless there are too many."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(self.head_seconds, self._head_too_slow)
        if len(self.connections) > self.max_connections:
            self._end_with(Overloaded())

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._lingering.discard(self)
        self._stop_timer()
        self._stop_reading_timer()
        # Requests that were sent behind the present one get no answer.
        self.pipeline.clear()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Write no more until the caller has read some of what waits, which it has a while for."""
        super().pause_writing()
        self._await_reading()

    def resume_writing(self) -> None:
        """Go on writing."""
        self._stop_reading_timer()
        super().resume_writing()

    def data_received(self, piece: bytes) -> None:
        """Take some bytes, and count those that are not yet part of anything."""
        if self.transport.is_closing():
            return
        self._loose_bytes += len(piece)
        super().data_received(piece)
        if self in self._lingering and not self.transport.is_closing():
            self._pause_reading()
        if self._loose_bytes > MAX_LOOSE_BYTES and not self.transport.is_closing():
            too_long = self._in_head and self._url_is_too_long()
            self._end_with(UriTooLong() if too_long else HeadersTooLarge())
        elif self._loose_bytes and not self._in_body and self._timer is None:
            self._timer = self.loop.call_later(self.head_seconds, self._head_too_slow)

    def on_message_begin(self) -> None:
        """A request begins."""
        self._in_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head of a request is complete."""
        self._loose_bytes = 0
        self._in_head, self._in_body = False, True
        self._stop_timer()
        cast(dict[str, Any], self.scope)[CUT_OFF] = self.transport.abort
        super().on_headers_complete()
        if self.parser.should_upgrade() and self._should_upgrade():
            # From here on it is a WebSocket, which has a protocol of its own.
            self._in_body, self._is_upgraded = False, True
            return
        # uvicorn names the class of its cycles itself, so it can only be changed afterwards.
        self.cycle.__class__ = EarlyCycle

    def on_body(self, body: bytes) -> None:
        """Some of a body; handed on as it is, where uvicorn would copy it twice."""
        self._loose_bytes = 0
        cycle = self.cycle
        if cycle.response_complete:
            return
        cycle.body = cycle.body + body if cycle.body else body  # type: ignore[assignment]
        if len(cycle.body) > HIGH_WATER_LIMIT:
            self.flow.pause_reading()
        cycle.message_event.set()

    def on_message_complete(self) -> None:
        """A request is complete; one that was answered before that is the last of its connection."""
        self._loose_bytes = 0
        self._in_body = False
        if self._is_upgraded:
            return
        super().on_message_complete()
        if self.cycle.response_complete:
            self.transport.close()

    def on_response_complete(self) -> None:
        """An answer is complete; the rest of a body that is still coming is read for a moment, then cut off.

        Cutting it off at once would make some clients lose the answer.
        """
        super().on_response_complete()
        cycle: RequestResponseCycle = self.cycle
        if cycle.response_complete and isinstance(cycle, EarlyCycle) and cycle.is_early:
            self._unset_keepalive_if_required()
            if self._in_body:
                self._lingering.add(self)
                self._timer = self.loop.call_later(LINGER_SECONDS, self.transport.close)
            else:
                self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, or what its parser can't hold."""
        if self._url_is_too_long():
            self._end_with(UriTooLong())
        else:
            self._end_with(RequestError(f"This is not a valid HTTP request: {msg}"))

    def _pause_reading(self) -> None:
        self.flow.pause_reading()
        pause = min(LINGER_PAUSE_SECONDS * len(self._lingering), LONGEST_PAUSE_SECONDS)
        self.loop.call_later(pause, self._resume_reading)

    def _resume_reading(self) -> None:
        if not self.transport.is_closing():
            self.flow.resume_reading()

    def _head_too_slow(self) -> None:
        self._timer = None
        if self._in_head and self._loose_bytes:
            self._end_with(UploadTooSlow())
        else:
            self.transport.close()

    def _url_is_too_long(self) -> bool:
        return len(getattr(self, "url", b"")) > MAX_URL_BYTES

    def _end_with(self, error: PagemillError) -> None:
        """Answer with a problem, unless another answer is already under way, and close."""
        self._stop_timer()
        cycle = getattr(self, "cycle", None)
        if cycle is None or cycle.response_complete or not cycle.response_started:
            self.transport.write(plain_answer(error))
        self.transport.close()

    def _await_reading(self) -> None:
        self._stop_reading_timer()
        unread = self.transport.get_write_buffer_size()
        self._reading_timer = self.loop.call_later(self.read_window_seconds, self._check_reading, unread)

    def _check_reading(self, unread: int) -> None:
        """Cut off a caller who has read too little; what waits for it is memory that others need."""
        if unread - self.transport.get_write_buffer_size() < self.least_read_bytes:
            # Without this the system would go on offering what it holds to somebody who does not take it.
            self.transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, AT_ONCE)
            self.transport.abort()
        else:
            self._await_reading()

    def _stop_reading_timer(self) -> None:
        if self._reading_timer is not None:
            self._reading_timer.cancel()
            self._reading_timer = None

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class EarlyCycle(RequestResponseCycle):
    """An answer that may begin before its request is complete; it then says that the connection ends with it."""

    is_early = False

    async def send(self, message: ASGISendEvent) -> None:
        """Send a part of the answer; closing is left to the protocol, which takes its time."""
        if message["type"] == "http.response.start" and self.more_body:
            self.is_early, self.keep_alive = True, False
        elif self.is_early:
            self.keep_alive = True
        await super().send(message)


class SocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket, without uvicorn's lines in the log about its address, which may hold a token."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.logger = log

    def handle_connect(self, event: Request) -> None:
        """Take a handshake; one that is wrong gets a problem, where the library answers in plain text."""
        if self.conn.accept(event).status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            super().handle_connect(event)
            return
        self.handshake_initiated = self.handshake_complete = self.close_sent = True
        error = RequestError(f"This is not a valid WebSocket handshake: {self.conn.handshake_exc}.")
        self.transport.write(plain_answer(error, SOCKET_VERSION))
        self.transport.close()

    async def run_asgi(self) -> None:
        """Run the endpoint, which can cut off a watcher that does not read: a close frame would wait behind the rest."""
        cast(dict[str, Any], self.scope)[CUT_OFF] = self.transport.abort
        await super().run_asgi()

    async def send(self, message: ASGISendEvent) -> None:
        """Send a part of the answer; uvicorn takes a request that is answered with a problem for one that is not answered."""
        await super().send(message)
        if message["type"] == "websocket.http.response.body" and not message.get("more_body"):
            self.handshake_complete = True


def plain_answer(error: PagemillError, further: Mapping[str, str] | None = None) -> bytes:
    """A problem as it goes over the wire, for requests that never reach the app."""
    body = orjson.dumps(problem_members(error))
    headers = {
        "content-type": MEDIA_TYPE,
        "content-length": str(len(body)),
        "connection": "close",
        **problem_headers(error),
        **(further or {}),
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return STATUS_LINE[error.status] + lines.encode() + b"\r\n" + body
