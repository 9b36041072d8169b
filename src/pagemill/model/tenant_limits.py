"""Limits of tenants: those of the settings, unless the operator has given a tenant others."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from pagemill.settings import Settings


@dataclass(frozen=True, slots=True)
class TenantOverride:
    """What differs for one tenant; None is as the settings say. 0 sets no limit where it does so in the settings."""

    tenant: str
    retention_seconds: float | None = None
    max_pending_jobs: int | None = None
    max_tenant_bytes: int | None = None
    max_tenant_pages_per_day: int | None = None
    max_requests_per_minute: int | None = None
    max_tenant_uploads: int | None = None
    max_tenant_waiting_requests: int | None = None
    enrich: str | None = None

    def changes(self) -> dict[str, float | str]:
        """What differs, by name."""
        found = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "tenant"}
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True)
class TenantLimits:
    """What holds for a tenant; without a retention of its own its documents are kept as long as is asked for."""

    max_pending_jobs: int
    max_tenant_bytes: int
    max_tenant_pages_per_day: int
    max_requests_per_minute: int
    max_tenant_uploads: int
    max_tenant_waiting_requests: int
    expires_in_seconds: float
    # What is added to every document, separated by commas.
    enrich: str
    retention_seconds: float | None = None

    def keep_seconds(self, requested_seconds: float | None) -> float:
        """How long a document is kept: as was asked or is usual, but no longer than the tenant's retention."""
        if self.retention_seconds is None:
            return requested_seconds or self.expires_in_seconds
        return min(requested_seconds or self.retention_seconds, self.retention_seconds)


def limits_with(settings: Settings, changes: Mapping[str, float | str]) -> TenantLimits:
    """The limits of the settings with changes to them."""
    usual = {field.name: getattr(settings, field.name, None) for field in fields(TenantLimits)}
    return TenantLimits(**{**usual, **changes})  # type: ignore[arg-type]


class LimitsOfTenants:
    """The limits of every tenant as they were read last; any thread may ask."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._usual = limits_with(settings, {})
        self._of: Mapping[str, TenantLimits] = {}

    def of(self, tenant: str) -> TenantLimits:
        """What holds for a tenant."""
        return self._of.get(tenant, self._usual)

    def replace(self, overrides: Iterable[TenantOverride]) -> None:
        """Take over what the rows say."""
        self._of = {one.tenant: limits_with(self._settings, one.changes()) for one in overrides}
