"""One address on the network that takes JSON and answers with JSON, and the client that asks it."""

import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import orjson

from pagemill import tracing
from pagemill.reading.provider import Refusal
from pagemill.reading.remote.base import TryLater
from pagemill.reading.remote.statuses import HttpReply, complaint_about

if TYPE_CHECKING:
    # Loaded with the first question: every process asks which providers there are, and few ask one of these.
    import httpx

Json = Mapping[str, object]

# A server that is there takes a connection at once; one that is not should not cost the whole time limit.
CONNECT_SECONDS = 10.0
# A full page is some 20 kB of Markdown; with a probability for each token it is about a megabyte.
LARGEST_ANSWER_BYTES = 16_000_000
# What an error says about itself is at its beginning.
LARGEST_COMPLAINT_BYTES = 20_000
OK = 200
# What OpenAI's protocol ends a stream with.
STREAM_END = "[DONE]"

_WEB_ADDRESS = re.compile(r"https?://[^\s/?#]+[^\s]*\Z", re.IGNORECASE)
_WITH_PASSWORD = re.compile(r"\w+://[^/?#]*@")
_KEY = re.compile(r"[!-~]*")


@dataclass(frozen=True, slots=True)
class Address:
    """Where requests go, who sends them, and how long an answer may take; `settings` is what the settings are called after."""

    url: str
    settings: str
    key: str = field(default="", repr=False)
    timeout_seconds: float = 120.0
    connections: int = 64
    largest_answer_bytes: int = LARGEST_ANSWER_BYTES

    def wrong(self) -> str | None:
        """What has to be set before anything can be sent; None if all is well."""
        if not self.url:
            return f"set {self.settings}_URL"
        if not _WEB_ADDRESS.match(self.url):
            return f"{self.settings}_URL has to be an http or https address"
        if _WITH_PASSWORD.match(self.url):
            return f"{self.settings}_URL must not hold a password; set {self.settings}_KEY"
        if not _KEY.fullmatch(self.key):
            return f"{self.settings}_KEY holds a character that can't be sent"
        return None

    def of(self, path: str) -> str:
        """The address of a path below this one; a query stays at the end."""
        parts = urlsplit(self.url)
        return urlunsplit(parts._replace(path=parts.path.rstrip("/").removesuffix(path) + path))


class RemoteEndpoint:
    """Asks one address; may be used from many threads, which share its connections."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    def ask(self, path: str, body: Json) -> Json:
        """The JSON object that the server answers; TryLater and Refusal say why there is none."""
        with self._translate_errors():
            host = urlsplit(self.address.url).hostname or ""
            with tracing.child_span("request", host=host):
                return self._exchange(self.address.of(path), orjson.dumps(body))

    def stream(self, path: str, body: Json) -> Iterator[Json]:
        """The JSON objects that the server sends one after the other; TryLater and Refusal say why they end early."""
        with self._translate_errors():
            yield from self._stream(self.address.of(path), orjson.dumps(body))

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Refuses a wrong address, and says in words of our own why a request failed."""
        if problem := self.address.wrong():
            raise Refusal(problem)
        import httpx

        try:
            yield
        except httpx.TimeoutException as error:
            raise TryLater(f"no answer within {self.address.timeout_seconds:g} seconds") from error
        except httpx.TransportError as error:
            raise TryLater(f"the connection failed ({type(error).__name__})") from error
        except (httpx.InvalidURL, ValueError) as error:
            raise Refusal(f"{self.address.settings}_URL is no address") from error

    def _stream(self, url: str, content: bytes) -> Iterator[Json]:
        ends_at = time.monotonic() + self.address.timeout_seconds
        left = self.address.largest_answer_bytes
        with self._connect().stream("POST", url, content=content, headers=self._headers()) as response:
            if response.status_code != OK:
                raise self._complaint(response, ends_at)
            for line in response.iter_lines():
                left -= len(line)
                if left < 0:
                    raise Refusal(f"the answer is larger than {self.address.largest_answer_bytes:,} bytes")
                if time.monotonic() > ends_at:
                    raise TryLater("the answer came too slowly")
                sent = line.removeprefix("data:").strip() if line.startswith("data:") else ""
                if sent == STREAM_END:
                    return
                if sent:
                    yield _json_object(sent.encode())

    def close(self) -> None:
        """End the connections; the next question opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client:
            client.close()

    def _exchange(self, url: str, content: bytes) -> Json:
        ends_at = time.monotonic() + self.address.timeout_seconds
        with self._connect().stream("POST", url, content=content, headers=self._headers()) as response:
            if response.status_code != OK:
                raise self._complaint(response, ends_at)
            return _json_object(_receive(response, ends_at, self.address.largest_answer_bytes))

    def _complaint(self, response: "httpx.Response", ends_at: float) -> Exception:
        body = _receive(response, ends_at, LARGEST_COMPLAINT_BYTES, cut=True)
        reply = HttpReply(response.status_code, response.headers, body)
        return complaint_about(reply, self.address.settings, self.address.key)

    def _headers(self) -> dict[str, str]:
        plain = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
        }
        return plain | ({"Authorization": f"Bearer {self.address.key}"} if self.address.key else {})

    def _connect(self) -> "httpx.Client":
        import httpx

        # Made at the first question: loading the certificates takes longer than all else here.
        with self._lock:
            if self._client is None:
                limits = httpx.Limits(max_connections=self.address.connections)
                timeout = httpx.Timeout(self.address.timeout_seconds, connect=CONNECT_SECONDS)
                self._client = httpx.Client(timeout=timeout, limits=limits, follow_redirects=False)
            return self._client


def _receive(response: "httpx.Response", ends_at: float, largest_bytes: int, *, cut: bool = False) -> bytes:
    """The body, as long as it comes in time and is not too large; `cut` takes the beginning of a large one."""
    body = bytearray()
    for piece in response.iter_bytes():
        body += piece
        if len(body) > largest_bytes:
            if cut:
                break
            raise Refusal(f"the answer is larger than {largest_bytes:,} bytes")
        if time.monotonic() > ends_at:
            raise TryLater("the answer came too slowly")
    return bytes(body[:largest_bytes])


def _json_object(body: bytes) -> Json:
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Refusal("the answer is not JSON; check that the address leads to the right server") from error
    if not isinstance(answer, dict):
        raise Refusal("the answer is not a JSON object; check that the address leads to the right server")
    return answer
