"""The log-in and log-out of the web pages."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pagemill.entrypoints.access.caller import holder_of, keys_of, tenant_of
from pagemill.entrypoints.access.keys import OPERATOR
from pagemill.entrypoints.access.sessions import ADDRESS, LIFETIME_SECONDS, Sessions
from pagemill.entrypoints.wire.responses import json_response
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
    return session_response(await keys.holder_of_session(session) if session else None, key_needed=True)


def session_response(holder: Holder | None, *, key_needed: bool) -> Response:
    """A session as the pages are told of it."""
    return json_response(
        {
            "key_needed": key_needed,
            "open": holder is not None,
            "operator": holder is not None and holder.is_operator,
        },
        headers={"cache-control": "no-store"},
    )


async def log_in(request: Request) -> Response:
    """Begin a session; the gate has seen the key."""
    sessions, holder = sessions_of(request), holder_of(request)
    if not await keys_of(request).are_needed():
        return session_response(holder, key_needed=False)
    answered = session_response(holder, key_needed=True)
    answered.set_cookie(
        sessions.cookie,
        sessions.issue(holder.key_id),
        max_age=LIFETIME_SECONDS,
        httponly=True,
        samesite="strict",
        # The scheme of the connection tells nothing behind a proxy; the page's own address does.
        secure=request.headers.get("origin", "").startswith("https://"),
    )
    return answered


async def log_out(request: Request) -> Response:
    """End the session of this browser, for every copy of its cookie."""
    cookies = [value for name, value in request.headers.raw if name == b"cookie"]
    session = sessions_of(request).session_of(cookies)
    if session is not None:
        await keys_of(request).end_session(tenant_of(request), session)
    answered = Response(status_code=204)
    answered.delete_cookie(sessions_of(request).cookie, httponly=True, samesite="strict")
    return answered


ROUTES = [
    Route(ADDRESS, show_session, methods=["GET"]),
    Route(ADDRESS, log_in, methods=["POST"]),
    Route(ADDRESS, log_out, methods=["DELETE"]),
]
