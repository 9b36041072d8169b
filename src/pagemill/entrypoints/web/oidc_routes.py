"""The log-in with an OpenID Connect provider: the way there, and the way back."""

import html
import logging
from dataclasses import dataclass

import orjson
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pagemill.adapters.oidc.provider import AuthorizationCode, AuthorizationRequest, OidcProvider
from pagemill.desk import logins
from pagemill.entrypoints.access.caller import keys_of
from pagemill.entrypoints.access.login_state import LIFETIME_SECONDS, LoginStates, PendingLogin
from pagemill.entrypoints.access.sessions import OIDC_ADDRESS, OIDC_CALLBACK, Sessions
from pagemill.entrypoints.thread_pools import BoundedThreadPool
from pagemill.entrypoints.web.pages import PAGE_HEADERS
from pagemill.entrypoints.web.static_files import shell
from pagemill.entrypoints.wire.middleware import address_of
from pagemill.entrypoints.wire.problems import as_pagemill_error, problem_headers, problem_members
from pagemill.errors import (
    LoginExpired,
    LoginFailed,
    LoginNotAllowed,
    LoginProviderUnavailable,
    NotFound,
    PagemillError,
)
from pagemill.mill import Mill
from pagemill.model.login_rules import LoginGrant, account_name, grant_login

log = logging.getLogger("pagemill.access")

THREADS = 4
MOST_WAITING = 64
PROBLEM_PLACE = b"</head>"
NO_STORE = {"cache-control": "no-store", "referrer-policy": "no-referrer"}
# What a provider may say of a log-in that somebody gave up, in words of our own.
REASONS = {
    "access_denied": "The log-in was cancelled, or the provider does not allow it. Start it again.",
    "login_required": "The provider needs you to log in there. Start it again.",
    "temporarily_unavailable": "The provider is not available right now. Try again later.",
}


@dataclass(frozen=True, slots=True)
class OidcLogin:
    """What the two routes need."""

    mill: Mill
    provider: OidcProvider
    states: LoginStates
    sessions: Sessions
    threads: BoundedThreadPool

    def redirect_uri(self, request: Request) -> str:
        """Where the provider sends browsers back to, as it was registered there."""
        return f"{own_url(self.mill, request)}{OIDC_CALLBACK}"

    def is_secure(self) -> bool:
        """Whether cookies are for https alone."""
        return self.mill.settings.public_url.startswith("https://")

    def close(self) -> None:
        """Ask the provider nothing more."""
        self.threads.close()
        self.provider.close()


def oidc_login(mill: Mill, provider: OidcProvider, secret: bytes, sessions: Sessions) -> OidcLogin:
    """The log-in of an installation with a provider."""
    threads = BoundedThreadPool(THREADS, MOST_WAITING, "pagemill-oidc")
    return OidcLogin(mill, provider, LoginStates(secret, sessions.cookie), sessions, threads)


def own_url(mill: Mill, request: Request) -> str:
    """The address of this installation as browsers reach it."""
    return (mill.settings.public_url or f"http://{request.headers['host']}").rstrip("/")


def login_of(request: Request) -> OidcLogin:
    """The log-in with a provider; NotFound if there is none."""
    login: OidcLogin | None = request.app.state.oidc
    if login is None:
        raise NotFound()
    return login


async def start(request: Request) -> Response:
    """Send a browser to the provider."""
    login = login_of(request)
    try:
        pending, cookie = login.states.begin(request.query_params.get("next", "/"))
        wanted = AuthorizationRequest(
            redirect_uri=login.redirect_uri(request),
            state=pending.state,
            nonce=login.states.nonce(pending.state),
            challenge=login.states.challenge(pending.state),
        )
        url = await login.threads.run(login.provider.authorization_url, wanted)
    except PagemillError as error:
        return failure_page(error)
    answer = RedirectResponse(url, 303, NO_STORE)
    answer.set_cookie(
        login.states.cookie,
        cookie,
        max_age=LIFETIME_SECONDS,
        path=OIDC_ADDRESS,
        httponly=True,
        # Lax: the way back begins on a page of the provider.
        samesite="lax",
        secure=login.is_secure(),
    )
    return answer


async def finish(request: Request) -> Response:
    """Take a browser back: with a session if the account may log in, or with a page that says why not."""
    login = login_of(request)
    try:
        path, key_id = await admit(login, request)
    except Exception as error:
        answer = failure_page(as_pagemill_error(error))
    else:
        answer = RedirectResponse(path, 303, NO_STORE)
        seconds = login.mill.settings.oidc_session_seconds
        answer.set_cookie(
            login.sessions.cookie,
            login.sessions.issue(key_id, seconds),
            max_age=seconds,
            httponly=True,
            samesite="strict",
            secure=login.is_secure(),
        )
    answer.delete_cookie(login.states.cookie, path=OIDC_ADDRESS, httponly=True, samesite="lax")
    return answer


async def admit(login: OidcLogin, request: Request) -> tuple[str, str]:
    """The page to show and the id of the log-in's row; failures count like wrong keys of their address."""
    try:
        pending = pending_login(login, request)
        code = code_in(login, request, pending)
        grant = await login.threads.run(redeem, login, code)
    except (LoginExpired, LoginFailed, LoginNotAllowed):
        keys_of(request).count_bad(address_of(request.scope))
        raise
    row = await login.threads.run(
        logins.start_login, login.mill.db, grant, login.mill.settings.oidc_session_seconds
    )
    return pending.path, row.id


def pending_login(login: OidcLogin, request: Request) -> PendingLogin:
    """The log-in that this browser began; LoginExpired if it did not, or too long ago."""
    states = request.query_params.getlist("state")
    cookie = request.cookies.get(login.states.cookie)
    pending = login.states.find(cookie, states[0]) if len(states) == 1 else None
    if pending is None:
        raise LoginExpired()
    return pending


def code_in(login: OidcLogin, request: Request, pending: PendingLogin) -> AuthorizationCode:
    """The code that came back; LoginFailed if the provider sent an error, or the answer is not unique."""
    query = request.query_params
    if "error" in query:
        raise LoginFailed(REASONS.get(query["error"], ""))
    codes, issuers = query.getlist("code"), query.getlist("iss")
    if len(codes) != 1 or len(issuers) > 1:
        raise LoginFailed()
    return AuthorizationCode(
        code=codes[0],
        redirect_uri=login.redirect_uri(request),
        nonce=login.states.nonce(pending.state),
        verifier=login.states.verifier(pending.state),
        issuer=issuers[0] if issuers else None,
    )


def redeem(login: OidcLogin, code: AuthorizationCode) -> LoginGrant:
    """What the account behind a code gets; a refusal is in the audit log."""
    try:
        claims = login.provider.redeem(code)
    except (LoginFailed, LoginProviderUnavailable) as error:
        log.warning("a log-in failed: %s", error.message)
        raise
    try:
        return grant_login(claims, login.provider.config.rules)
    except LoginNotAllowed:
        logins.record_refusal(login.mill.db, str(claims["sub"]), account_name(claims))
        raise


def failure_page(error: PagemillError) -> Response:
    """The log-in page with what went wrong; its script finds that in the page."""
    members = html.escape(orjson.dumps(problem_members(error)).decode(), quote=True)
    place = f'<meta name="login-problem" content="{members}">'.encode()
    body = shell().body.replace(PROBLEM_PLACE, place + PROBLEM_PLACE, 1)
    headers = {**PAGE_HEADERS, **problem_headers(error), **NO_STORE}
    return Response(body, error.status, headers, shell().media_type)


ROUTES = [
    Route(OIDC_ADDRESS, start, methods=["GET"]),
    Route(OIDC_CALLBACK, finish, methods=["GET"]),
]
