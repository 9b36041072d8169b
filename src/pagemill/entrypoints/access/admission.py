"""Who is let in, for what, and how often: what every request with a key or a session passes."""

from dataclasses import dataclass

from pagemill.entrypoints.access import sessions
from pagemill.entrypoints.access.keys import KeyCheck
from pagemill.entrypoints.access.open_requests import OpenRequests
from pagemill.entrypoints.access.rate_limits import Headers, RateLimits
from pagemill.entrypoints.access.upload_places import UploadPlaces
from pagemill.errors import (
    InsufficientScope,
    OutageError,
    SessionHeaderMissing,
    TooManyRequests,
    Unauthorized,
)
from pagemill.model.tenant_limits import LimitsOfTenants
from pagemill.model.tenants import Holder, Scope
from pagemill.settings import Settings

READING_METHODS = frozenset({"GET", "HEAD"})
ADMINISTRATION = ("/v1/keys", "/v1/audit")
# Answers with something that lets others act in the tenant's name.
SECRETS = frozenset({"/v1/webhooks/job-secret"})
# Made by POST, but good for reading alone; what a tool of the Model Context Protocol wants is looked at when it asks for it.
READING_PATHS = frozenset({"/v1/ws-tokens", "/mcp"})


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a request says of its sender, and what it wants."""

    method: str
    path: str
    address: str
    authorization: list[bytes]
    api_key: list[bytes]
    cookies: list[bytes]
    from_web_pages: bool

    @property
    def is_reading(self) -> bool:
        """Whether the request changes nothing."""
        return self.method in READING_METHODS


class Admission:
    """Finds out who sends a request, and holds it to its scopes and limits."""

    def __init__(
        self, settings: Settings, limits: LimitsOfTenants, keys: KeyCheck, browsers: sessions.Sessions
    ) -> None:
        self.uploads = UploadPlaces(settings, limits)
        self.requests = OpenRequests(keys, self.uploads)
        self._keys = keys
        self._sessions = browsers
        self._rates = RateLimits(lambda tenant: limits.of(tenant).max_requests_per_minute)

    async def identify(
        self, shown: Credentials, token: sessions.Session | None = None
    ) -> tuple[Holder, sessions.Session | None]:
        """Who sends a request, and with which session or token if not with a key; Unauthorized if none is valid.

        SessionHeaderMissing if a session is to change something without that header.
        """
        session = None
        if not shown.authorization and not shown.api_key:
            session = token or (self._sessions.session_of(shown.cookies) if shown.cookies else None)
        browser = await self._keys.holder_of_session(session) if session is not None else None
        if browser is None:
            return await self._keys.holder(shown.authorization, shown.api_key, shown.address), None
        if not shown.is_reading and not shown.from_web_pages:
            raise SessionHeaderMissing
        return browser, session

    async def recognise(self, shown: Credentials) -> Holder | None:
        """Who sends a request that needs no key; None for strangers, and while that is unknown."""
        try:
            return (await self.identify(shown))[0]
        except (Unauthorized, SessionHeaderMissing, TooManyRequests, OutageError):
            return None

    def count(self, holder: Holder) -> tuple[Headers, TooManyRequests | None]:
        """Count a request of a tenant; the operator's are not counted."""
        return ([], None) if holder.is_operator else self._rates.take(holder.tenant)

    def check_scope(self, shown: Credentials, holder: Holder) -> None:
        """InsufficientScope unless the key may be used for what the request wants."""
        needed = needed_scope(shown)
        if needed is not None and needed not in holder.scopes:
            raise InsufficientScope(
                f"This key may not be used for that; it needs the scope `{needed}`.",
                scope=needed,
                scopes=sorted(holder.scopes),
            )


def needed_scope(shown: Credentials) -> Scope | None:
    """What a key must be good for to be used so; None for the log-in and the log-out."""
    if shown.path == sessions.ADDRESS:
        return None
    if shown.path.startswith(ADMINISTRATION):
        return Scope.ADMIN
    is_reading = (shown.is_reading and shown.path not in SECRETS) or shown.path in READING_PATHS
    return Scope.READ if is_reading else Scope.WRITE
