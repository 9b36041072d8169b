"""Tenants: those whose documents are kept apart, told from each other by the keys that they send."""

from dataclasses import dataclass

# What stands for the key in the settings, which has no row.
OPERATOR_KEY_ID = "operator"


@dataclass(frozen=True, slots=True)
class Holder:
    """Who sent a request: whose jobs it may see, with which key, and whether the whole installation is theirs."""

    tenant: str
    key_id: str
    is_operator: bool = False


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key of a tenant, as it is listed; the key itself is known to nobody but its holder."""

    id: str
    tenant: str
    name: str
    created_at: float
    revoked_at: float | None
