"""What is remembered of a log-in while its browser is at the provider: a signed cookie, and nothing on this side.

The nonce and the PKCE verifier are derived from the state with a secret of the installation, so that the cookie need not
carry them, and any process can finish what another began.
"""

import base64
import hashlib
import hmac
import re
import secrets
import time
from dataclasses import dataclass
from posixpath import normpath
from urllib.parse import unquote

from pagemill.entrypoints.access.sessions import ADDRESS

LIFETIME_SECONDS = 600
MOST_PATH_CHARACTERS = 500
# A path of this installation: not the address of another, in any spelling that browsers take for one.
OWN_PATH = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")


@dataclass(frozen=True, slots=True)
class PendingLogin:
    """A log-in that has begun: its state, and the page to show after it."""

    state: str
    path: str


class LoginStates:
    """Makes and checks the cookies of log-ins."""

    def __init__(self, secret: bytes, cookie: str) -> None:
        self._secret = secret
        self.cookie = f"{cookie}_login"

    def begin(self, path: str) -> tuple[PendingLogin, str]:
        """A new log-in, and the value of its cookie."""
        login = PendingLogin(secrets.token_urlsafe(32), own_path(path))
        parts = (str(int(time.time()) + LIFETIME_SECONDS), login.state, encode(login.path.encode()))
        pledge = ".".join(parts)
        return login, f"{pledge}.{self._sign('cookie', pledge)}"

    def find(self, value: str | None, state: str) -> PendingLogin | None:
        """The log-in of a cookie, if the state that came back is its own and its time is not up."""
        pledge, _, signature = (value or "").rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign("cookie", pledge).encode()):
            return None
        until, own_state, path = pledge.split(".")
        if int(until) <= time.time() or not hmac.compare_digest(own_state.encode(), state.encode()):
            return None
        return PendingLogin(own_state, base64.urlsafe_b64decode(path + "==").decode())

    def nonce(self, state: str) -> str:
        """What the ID token must repeat."""
        return self._sign("nonce", state)

    def verifier(self, state: str) -> str:
        """What proves to the provider that the code was asked for here (PKCE)."""
        return self._sign("verifier", state)

    def challenge(self, state: str) -> str:
        """The hash of the verifier, which the provider gets first (S256)."""
        return encode(hashlib.sha256(self.verifier(state).encode()).digest())

    def _sign(self, purpose: str, text: str) -> str:
        return encode(hmac.digest(self._secret, f"{purpose}:{text}".encode(), hashlib.sha256))


def own_path(path: str) -> str:
    """The path if it is one of this installation, else the start page.

    Those of sessions are no pages: one of them would begin the log-in again, without an end.
    """
    is_own = len(path) <= MOST_PATH_CHARACTERS and OWN_PATH.fullmatch(path)
    return path if is_own and not is_session_path(path) else "/"


def is_session_path(path: str) -> bool:
    """Whether a path leads to the routes of sessions, in any spelling that browsers take for it."""
    plain = normpath(unquote(re.split("[?#]", path)[0]))
    return plain == ADDRESS or plain.startswith(f"{ADDRESS}/")


def encode(raw: bytes) -> str:
    """Bytes in characters that URLs and cookies carry."""
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
