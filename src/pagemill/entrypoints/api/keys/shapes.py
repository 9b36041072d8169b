"""The shapes of keys and of the audit log: what is sent to the routes, and what they answer."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pagemill.desk.tenant_keys import KEY_NAME, MOST_NAME_CHARACTERS, TENANT
from pagemill.entrypoints.api.examples import EXAMPLE_ID
from pagemill.model.audit import AuditLine
from pagemill.model.tenants import DEFAULT_SCOPES, MOST_KEY_SECONDS, ApiKey, Scope
from pagemill.model.views import iso

EXAMPLE_KEY: dict[str, Any] = {
    "id": EXAMPLE_ID,
    "tenant": "acme",
    "name": "invoice importer",
    "scopes": ["read", "write"],
    "hint": "pm_Zk3v",
    "created_at": "2026-11-15T09:30:00.000Z",
    "expires_at": None,
    "last_used_at": "2026-11-15T11:02:00.000Z",
    "revoked_at": None,
}
EXAMPLE_LINE: dict[str, Any] = {
    "id": 12,
    "tenant": "acme",
    "at": "2026-11-15T09:30:00.000Z",
    "actor": "key operator",
    "action": "key.added",
    "subject": EXAMPLE_ID,
    "facts": {"name": "invoice importer", "scopes": ["read", "write"], "expires_at": None},
}


def check_name(text: str) -> str:
    """A name that can be shown in a list."""
    if not KEY_NAME.fullmatch(text):
        raise ValueError("give a name of printable characters that says who uses the key")
    return text


KeyName = Annotated[
    str,
    AfterValidator(check_name),
    Field(
        min_length=1,
        max_length=MOST_NAME_CHARACTERS,
        description="Who or what uses the key.",
        json_schema_extra={"pattern": f"^{KEY_NAME.pattern}$"},
    ),
]


class KeyRequest(BaseModel):
    """A key that is to be made."""

    model_config = ConfigDict(extra="forbid")

    name: KeyName
    scopes: list[Scope] = Field(
        list(DEFAULT_SCOPES),
        min_length=1,
        max_length=len(Scope),
        description="What it may be used for: `read`, `write` (with `read`), `admin` (with both).",
    )
    expires_in: float | None = Field(
        None,
        ge=1,
        le=MOST_KEY_SECONDS,
        description="Seconds until it is worth nothing; it does not expire if null.",
    )
    tenant: str | None = Field(
        None,
        pattern=f"^{TENANT.pattern}$",
        description="Whose key it is; your own tenant's if null. Only the operator may name another.",
    )


class KeyShown(BaseModel):
    """A key, without what it is."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE_KEY]})

    id: str
    tenant: str
    name: str
    scopes: list[Scope]
    hint: str = Field(description="Its first characters.")
    created_at: str
    expires_at: str | None
    last_used_at: str | None = Field(description="To the minute; null if it was never used.")
    revoked_at: str | None


class KeyMade(KeyShown):
    """A new key; this is the only answer that shows it."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE_KEY | {"key": "pm_Zk3v" + "x" * 39}]})

    key: str


class KeyList(BaseModel):
    """Keys, revoked ones too."""

    keys: list[KeyShown]


class AuditLogEntry(BaseModel):
    """One act of administration."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE_LINE]})

    id: int
    tenant: str
    at: str
    actor: str = Field(description="The key that was used, or `command line`.")
    action: str
    subject: str = Field(description="What it was done to.")
    facts: dict[str, object]


class AuditLogPage(BaseModel):
    """Some lines of the audit log, newest first."""

    lines: list[AuditLogEntry]
    next_before: int | None = Field(description="`before` of the next page; null if there is none.")


def moment(at: float | None) -> str | None:
    """A time as it is shown; None if it has not come."""
    return None if at is None else iso(at)


def key_view(key: ApiKey) -> dict[str, object]:
    """A key as it is shown."""
    return {
        "id": key.id,
        "tenant": key.tenant,
        "name": key.name,
        "scopes": list(key.scopes),
        "hint": key.hint,
        "created_at": iso(key.created_at),
        "expires_at": moment(key.expires_at),
        "last_used_at": moment(key.last_used_at),
        "revoked_at": moment(key.revoked_at),
    }


def audit_view(line: AuditLine) -> dict[str, object]:
    """A line of the audit log as it is shown."""
    return {
        "id": line.id,
        "tenant": line.tenant,
        "at": iso(line.at),
        "actor": line.actor,
        "action": line.action,
        "subject": line.subject,
        "facts": line.facts,
    }
