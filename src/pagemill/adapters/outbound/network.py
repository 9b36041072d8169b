"""Connections that go to checked addresses only, and that end when the request's time is up."""

import ssl
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import httpcore

from pagemill.adapters.outbound.addresses import Network
from pagemill.adapters.outbound.targets import Resolve, Target, check_addresses

# A request that is to be given up notices it after this long, even while its server is silent.
LOOK_SECONDS = 0.5
# What a request has written is sent when it is so long, or when the answer is asked for.
MOST_UNSENT_BYTES = 65_536


class RequestInterrupted(Exception):
    """The request was given up by our side."""


class Deadline(threading.local):
    """When the request of this thread has to be over; a connection may serve several threads, one after the other."""

    ends_at = float("inf")
    stop: threading.Event | None = None

    @contextmanager
    def within(self, seconds: float, stop: threading.Event | None = None) -> Iterator[None]:
        """Give the request of this thread so much time, however slowly its bytes come; `stop` ends it before."""
        self.ends_at, self.stop = time.monotonic() + seconds, stop
        try:
            yield
        finally:
            self.ends_at, self.stop = float("inf"), None

    def left(self, timeout_seconds: float | None, late: type[Exception]) -> float:
        """The time for the next operation; raises `late` if there is none, and RequestInterrupted if the request is given up."""
        if self.stop is not None and self.stop.is_set():
            raise RequestInterrupted
        left = self.ends_at - time.monotonic()
        if left <= 0:
            raise late("the time is up")
        return left if timeout_seconds is None else min(left, timeout_seconds)


class TimedStream(httpcore.NetworkStream):
    """A stream each of whose operations ends at the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline
        self._unsent = b""

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes."""
        # Who takes no more may have answered.
        with suppress(httpcore.WriteError):
            self._send(timeout)
        while True:
            left = self._deadline.left(timeout, httpcore.ReadTimeout)
            if self._deadline.stop is None:
                return self._stream.read(max_bytes, left)
            with suppress(httpcore.ReadTimeout):
                return self._stream.read(max_bytes, min(left, LOOK_SECONDS))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes, short ones together with those that follow: the head of a request and its body are one packet."""
        self._unsent += buffer
        if len(self._unsent) >= MOST_UNSENT_BYTES:
            self._send(timeout)

    def _send(self, timeout: float | None) -> None:
        unsent, self._unsent = self._unsent, b""
        if unsent:
            self._stream.write(unsent, self._deadline.left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        """End the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """The stream with encryption around it; the certificate is checked against the name in the URL."""
        left = self._deadline.left(timeout, httpcore.ConnectTimeout)
        return TimedStream(self._stream.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """What is known about the connection."""
        return self._stream.get_extra_info(info)


class CheckedNetwork(httpcore.SyncBackend):
    """Resolves each host once, checks every address, and connects to one of those that were checked."""

    def __init__(self, allowed: Sequence[Network], lookup: Resolve, deadline: Deadline) -> None:
        self._allowed = allowed
        self._lookup = lookup
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """A connection to the first address that takes one; raises UrlForbiddenAddress before anything is sent."""
        addresses = check_addresses(Target(host, "", host.rstrip("."), port), self._allowed, self._lookup)
        for tried, address in enumerate(addresses, start=1):
            left = self._deadline.left(timeout, httpcore.ConnectTimeout)
            try:
                stream = super().connect_tcp(address, port, left, local_address, socket_options)
                return TimedStream(stream, self._deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if tried == len(addresses):
                    raise
        raise httpcore.ConnectError("the host has no address")
