"""Sessions: a browser shows the key once and from then on a cookie, because images and event streams can't send headers.

A session is no row anywhere but a signed date, so it outlives a restart; a new key ends all sessions.
"""

import hashlib
import hmac
import secrets
import time

from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pagemill.entrypoints.api.door import answer

ADDRESS = "/session"
LIFETIME_SECONDS = 30 * 86_400
# A page of another site can't send it without being asked first whether it may, and it may not.
HEADER = b"x-pagemill-web"


class Sessions:
    """Makes and checks the cookies of one installation."""

    def __init__(self, key: SecretStr | None) -> None:
        self.needed = key is not None
        self._secret = hmac.digest(
            key.get_secret_value().encode() if key else b"", b"session", hashlib.sha256
        )
        # Cookies don't tell ports apart: two installations on one machine need two names.
        self.cookie = "pagemill_" + self._sign("name")[:8]

    def issue(self, lifetime_seconds: int = LIFETIME_SECONDS) -> str:
        """The value of a new cookie."""
        pledge = f"{int(time.time()) + lifetime_seconds}.{secrets.token_hex(8)}"
        return f"{pledge}.{self._sign(pledge)}"

    def holds(self, cookies: list[bytes]) -> bool:
        """Whether one of these Cookie headers carries a session that has not run out."""
        return any(self._is_valid(value) for value in self._values(cookies))

    def _values(self, cookies: list[bytes]) -> list[str]:
        pairs = [
            pair.strip().partition("=") for line in cookies for pair in line.decode("latin-1").split(";")
        ]
        return [value for name, _, value in pairs if name == self.cookie]

    def _is_valid(self, value: str) -> bool:
        pledge, _, signature = value.rpartition(".")
        if not hmac.compare_digest(signature.encode("latin-1"), self._sign(pledge).encode()):
            return False
        return int(pledge.partition(".")[0]) > time.time()

    def _sign(self, text: str) -> str:
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()


def sessions_of(request: Request) -> Sessions:
    """The sessions of the installation that a request came to."""
    sessions: Sessions = request.app.state.sessions
    return sessions


async def show_session(request: Request) -> Response:
    """Whether a key is needed at all, and whether this browser has shown it."""
    sessions = sessions_of(request)
    cookies = [value for name, value in request.headers.raw if name == b"cookie"]
    is_open = not sessions.needed or sessions.holds(cookies)
    return answer({"key_needed": sessions.needed, "open": is_open}, headers={"cache-control": "no-store"})


async def log_in(request: Request) -> Response:
    """Begin a session; the gate has seen the key."""
    sessions = sessions_of(request)
    answered = answer({"key_needed": sessions.needed, "open": True})
    if sessions.needed:
        answered.set_cookie(
            sessions.cookie,
            sessions.issue(),
            max_age=LIFETIME_SECONDS,
            httponly=True,
            samesite="strict",
            # The scheme of the connection tells nothing behind a proxy; the page's own address does.
            secure=request.headers.get("origin", "").startswith("https://"),
        )
    return answered


async def log_out(request: Request) -> Response:
    """End the session of this browser."""
    answered = Response(status_code=204)
    answered.delete_cookie(sessions_of(request).cookie, httponly=True, samesite="strict")
    return answered


ROUTES = [
    Route(ADDRESS, show_session, methods=["GET"]),
    Route(ADDRESS, log_in, methods=["POST"]),
    Route(ADDRESS, log_out, methods=["DELETE"]),
]
