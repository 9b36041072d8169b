"""The client for addresses that callers name: webhooks are sent and documents are fetched with it, and nothing else."""

import os
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

import certifi
import httpcore

from pagemill.adapters.outbound.addresses import Network
from pagemill.adapters.outbound.network import CheckedNetwork, Deadline
from pagemill.adapters.outbound.posting import CONNECT_SECONDS, KEEP_ALIVE_SECONDS, Poster, Reply
from pagemill.adapters.outbound.targets import (
    Resolve,
    Target,
    check_addresses,
    check_spelling,
    parse,
    resolve,
)
from pagemill.errors import (
    FetchFailed,
    FetchTimeout,
    FileTooLarge,
    PagemillError,
    TlsError,
    TooManyRedirects,
    UrlForbiddenAddress,
)

OK, LAST_SUCCESS = 200, 299
NEEDS_KEY = frozenset({401, 403})
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Call:
    """A request with a body, and how much time and how long an answer it may take."""

    url: str
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    timeout_seconds: float
    largest_answer_bytes: int


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """How much a document from elsewhere may take."""

    size_bytes: int
    timeout_seconds: float
    redirects: int


@dataclass(frozen=True, slots=True)
class Fetched:
    """Where a document came from in the end, and what its server said about it."""

    url: str
    headers: Mapping[str, str]
    size_bytes: int


class Outbound:
    """Sends requests to checked addresses; may be used from many threads, which share its connections."""

    def __init__(
        self,
        allowed: Sequence[Network] = (),
        *,
        connections: int = 64,
        lookup: Resolve = resolve,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.allowed = allowed
        self.lookup = lookup
        self._deadline = Deadline()
        self._network = CheckedNetwork(allowed, lookup, self._deadline)
        self._connections = connections
        self._tls = tls
        self._pool: httpcore.ConnectionPool | None = None
        self._lock = threading.Lock()
        self._poster = Poster(self._network, self._tls_context, connections)

    def check(self, url: str) -> Target:
        """The target of a URL that may be asked now; raises the error that says why it may not."""
        target = parse(url)
        check_addresses(target, self.allowed, self.lookup)
        return target

    def check_spelling(self, url: str) -> Target:
        """As `check`, without a look at what a name resolves to: that is done when the URL is used."""
        target = parse(url)
        check_spelling(target, self.allowed)
        return target

    def addresses(self, target: Target) -> list[str]:
        """The addresses of a target, every one of which may be connected to."""
        return check_addresses(target, self.allowed, self.lookup)

    def post(self, call: Call) -> Reply:
        """The answer to a POST; a redirect is an answer like any other and is not followed."""
        target = parse(call.url)
        headers = request_headers(target, call.headers)
        with self._deadline.within(call.timeout_seconds), explain_failures():
            return self._poster.post(
                target, request_path(target), headers, call.body, call.largest_answer_bytes
            )

    def fetch(
        self,
        url: str,
        headers: Mapping[str, str],
        limits: FetchLimits,
        write: Callable[[bytes], object],
        stop: threading.Event | None = None,
    ) -> Fetched:
        """Hand a document to `write`, piece by piece; each redirect is checked like the first address.

        Raises RequestInterrupted soon after `stop` is set.
        """
        own = dict(headers)
        with self._deadline.within(limits.timeout_seconds, stop), explain_failures():
            for _ in range(limits.redirects + 1):
                target = parse(url)
                with self._stream(target, own) as response:
                    if response.status not in REDIRECTS:
                        size = self._take(response, limits, write)
                        return Fetched(url, headers_of(response), size)
                    url = location_of(url, headers_of(response))
                # Secrets of one server are not for the next.
                own = own if is_same_origin(target, parse(url)) else {}
        raise TooManyRedirects()

    def close(self) -> None:
        """End all connections."""
        self._poster.close()
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def _take(
        self, response: httpcore.Response, limits: FetchLimits, write: Callable[[bytes], object]
    ) -> int:
        if not OK <= response.status <= LAST_SUCCESS:
            raise FetchFailed(refusal_text(response.status), status=response.status)
        if headers_of(response).get("content-encoding", "identity") != "identity":
            raise FetchFailed("The server of the URL compresses its answer although it was asked not to.")
        size = 0
        for piece in response.iter_stream():
            size += len(piece)
            if size > limits.size_bytes:
                raise FileTooLarge(max_bytes=limits.size_bytes)
            write(piece)
        return size

    @contextmanager
    def _stream(self, target: Target, headers: Mapping[str, str]) -> Iterator[httpcore.Response]:
        url = httpcore.URL(
            scheme=target.scheme.encode(),
            host=target.host.encode(),
            port=target.port,
            target=request_path(target),
        )
        sent: list[tuple[bytes | str, bytes | str]] = list(request_headers(target, headers).items())
        timeouts = {"timeout": {"connect": CONNECT_SECONDS, "pool": CONNECT_SECONDS}}
        with self._pool_for_call().stream("GET", url, headers=sent, extensions=timeouts) as response:
            yield response

    def _tls_context(self) -> ssl.SSLContext:
        # Made at the first use: loading the certificates takes longer than all else here.
        with self._lock:
            if self._tls is None:
                self._tls = default_tls()
            return self._tls

    def _pool_for_call(self) -> httpcore.ConnectionPool:
        tls = self._tls_context()
        with self._lock:
            if self._pool is None:
                self._pool = httpcore.ConnectionPool(
                    ssl_context=tls,
                    max_connections=self._connections,
                    max_keepalive_connections=self._connections,
                    keepalive_expiry=KEEP_ALIVE_SECONDS,
                    network_backend=self._network,
                )
            return self._pool


def default_tls() -> ssl.SSLContext:
    """Certificates are checked against SSL_CERT_FILE if it is set, else against those that come with certifi."""
    return ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE") or certifi.where())


def refusal_text(status: int) -> str:
    """What is said of a server that does not hand the document over."""
    message = f"The server of the URL answered with status {status}."
    if status in NEEDS_KEY:
        return f"{message} If it wants a key, hand the document in again with `headers`; they are not kept after a job."
    return message


def headers_of(response: httpcore.Response) -> dict[str, str]:
    """The headers of an answer, with names in lower case."""
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}


def request_path(target: Target) -> bytes:
    """The path and the query of a request."""
    parts = urlsplit(target.url)
    return ascii_path((parts.path or "/") + (f"?{parts.query}" if parts.query else ""))


def request_headers(target: Target, headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of a request, with those that every one has."""
    return {
        "User-Agent": "pagemill",
        **headers,
        "Accept-Encoding": "identity",
        "Host": host_header(target),
    }


def host_header(target: Target) -> str:
    """The Host header: the name as the URL spells it, with a port if it is not the usual one."""
    host = f"[{target.host}]" if ":" in target.host else target.host
    usual = {"http": 80, "https": 443}[target.scheme] == target.port
    return host if usual else f"{host}:{target.port}"


def ascii_path(path: str) -> bytes:
    """A path with every character beyond ASCII percent-encoded."""
    return "".join(one if one.isascii() else percent(one) for one in path).encode()


def percent(character: str) -> str:
    """A character in the form in which URLs carry it."""
    return "".join(f"%{byte:02X}" for byte in character.encode())


def location_of(url: str, headers: Mapping[str, str]) -> str:
    """Where a redirect leads."""
    location = headers.get("location", "")
    if not location:
        raise FetchFailed("The server of the URL redirects without saying where to.")
    return urljoin(url, location)


def is_same_origin(one: Target, other: Target) -> bool:
    """Whether two targets are the same server over the same protocol."""
    return (one.scheme, one.host, one.port) == (other.scheme, other.host, other.port)


@contextmanager
def explain_failures() -> Iterator[None]:
    """Turn what the network says into our own errors."""
    started = time.monotonic()
    try:
        yield
    except httpcore.TimeoutException as error:
        waited = time.monotonic() - started
        raise FetchTimeout(f"The server did not answer completely within {waited:.0f} seconds.") from error
    except httpcore.ConnectError as error:
        raise connect_trouble(error) from error
    except (httpcore.NetworkError, httpcore.ProtocolError) as error:
        raise FetchFailed(f"The connection to the server broke ({type(error).__name__}).") from error
    except (httpcore.UnsupportedProtocol, UnicodeError) as error:
        raise UrlForbiddenAddress() from error


def connect_trouble(error: Exception) -> PagemillError:
    """Why there is no connection: an invalid certificate is not a server that is down."""
    reason: BaseException | None = error
    while reason is not None:
        if isinstance(reason, ssl.SSLError):
            return TlsError(f"The server's certificate or encryption is not accepted: {reason.reason}.")
        reason = reason.__cause__ or reason.__context__
    return FetchFailed("The server of the URL does not take connections.")
