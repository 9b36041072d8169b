"""The rows of keys: made, found by their hash, and revoked. A revoked key keeps its row, so that its name stays known."""

import hmac
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, or_, select, update

from pagemill.db.database import Tx
from pagemill.db.prepared_statements import PreparedStatement
from pagemill.db.schema import api_keys
from pagemill.model.tenants import ApiKey

KEY = select(*(api_keys.c[field.name] for field in fields(ApiKey)))
BY_HASH = PreparedStatement(
    KEY.add_columns(api_keys.c.sha256).where(api_keys.c.sha256 == bindparam("sha256"))
)
BY_ID = PreparedStatement(KEY.where(api_keys.c.id == bindparam("id")))
ANY = PreparedStatement(select(api_keys.c.id).where(api_keys.c.subject.is_(None)).limit(1))


def add(tx: Tx, key: ApiKey, sha256: str) -> None:
    """Write the row of a new key, of which only the hash is kept."""
    tx.conn.execute(insert(api_keys), asdict(key) | {"sha256": sha256, "scopes": list(key.scopes)})


def everyone(conn: Connection) -> list[ApiKey]:
    """All keys, revoked ones too, by tenant and age."""
    return [key_of(row) for row in conn.execute(KEY.order_by(api_keys.c.tenant, api_keys.c.created_at))]


def of_tenant(conn: Connection, tenant: str) -> list[ApiKey]:
    """The keys of a tenant, revoked ones too, by age."""
    own = KEY.where(api_keys.c.tenant == tenant).order_by(api_keys.c.created_at)
    return [key_of(row) for row in conn.execute(own)]


def revoke(tx: Tx, key_id: str) -> bool:
    """Make a key worthless; False if it is unknown or was so before."""
    query = update(api_keys).where(api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None))
    return tx.conn.execute(query.values(revoked_at=tx.now)).rowcount == 1


def delete_ended_logins(tx: Tx, now: float) -> None:
    """Remove the rows of log-ins that have ended by then."""
    is_over = or_(api_keys.c.expires_at < now, api_keys.c.revoked_at.is_not(None))
    tx.conn.execute(delete(api_keys).where(api_keys.c.subject.is_not(None), is_over))


def record_use(tx: Tx, key_id: str, since: float) -> None:
    """Note that a key is used now, unless that was noted since a time."""
    is_old = or_(api_keys.c.last_used_at.is_(None), api_keys.c.last_used_at < since)
    tx.conn.execute(update(api_keys).where(api_keys.c.id == key_id, is_old).values(last_used_at=tx.now))


def by_hash(conn: Connection, sha256: str) -> ApiKey | None:
    """The key with this hash, revoked or not; hashes are compared in constant time."""
    row = BY_HASH.one(conn, {"sha256": sha256})
    return key_of(row[:-1]) if row is not None and hmac.compare_digest(row[-1], sha256) else None


def by_id(conn: Connection, key_id: str) -> ApiKey | None:
    """The key with this id, revoked or not."""
    row = BY_ID.one(conn, {"id": key_id})
    return None if row is None else key_of(row)


def key_of(row: Sequence[Any]) -> ApiKey:
    """A key from its row."""
    values = dict(zip((field.name for field in fields(ApiKey)), row, strict=True))
    return ApiKey(**values | {"scopes": tuple(values["scopes"])})


def are_any(conn: Connection) -> bool:
    """Whether there ever was a key; revoking the last one does not open the API."""
    return ANY.one(conn, {}) is not None
