"""The API keys: the operator's from the settings, those of tenants from the database, and a limit on requests without one."""

import hashlib
import hmac
import ipaddress
import time

from pydantic import SecretStr

from pagemill.desk.tenant_keys import has_shape
from pagemill.entrypoints.access.key_cache import KeyCache
from pagemill.entrypoints.access.sessions import Session
from pagemill.errors import TooManyRequests, Unauthorized
from pagemill.mill import DEFAULT_TENANT
from pagemill.model.tenants import OPERATOR_KEY_ID, Holder

BEARER = b"bearer "
MAX_BAD_KEYS = 100
WINDOW_SECONDS = 60
MAX_ADDRESSES = 10_000
OPERATOR = Holder(DEFAULT_TENANT, OPERATOR_KEY_ID, is_operator=True)
# Somebody with one address of version 6 usually has all of its network.
NETWORK_BITS = 64


class KeyCheck:
    """Authenticates a request; a right key passes however many requests without one came from its address."""

    def __init__(self, key: SecretStr | None, known: KeyCache, *, has_logins: bool = False) -> None:
        own = key.get_secret_value().encode() if key else b""
        self._digest = hashlib.sha256(own).digest() if own else None
        self._known = known
        self._has_logins = has_logins
        self._window = 0
        self._bad: dict[str, int] = {}

    async def are_needed(self) -> bool:
        """Whether a key is needed at all: one is set, a tenant was ever given one, or people log in with a provider."""
        return self._digest is not None or self._has_logins or await self._known.are_any()

    async def holder(self, authorization: list[bytes], api_key: list[bytes], address: str) -> Holder:
        """Who sends a request; Unauthorized unless it carries a valid key, and carries it once."""
        if not await self.are_needed():
            return OPERATOR
        given = [bearer(value) for value in authorization] + api_key
        holder = await self._holder_of(given[0]) if len(given) == 1 else None
        if holder is None:
            self.count_bad(address)
            raise Unauthorized()
        return holder

    async def holder_of_session(self, session: Session) -> Holder | None:
        """Who began a session, if it was not ended and its key is still valid."""
        if await self._known.is_ended(session.id):
            return None
        if session.key_id == OPERATOR_KEY_ID:
            return OPERATOR if self._digest is not None else None
        return await self._known.of_id(session.key_id)

    async def is_valid(self, holder: Holder, session: Session | None) -> bool:
        """Whether a previously accepted caller is still authorised."""
        if session is not None:
            return await self.holder_of_session(session) is not None
        if holder.is_operator:
            return self._digest is not None or not await self.are_needed()
        return await self._known.of_id(holder.key_id) is not None

    async def end_session(self, tenant: str, session: Session) -> None:
        """Have every copy of a session's cookie be worth nothing."""
        await self._known.end_session(tenant, session.id, session.expires_at)

    def forget(self) -> None:
        """Ask the database about all keys and sessions again."""
        self._known.forget()

    def close(self) -> None:
        """Ask the database nothing more."""
        self._known.close()

    async def _holder_of(self, key: bytes) -> Holder | None:
        digest = hashlib.sha256(key)
        if self._digest is not None and hmac.compare_digest(digest.digest(), self._digest):
            return OPERATOR
        return await self._known.of_hash(digest.hexdigest()) if has_shape(key) else None

    def count_bad(self, address: str) -> None:
        """Count a request or log-in without a right to it; TooManyRequests after many from one network."""
        network = network_of(address)
        window = int(time.monotonic() // WINDOW_SECONDS)
        if window != self._window or len(self._bad) > MAX_ADDRESSES:
            self._window = window
            self._bad.clear()
        self._bad[network] = self._bad.get(network, 0) + 1
        if self._bad[network] > MAX_BAD_KEYS:
            raise TooManyRequests(retry_after_seconds=WINDOW_SECONDS)


def bearer(authorization: bytes) -> bytes:
    """The key in an Authorization header; empty if it has another scheme."""
    return authorization[len(BEARER) :].strip() if authorization[: len(BEARER)].lower() == BEARER else b""


def network_of(address: str) -> str:
    """What bad keys are counted by: the address, or its network for version 6."""
    if ":" not in address:
        return address
    return str(ipaddress.ip_network((address.partition("%")[0], NETWORK_BITS), strict=False))
