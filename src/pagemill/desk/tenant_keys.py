"""Keys of tenants: made, listed, revoked, and traced back to their tenant."""

import hashlib
import logging
import re
import secrets
from collections.abc import Collection
from concurrent.futures import Future
from dataclasses import dataclass

from sqlalchemy import Connection

from pagemill.db import api_keys, audit
from pagemill.db.database import Database, Tx
from pagemill.errors import NotFound, OutageError, Refused
from pagemill.model.audit import COMMAND_LINE, Action, AuditFacts
from pagemill.model.ids import new_id
from pagemill.model.tenants import (
    DEFAULT_SCOPES,
    MOST_KEY_SECONDS,
    TENANT_NAME,
    ApiKey,
    Holder,
    Scope,
    granted_scopes,
)

log = logging.getLogger("pagemill.keys")

# So that people and scanners for leaked secrets know what they see.
PREFIX = "pm_"
SECRET_BYTES = 32
SHAPE = re.compile(rb"pm_[A-Za-z0-9_-]{43}")
TENANT = TENANT_NAME
MOST_NAME_CHARACTERS = 100
# Control and format characters, which can't be seen or turn the direction of what follows.
_UNSEEN = r"\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff0-\ufffb"
# In words that JSON Schema shares with Python.
KEY_NAME = re.compile(rf"[^{_UNSEEN}]*[^{_UNSEEN}\s][^{_UNSEEN}]*")
# Of 43 random characters four are no help to somebody who guesses.
HINT_CHARACTERS = len(PREFIX) + 4
# The last use of a key is written down no more often than this.
USE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was made just now; this is the only time that it can be read."""

    key: str
    row: ApiKey


def add(
    db: Database,
    tenant: str,
    name: str,
    *,
    scopes: Collection[Scope] = DEFAULT_SCOPES,
    expires_in_seconds: float | None = None,
    actor: str = COMMAND_LINE,
) -> NewKey:
    """Make a key for a tenant; Refused if it has no proper name, or expires after more than ten years."""
    check_names(tenant, name)
    if expires_in_seconds is not None and not 0 <= expires_in_seconds <= MOST_KEY_SECONDS:
        raise Refused(
            f"A key expires within {MOST_KEY_SECONDS // 86_400:,} days. Leave the time out, and it does not expire."
        )
    key = PREFIX + secrets.token_urlsafe(SECRET_BYTES)

    def write(tx: Tx) -> ApiKey:
        row = ApiKey(
            id=new_id(),
            tenant=tenant,
            name=name.strip(),
            created_at=tx.now,
            revoked_at=None,
            scopes=tuple(scope for scope in Scope if scope in granted_scopes(scopes)),
            expires_at=None if expires_in_seconds is None else tx.now + expires_in_seconds,
            hint=key[:HINT_CHARACTERS],
        )
        api_keys.add(tx, row, hash_key(key.encode()))
        record(tx, row, Action.KEY_ADDED, actor)
        return row

    return NewKey(key, db.write(write))


def check_names(tenant: str, name: str) -> None:
    """Refused unless the tenant and the key have names that can be shown."""
    if not TENANT.fullmatch(tenant):
        raise Refused(
            "A tenant's name has up to 63 of the letters a-z, digits, dots, dashes and underscores."
        )
    if len(name) > MOST_NAME_CHARACTERS or not KEY_NAME.fullmatch(name):
        raise Refused(
            f"Give the key a name of up to {MOST_NAME_CHARACTERS} characters that says who uses it."
        )


def list_keys(db: Database, tenant: str | None = None) -> list[ApiKey]:
    """All keys, or those of one tenant, revoked ones too."""
    if tenant is None:
        return db.read(api_keys.everyone)
    return db.read(lambda conn: api_keys.of_tenant(conn, tenant))


def revoke(db: Database, named: str, actor: str = COMMAND_LINE) -> ApiKey:
    """Make a key worthless, given its id, or its name if no other has it; Refused if there is no such key."""
    valid = [key for key in list_keys(db) if key.revoked_at is None]
    found = [key for key in valid if named == key.id] or [key for key in valid if named == key.name]
    if len(found) != 1:
        raise Refused(
            f"{len(found) or 'No'} valid keys are called {named}. Give the id that `keys list` shows."
        )
    db.write(lambda tx: revoke_in(tx, found[0], actor))
    return found[0]


def find_key(db: Database, tenant: str | None, key_id: str) -> ApiKey:
    """A key by its id; NotFound if there is none, or it is another tenant's (None sees all)."""
    found = db.read(lambda conn: api_keys.by_id(conn, key_id))
    if found is None or tenant not in (None, found.tenant):
        raise NotFound()
    return found


def revoke_id(db: Database, tenant: str | None, key_id: str, actor: str) -> None:
    """Make a key worthless, given its id; once more is fine. NotFound as `find_key`."""
    key = find_key(db, tenant, key_id)
    db.write(lambda tx: revoke_in(tx, key, actor))


def revoke_in(tx: Tx, key: ApiKey, actor: str) -> None:
    """Make a key worthless and write that down, unless it was so before."""
    if api_keys.revoke(tx, key.id):
        record(tx, key, Action.KEY_REVOKED if key.subject is None else Action.LOGIN_ENDED, actor)


def record(tx: Tx, key: ApiKey, action: Action, actor: str) -> None:
    """Write down what happens to a key."""
    facts: AuditFacts = {"name": key.name, "scopes": list(key.scopes), "expires_at": key.expires_at}
    audit.append(tx, key.tenant, actor=actor, action=action, subject=key.id, facts=facts)


def has_shape(key: bytes) -> bool:
    """Whether something looks like a key that was made here; nothing else need be looked for."""
    return SHAPE.fullmatch(key) is not None


def holder_of_hash(db: Database, sha256: str) -> Holder | None:
    """Whose key has this hash, if it is still valid; its use is noted now and then, without waiting for that."""

    def find(conn: Connection) -> tuple[ApiKey | None, float]:
        return api_keys.by_hash(conn, sha256), db.now(conn) - USE_SECONDS

    found, noted_before = db.read(find)
    key = valid_key(found, noted_before + USE_SECONDS)
    if key is not None and (key.last_used_at or 0.0) < noted_before:
        noting = db.submit(lambda tx: api_keys.record_use(tx, key.id, noted_before))
        noting.add_done_callback(log_failure)
    return holder(key)


def holder_of_id(db: Database, key_id: str) -> Holder | None:
    """Whose key has this id, if it is still valid."""
    return holder(db.read(lambda conn: valid_key(api_keys.by_id(conn, key_id), db.now(conn))))


def valid_key(row: ApiKey | None, now: float) -> ApiKey | None:
    """The key, if requests may still be sent with it."""
    return row if row is not None and row.is_valid(now) else None


def holder(row: ApiKey | None) -> Holder | None:
    """The holder of a key."""
    return None if row is None else Holder(row.tenant, row.id, scopes=granted_scopes(row.scopes))


def log_failure(writing: "Future[None]") -> None:
    """Say that a use could not be written down; the request goes on."""
    error = None if writing.cancelled() else writing.exception()
    if isinstance(error, OutageError):
        log.warning("the use of a key could not be noted: %s", error.message)
    elif error is not None:
        log.error("the use of a key could not be noted", exc_info=error)


def hash_key(key: bytes) -> str:
    """What is kept of a key; with so many random bits a slow hash would add nothing."""
    return hashlib.sha256(key).hexdigest()
