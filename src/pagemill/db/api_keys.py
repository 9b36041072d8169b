"""The rows of keys: made, found by their hash, and revoked. A revoked key keeps its row, so that its name stays known."""

from dataclasses import asdict, fields

from sqlalchemy import Connection, bindparam, insert, select, update

from pagemill.db.database import Tx
from pagemill.db.prepared_statements import PreparedStatement
from pagemill.db.schema import api_keys
from pagemill.model.tenants import ApiKey

KEY = select(*(api_keys.c[field.name] for field in fields(ApiKey)))
VALID = KEY.where(api_keys.c.revoked_at.is_(None))
BY_HASH = PreparedStatement(VALID.where(api_keys.c.sha256 == bindparam("sha256")))
BY_ID = PreparedStatement(VALID.where(api_keys.c.id == bindparam("id")))
ANY = PreparedStatement(select(api_keys.c.id).limit(1))


def add(tx: Tx, key: ApiKey, sha256: str) -> None:
    """Write the row of a new key, of which only the hash is kept."""
    tx.conn.execute(insert(api_keys), asdict(key) | {"sha256": sha256})


def everyone(conn: Connection) -> list[ApiKey]:
    """All keys, revoked ones too, by tenant and age."""
    return [ApiKey(*row) for row in conn.execute(KEY.order_by(api_keys.c.tenant, api_keys.c.created_at))]


def revoke(tx: Tx, key_id: str) -> bool:
    """Make a key worthless; False if it is unknown or was so before."""
    query = update(api_keys).where(api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None))
    return tx.conn.execute(query.values(revoked_at=tx.now)).rowcount == 1


def by_hash(conn: Connection, sha256: str) -> ApiKey | None:
    """The valid key with this hash."""
    row = BY_HASH.one(conn, {"sha256": sha256})
    return None if row is None else ApiKey(*row)


def by_id(conn: Connection, key_id: str) -> ApiKey | None:
    """The valid key with this id."""
    row = BY_ID.one(conn, {"id": key_id})
    return None if row is None else ApiKey(*row)


def are_any(conn: Connection) -> bool:
    """Whether there ever was a key; revoking the last one opens the door to nobody."""
    return ANY.one(conn, {}) is not None
