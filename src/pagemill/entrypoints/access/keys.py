"""The API keys: the operator's from the settings, those of tenants from the database, and a limit on requests without one."""

import hashlib
import hmac
import time

from pydantic import SecretStr

from pagemill.desk.tenant_keys import has_shape
from pagemill.entrypoints.access.key_cache import KeyCache
from pagemill.errors import TooManyRequests, Unauthorized
from pagemill.mill import DEFAULT_TENANT
from pagemill.model.tenants import OPERATOR_KEY_ID, Holder

BEARER = b"bearer "
MAX_BAD_KEYS = 100
WINDOW_SECONDS = 60
MAX_ADDRESSES = 10_000
OPERATOR = Holder(DEFAULT_TENANT, OPERATOR_KEY_ID, is_operator=True)


class KeyCheck:
    """Tells who sends a request; a right key passes however many requests without one came from its address."""

    def __init__(self, key: SecretStr | None, known: KeyCache) -> None:
        own = key.get_secret_value().encode() if key else b""
        self._digest = hashlib.sha256(own).digest() if own else None
        self._known = known
        self._window = 0
        self._bad: dict[str, int] = {}

    async def are_needed(self) -> bool:
        """Whether a key is needed at all: one is set, or a tenant was ever given one."""
        return self._digest is not None or await self._known.are_any()

    async def holder(self, authorization: list[bytes], api_key: list[bytes], address: str) -> Holder:
        """Who sends a request; Unauthorized unless it carries a valid key, and carries it once."""
        if not await self.are_needed():
            return OPERATOR
        given = [bearer(value) for value in authorization] + api_key
        holder = await self._holder_of(given[0]) if len(given) == 1 else None
        if holder is None:
            self._count_bad(address)
            raise Unauthorized()
        return holder

    async def holder_of_session(self, key_id: str) -> Holder | None:
        """Who began a session with the key of this id, if it is still valid."""
        if key_id == OPERATOR_KEY_ID:
            return OPERATOR if self._digest is not None else None
        return await self._known.of_id(key_id)

    def close(self) -> None:
        """Ask the database nothing more."""
        self._known.close()

    async def _holder_of(self, key: bytes) -> Holder | None:
        digest = hashlib.sha256(key)
        if self._digest is not None and hmac.compare_digest(digest.digest(), self._digest):
            return OPERATOR
        return await self._known.of_hash(digest.hexdigest()) if has_shape(key) else None

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
