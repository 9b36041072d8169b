"""Request middleware: limits, authentication and error answers, in one layer because each layer costs time."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from pagemill.entrypoints.access import sessions
from pagemill.entrypoints.access.admission import Admission, Credentials
from pagemill.entrypoints.access.caller import HOLDER
from pagemill.entrypoints.access.open_requests import SOCKET_GONE, HeldRequest
from pagemill.entrypoints.wire.bodies import length_of
from pagemill.entrypoints.wire.hosts import HostCheck
from pagemill.entrypoints.wire.negotiation import prefers_html
from pagemill.entrypoints.wire.problems import as_pagemill_error, invalid, methods_at, problem
from pagemill.entrypoints.wire.protocol import MAX_URL_BYTES
from pagemill.entrypoints.wire.refusals import COUNTED_ONLY, Refusals
from pagemill.entrypoints.wire.request_metrics import RequestMetrics
from pagemill.entrypoints.wire.responses import HEAD_ONLY
from pagemill.entrypoints.wire.tus_headers import EXPOSED_NAMES, capabilities
from pagemill.errors import (
    HeadersTooLarge,
    LinkInvalid,
    NotFound,
    PagemillError,
    RequestError,
    Unauthorized,
    UriTooLong,
)
from pagemill.log_context import log_words
from pagemill.mill import DEFAULT_TENANT
from pagemill.model import signed_links
from pagemill.model.ids import is_id
from pagemill.model.tenants import Holder
from pagemill.settings import Settings

log = logging.getLogger("pagemill.access")

API = "/v1/"
# Where documents are handed in: what is refused there is written to the event log.
SUBMISSIONS = frozenset({"/v1/jobs", "/jobs", "/process_pdf", "/upload"})
MAX_HEADERS = 128
VERSIONS = ("1.1", "1.0")
MAX_HEADER_BYTES = 16_384
OPEN_PATHS = frozenset({"/", "/health", "/ready", "/version"})
# Open to requests with a link that was signed here, which their routes check.
SIGNED_PATHS = f"{signed_links.PATH}/"
# Whether somebody is logged in, and the log-in with a provider.
SESSION_PATHS = frozenset({sessions.ADDRESS, sessions.OIDC_ADDRESS, sessions.OIDC_CALLBACK})
# Open to everybody, and saying more to those with a key.
PATHS_WITH_MORE = frozenset({"/health"})
READING_METHODS = frozenset({"GET", "HEAD"})
# Fields of queries from which the character U+0000 is taken out where they are read.
CLEANED_FIELDS = {("POST", "/v1/jobs"): (b"filename=",), ("GET", "/v1/search"): (b"q=",)}
# What the router finds out about a request, and what metrics and log lines need afterwards.
ROUTED = ("endpoint", "path_params")
EVERYWHERE = [(b"x-content-type-options", b"nosniff"), (b"cross-origin-resource-policy", b"same-origin")]
OWN_EXPOSED = "Location, Retry-After, ETag, Idempotent-Replayed, Preference-Applied, Pagemill-Page-State"
EXPOSED = f"{OWN_EXPOSED}, {EXPOSED_NAMES}".encode()


@dataclass(slots=True)
class RequestHead:
    """The headers that the gate looks at."""

    hosts: list[bytes] = field(default_factory=list)
    origins: list[bytes] = field(default_factory=list)
    authorization: list[bytes] = field(default_factory=list)
    api_key: list[bytes] = field(default_factory=list)
    cookies: list[bytes] = field(default_factory=list)
    from_web_pages: bool = False
    asked_headers: bytes | None = None

    def credentials(self, scope: Scope, cookies: list[bytes]) -> Credentials:
        """The headers that authenticate the request."""
        return Credentials(
            method=scope.get("method", "GET"),
            path=scope["path"],
            address=address_of(scope),
            authorization=self.authorization,
            api_key=self.api_key,
            cookies=cookies,
            from_web_pages=self.from_web_pages,
        )


@dataclass(frozen=True, slots=True)
class WebPages:
    """What the middleware must know of the web pages: which addresses need no key, and the page for unknown ones."""

    is_public: Callable[[Request], bool]
    not_found: Callable[[], Response]


class ResponseSender:
    """Sends the answer on, with the headers that all answers have, and without a body to HEAD."""

    def __init__(self, send: Send, *, head_only: bool) -> None:
        self.extra = EVERYWHERE
        self.status = 0
        # The request under way; an answer to one that was revoked meanwhile is not begun.
        self.request: HeldRequest | None = None
        self._send = send
        self._head_only = head_only

    async def __call__(self, message: Message) -> None:
        """Send one ASGI message on."""
        if self.is_withheld:
            return
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), *self.extra]
            await self._send(message)
            if self._head_only:
                await self._send({"type": "http.response.body"})
        elif not self._head_only:
            await self._send(message)

    @property
    def is_withheld(self) -> bool:
        """Whether the caller's key was revoked before there was an answer."""
        return self.request is not None and self.request.revoked and not self.status


class RequestMiddleware:
    """Checks size, host, origin and key; answers OPTIONS and HEAD; turns whatever is left over into a problem."""

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        refusals: Refusals,
        admission: Admission,
        tokens: sessions.Sessions,
        requests: RequestMetrics,
        web: WebPages,
    ) -> None:
        self._app = app
        self._refusals = refusals
        self._requests = requests
        self._admission = admission
        self._tokens = tokens
        self._settings = settings
        self._hosts = HostCheck(settings)
        self._web = web

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or refuse it."""
        if scope["type"] == "websocket":
            await self._open_socket(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        answer = ResponseSender(send, head_only=scope["method"] == "HEAD")
        try:
            await self._dispatch(scope, receive, answer)
        except Exception as error:
            # Nothing may leave this layer but an answer; one that has begun can only be cut off.
            with log_words(**request_words(scope)):
                if answer.status:
                    log.error("an answer to %s %s broke off", scope["method"], scope["path"], exc_info=error)
                    raise
                await self._refuse(as_pagemill_error(error), scope, receive, answer)
        took = time.perf_counter() - started
        self._requests.count(scope, answer.status, took)
        if log.isEnabledFor(logging.DEBUG):
            # Without the query: it may carry a password.
            log.debug("%s %s %d %.4f s", scope["method"], scope["path"], answer.status, took)

    async def _open_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a WebSocket in, or answer its request with a problem."""
        try:
            holder, session = await self._identify_socket(scope)
        except Exception as error:
            refusal = as_pagemill_error(error)
            if isinstance(refusal, COUNTED_ONLY):
                self._refusals.record(refusal, DEFAULT_TENANT, path=scope["path"])
            await WebSocket(scope, receive, send).send_denial_response(problem(refusal))
            return
        with self._admission.requests.hold(receive, holder, session, SOCKET_GONE) as request:
            await self._app(scope, request.receive, send)

    async def _identify_socket(self, scope: Scope) -> tuple[Holder, sessions.Session | None]:
        """Who opens a WebSocket, by a token, the session of our own pages, or a key in a header."""
        head = read_head(scope)
        origin = self._hosts.check(head.hosts, head.origins)
        # A WebSocket has no method; its Origin, which browsers always send, was looked at.
        credentials = head.credentials(scope, head.cookies if origin is None else [])
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        shown = self._tokens.session_in(token[0]) if len(token) == 1 else None
        holder, session = await self._admission.identify(credentials, shown)
        scope[HOLDER] = holder
        _, refusal = self._admission.count(holder)
        if refusal is not None:
            raise refusal
        self._admission.check_scope(credentials, holder)
        return holder, session

    async def _dispatch(self, scope: Scope, receive: Receive, answer: ResponseSender) -> None:
        head = read_head(scope)
        origin = self._hosts.check(head.hosts, head.origins)
        if origin is not None:
            answer.extra = [*EVERYWHERE, *cors_headers(origin)]
        if scope["method"] == "OPTIONS":
            response = options(scope, head, preflight=origin is not None)
            response.headers.update(capabilities(scope["path"], self._settings))
            await response(scope, receive, answer)
            return
        if is_stray(scope):
            await self._web.not_found()(scope, receive, answer)
            return
        if scope["path"].startswith(SIGNED_PATHS) and scope["method"] not in READING_METHODS:
            raise LinkInvalid()
        # A page of another origin sends a key of its own, never our cookie.
        credentials = head.credentials(scope, head.cookies if origin is None else [])
        if is_open(scope) or self._web.is_public(Request(scope)):
            if scope["path"] in PATHS_WITH_MORE and (known := await self._admission.recognise(credentials)):
                scope[HOLDER] = known
            await self._answer(scope, receive, answer)
        else:
            await self._admit(credentials, scope, receive, answer)

    async def _admit(
        self, credentials: Credentials, scope: Scope, receive: Receive, answer: ResponseSender
    ) -> None:
        """Answer somebody who may come in; the answer is withheld if that ends before it begins."""
        holder, session = await self._admission.identify(credentials)
        scope[HOLDER] = holder
        limits, refusal = self._admission.count(holder)
        answer.extra = [*answer.extra, *limits]
        if refusal is not None:
            raise refusal
        self._admission.check_scope(credentials, holder)
        with self._admission.requests.hold(receive, holder, session) as request:
            if not credentials.is_reading:
                request.expect_upload(length_of(Request(scope)))
            answer.request = request
            await self._answer(scope, request.receive, answer)
            if answer.is_withheld:
                answer.request = None
                raise Unauthorized()

    async def _answer(self, scope: Scope, receive: Receive, answer: ResponseSender) -> None:
        if scope["method"] == "HEAD":
            await self._answer_head(scope, receive, answer)
        else:
            await self._app(scope, receive, answer)

    async def _answer_head(self, scope: Scope, receive: Receive, answer: ResponseSender) -> None:
        """Answer HEAD as GET, in a copy, because the server underneath must go on to see HEAD."""
        as_get = {**scope, "method": "GET", HEAD_ONLY: True}
        try:
            await self._app(as_get, receive, answer)
        finally:
            scope.update({name: as_get[name] for name in ROUTED if name in as_get})

    async def _refuse(
        self, error: PagemillError, scope: Scope, receive: Receive, answer: ResponseSender
    ) -> None:
        is_submission = scope["method"] == "POST" and scope["path"] in SUBMISSIONS
        if is_submission or isinstance(error, COUNTED_ONLY):
            holder: Holder | None = scope.get(HOLDER)
            # What is refused before the key is looked at can only be shown to the operator.
            tenant = holder.tenant if holder else DEFAULT_TENANT
            self._refusals.record(error, tenant, path=scope["path"])
        await problem(error)(scope, receive, answer)


def request_words(scope: Scope) -> dict[str, str]:
    """What log lines say of a request: whose it is, and which job it asks for."""
    holder: Holder | None = scope.get(HOLDER)
    job_id = scope.get("path_params", {}).get("job_id", "")
    words = {"tenant": holder.tenant} if holder else {}
    return words | ({"job": job_id} if is_id(job_id) else {})


def read_head(scope: Scope) -> RequestHead:
    """The headers that matter here; refuses addresses and header blocks that are too long."""
    if len(scope["raw_path"]) + len(scope["query_string"]) > MAX_URL_BYTES:
        raise UriTooLong()
    if scope["http_version"] not in VERSIONS:
        raise RequestError("This server speaks HTTP/1.1.")
    refuse_zero_characters(scope)
    head, size = RequestHead(), 0
    for name, value in scope["headers"]:
        size += len(name) + len(value) + 4
        if name == b"host":
            head.hosts.append(value)
        elif name == b"origin":
            head.origins.append(value)
        elif name == b"authorization":
            head.authorization.append(value)
        elif name == b"x-api-key":
            head.api_key.append(value.strip())
        elif name == b"cookie":
            head.cookies.append(value)
        elif name == sessions.HEADER:
            head.from_web_pages = True
        elif name == b"access-control-request-headers":
            head.asked_headers = value
        elif name == b"transfer-encoding" and value.strip().lower() != b"chunked":
            raise RequestError("The only transfer encoding that is taken is chunked.")
    if size > MAX_HEADER_BYTES or len(scope["headers"]) > MAX_HEADERS:
        raise HeadersTooLarge()
    return head


def refuse_zero_characters(scope: Scope) -> None:
    """Refuse an address with the character U+0000, which no column of PostgreSQL holds."""
    if "\0" in scope["path"]:
        raise NotFound()
    if b"%00" in scope["query_string"]:
        cleaned = CLEANED_FIELDS.get((scope["method"], scope["path"]), ())
        if any(b"%00" in one and not one.startswith(cleaned) for one in scope["query_string"].split(b"&")):
            raise invalid(("", "the query has the character U+0000"))


def is_open(scope: Scope) -> bool:
    """Whether an address is shown to those without a key."""
    method, path = scope["method"], scope["path"]
    asks_for_session = path in SESSION_PATHS and method in READING_METHODS
    return path in OPEN_PATHS or path.startswith(SIGNED_PATHS) or asks_for_session


def is_stray(scope: Scope) -> bool:
    """Whether somebody with a browser is at an address that is none of ours; that answer needs no key."""
    if scope["path"].startswith(API):
        return False
    request = Request(scope)
    return prefers_html(request) and not methods_at(request)


def address_of(scope: Scope) -> str:
    """The address that the connection comes from; forwarded headers are not trusted."""
    return scope["client"][0] if scope.get("client") else ""


def options(scope: Scope, head: RequestHead, *, preflight: bool) -> Response:
    """The answer to OPTIONS: what the address takes, and for allowed origins what a web page may send."""
    methods = ", ".join(sorted(methods_at(Request(scope))))
    if not methods:
        raise NotFound()
    headers = {"allow": methods}
    if preflight:
        headers["access-control-allow-methods"] = methods
        headers["access-control-allow-headers"] = (head.asked_headers or b"").decode("latin-1")
        headers["access-control-max-age"] = "600"
    return Response(status_code=204, headers=headers)


def cors_headers(origin: str) -> list[tuple[bytes, bytes]]:
    """The headers that let a web page of an allowed origin read the answer."""
    return [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", EXPOSED),
        (b"vary", b"Origin"),
    ]
