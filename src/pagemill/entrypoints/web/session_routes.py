"""The log-in and log-out of the web pages."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pagemill.desk import logins
from pagemill.entrypoints.access.caller import holder_of, keys_of, tenant_of
from pagemill.entrypoints.access.keys import OPERATOR
from pagemill.entrypoints.access.sessions import ADDRESS, LIFETIME_SECONDS, Sessions
from pagemill.entrypoints.web.oidc_routes import OidcLogin, own_url
from pagemill.entrypoints.wire.responses import json_response
from pagemill.errors import LoginProviderUnavailable
from pagemill.model.tenants import Holder


def sessions_of(request: Request) -> Sessions:
    """The sessions of the installation that a request came to."""
    sessions: Sessions = request.app.state.sessions
    return sessions


async def show_session(request: Request) -> Response:
    """Whether a key is needed at all, whether this browser has shown one, and whether it was the operator's."""
    keys = keys_of(request)
    cookies = [value for name, value in request.headers.raw if name == b"cookie"]
    if not await keys.are_needed():
        return session_response(OPERATOR, key_needed=False)
    session = sessions_of(request).session_of(cookies)
    holder = await keys.holder_of_session(session) if session else None
    return session_response(holder, key_needed=True, provider=provider_name(request))


def session_response(holder: Holder | None, *, key_needed: bool, provider: str | None = None) -> Response:
    """A session as the pages see it."""
    return json_response(
        {
            "key_needed": key_needed,
            "open": holder is not None,
            "operator": holder is not None and holder.is_operator,
        }
        | ({"provider": provider} if provider else {}),
        headers={"cache-control": "no-store"},
    )


async def log_in(request: Request) -> Response:
    """Begin a session; the gate has seen the key."""
    sessions, holder = sessions_of(request), holder_of(request)
    if not await keys_of(request).are_needed():
        return session_response(holder, key_needed=False)
    answered = session_response(holder, key_needed=True, provider=provider_name(request))
    answered.set_cookie(
        sessions.cookie,
        sessions.issue(holder.key_id),
        max_age=LIFETIME_SECONDS,
        httponly=True,
        samesite="strict",
        # The scheme of the connection means nothing behind a proxy; the page's own address does.
        secure=request.headers.get("origin", "").startswith("https://"),
    )
    return answered


async def log_out(request: Request) -> Response:
    """End the session of this browser, for every copy of its cookie."""
    cookies = [value for name, value in request.headers.raw if name == b"cookie"]
    session = sessions_of(request).session_of(cookies)
    provider_url = None
    if session is not None:
        provider_url = await end_login(request, session.key_id)
        await keys_of(request).end_session(tenant_of(request), session)
    answered = json_response({"provider_url": provider_url}) if provider_url else Response(status_code=204)
    answered.delete_cookie(sessions_of(request).cookie, httponly=True, samesite="strict")
    return answered


async def end_login(request: Request, key_id: str) -> str | None:
    """End a log-in with a provider; where the session with the provider itself can be ended, if anywhere."""
    login: OidcLogin | None = request.app.state.oidc
    if login is None or not await login.threads.run(logins.end_login, login.mill.db, key_id):
        return None
    try:
        return await login.threads.run(login.provider.log_out_url, own_url(login.mill, request) + "/")
    except LoginProviderUnavailable:
        # Here the log-in is ended all the same.
        return None


def provider_name(request: Request) -> str | None:
    """The name of the provider that people log in with; None if there is none."""
    login: OidcLogin | None = request.app.state.oidc
    return None if login is None else login.mill.settings.oidc_name


ROUTES = [
    Route(ADDRESS, show_session, methods=["GET"]),
    Route(ADDRESS, log_in, methods=["POST"]),
    Route(ADDRESS, log_out, methods=["DELETE"]),
]
