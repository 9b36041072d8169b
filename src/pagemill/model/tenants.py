"""Tenants: owners of documents that are kept apart, identified by the keys that they send."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

# Whose the jobs of the operator are, and all where no key is needed.
DEFAULT_TENANT = "default"
TENANT_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
# What stands for the key in the settings, which has no row.
OPERATOR_KEY_ID = "operator"

# The longest that a key holds, if it expires.
MOST_KEY_SECONDS = 10 * 365 * 86_400


class Scope(StrEnum):
    """What a key may be used for; each includes those before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


ALL_SCOPES = frozenset(Scope)
DEFAULT_SCOPES = (Scope.READ, Scope.WRITE)


def granted_scopes(scopes: Iterable[str]) -> frozenset[Scope]:
    """Everything that a key with these scopes may be used for; what is unknown here grants nothing."""
    order, given = list(Scope), set(scopes)
    highest = max((place for place, scope in enumerate(order) if scope in given), default=-1)
    return frozenset(order[: highest + 1])


@dataclass(frozen=True, slots=True)
class Holder:
    """Who sent a request: whose jobs it may see, with which key, for what, and whether the whole installation is theirs."""

    tenant: str
    key_id: str
    is_operator: bool = False
    scopes: frozenset[Scope] = ALL_SCOPES


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key of a tenant, as it is listed; the key itself is known to its holder only."""

    id: str
    tenant: str
    name: str
    created_at: float
    revoked_at: float | None
    scopes: tuple[str, ...] = DEFAULT_SCOPES
    expires_at: float | None = None
    last_used_at: float | None = None
    # The first characters of the key, to tell it from others.
    hint: str = ""
    # Who logged in, for the row of a log-in with an OpenID Connect provider, which is no key that anybody has.
    subject: str | None = None

    def is_valid(self, now: float) -> bool:
        """Whether requests may still be sent with it."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)
