"""Sessions: a browser shows the key once and from then on a cookie, because images and event streams can't send headers.

A session is a signed date, a random id and the id of the key that it was begun with, so it outlives a restart, and it
ends with that key; a new key of the operator ends all sessions. One that is ended by a log-out has a row that says so.
"""

import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass

from pagemill.mill import Mill

ADDRESS = "/session"
OIDC_ADDRESS = f"{ADDRESS}/oidc"
OIDC_CALLBACK = f"{OIDC_ADDRESS}/callback"
LIFETIME_SECONDS = 30 * 86_400
# Long enough to open a WebSocket after asking for a token.
SOCKET_TOKEN_SECONDS = 60
# Against CSRF: a page of another site can't send it without a CORS preflight, which is refused.
HEADER = b"x-pagemill-web"


@dataclass(frozen=True, slots=True)
class Session:
    """A session that a browser has shown the cookie of."""

    id: str
    key_id: str
    expires_at: float


class Sessions:
    """Makes and checks the cookies of one installation."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        # Cookies don't tell ports apart: two installations on one machine need two names.
        self.cookie = "pagemill_" + self._sign("name")[:8]

    def issue(self, key_id: str, lifetime_seconds: int = LIFETIME_SECONDS) -> str:
        """The value of a new cookie for somebody who has shown the key of this id."""
        pledge = f"{int(time.time()) + lifetime_seconds}.{secrets.token_hex(8)}.{key_id}"
        return f"{pledge}.{self._sign(pledge)}"

    def session_of(self, cookies: list[bytes]) -> Session | None:
        """The session in one of these Cookie headers, if it has not run out; whether it was ended is not known here."""
        return next((found for value in self._values(cookies) if (found := self.session_in(value))), None)

    def session_in(self, value: str) -> Session | None:
        """The session that a value was issued for, if it is one of ours and has not run out."""
        if not self._is_valid(value):
            return None
        until, session_id, key_id, _ = value.split(".")
        return Session(session_id, key_id, float(until))

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


def socket_tokens(mill: Mill) -> Sessions:
    """What makes and checks the tokens of WebSockets, which are of no use as cookies."""
    return Sessions(hmac.digest(session_secret(mill), b"socket", hashlib.sha256))


def login_secret(mill: Mill) -> bytes:
    """What log-ins with a provider are signed with while their browser is there."""
    return hmac.digest(session_secret(mill), b"login", hashlib.sha256)


def session_secret(mill: Mill) -> bytes:
    """What cookies are signed with: the same in all processes of an installation, and another after a new operator's key."""
    key = mill.settings.api_key.get_secret_value().encode() if mill.settings.api_key else b""
    return hmac.digest(mill.passwords.derive_secret(b"session"), key, hashlib.sha256)
