"""The API key: one static key, compared in constant time, and a limit on requests that come without it."""

import hashlib
import hmac
import time

from pydantic import SecretStr

from pagemill.errors import TooManyRequests, Unauthorized

BEARER = b"bearer "
MAX_BAD_KEYS = 100
WINDOW_SECONDS = 60
MAX_ADDRESSES = 10_000


class KeyCheck:
    """Lets requests with the right key pass; a right key passes however many requests without it came from its address."""

    def __init__(self, key: SecretStr | None) -> None:
        self._digest = None if key is None else hashlib.sha256(key.get_secret_value().encode()).digest()
        self._window = 0
        self._bad: dict[str, int] = {}

    def check(self, authorization: list[bytes], api_key: list[bytes], address: str) -> None:
        """Unauthorized unless the request carries the key, and carries it once."""
        if self._digest is None:
            return
        given = [bearer(value) for value in authorization] + api_key
        if len(given) == 1 and hmac.compare_digest(hashlib.sha256(given[0]).digest(), self._digest):
            return
        self._count_bad(address)
        raise Unauthorized()

    def _count_bad(self, address: str) -> None:
        window = int(time.monotonic() // WINDOW_SECONDS)
        if window != self._window or len(self._bad) > MAX_ADDRESSES:
            self._window = window
            self._bad.clear()
        self._bad[address] = self._bad.get(address, 0) + 1
        if self._bad[address] > MAX_BAD_KEYS:
            raise TooManyRequests(retry_after_seconds=WINDOW_SECONDS)


def bearer(authorization: bytes) -> bytes:
    """The key in an Authorization header; empty if it has another scheme."""
    return authorization[len(BEARER) :].strip() if authorization[: len(BEARER)].lower() == BEARER else b""
