"""Keys of tenants: made, listed, revoked, and traced back to their tenant."""

import hashlib
import re
import secrets
from dataclasses import dataclass

from pagemill.db import api_keys
from pagemill.db.database import Database, Tx
from pagemill.errors import Refused
from pagemill.model.ids import new_id
from pagemill.model.tenants import ApiKey, Holder

# So that people and scanners for leaked secrets know what they see.
PREFIX = "pm_"
SECRET_BYTES = 32
SHAPE = re.compile(rb"pm_[A-Za-z0-9_-]{43}")
TENANT = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
MOST_NAME_LETTERS = 100


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was made just now; this is the only time that it can be read."""

    key: str
    row: ApiKey


def add(db: Database, tenant: str, name: str) -> NewKey:
    """Make a key for a tenant."""
    if not TENANT.fullmatch(tenant):
        raise Refused(
            "A tenant's name has up to 63 of the letters a-z, digits, dots, dashes and underscores."
        )
    if not name.strip() or len(name) > MOST_NAME_LETTERS or not name.isprintable():
        raise Refused(f"Give the key a name of up to {MOST_NAME_LETTERS} letters that says who uses it.")
    key = PREFIX + secrets.token_urlsafe(SECRET_BYTES)

    def write(tx: Tx) -> ApiKey:
        row = ApiKey(new_id(), tenant, name.strip(), tx.now, None)
        api_keys.add(tx, row, hash_key(key.encode()))
        return row

    return NewKey(key, db.write(write))


def list_keys(db: Database) -> list[ApiKey]:
    """All keys, revoked ones too."""
    return db.read(api_keys.everyone)


def revoke(db: Database, named: str) -> ApiKey:
    """Make a key worthless, given its id, or its name if no other has it; Refused if there is no such key."""
    valid = [key for key in list_keys(db) if key.revoked_at is None]
    found = [key for key in valid if named == key.id] or [key for key in valid if named == key.name]
    if len(found) != 1:
        raise Refused(
            f"{len(found) or 'No'} valid keys are called {named}. Give the id that `keys list` shows."
        )
    db.write(lambda tx: api_keys.revoke(tx, found[0].id))
    return found[0]


def has_shape(key: bytes) -> bool:
    """Whether something looks like a key that was made here; nothing else need be looked for."""
    return SHAPE.fullmatch(key) is not None


def holder_of_hash(db: Database, sha256: str) -> Holder | None:
    """Whose key has this hash, if it is still valid."""
    return holder(db.read(lambda conn: api_keys.by_hash(conn, sha256)))


def holder_of_id(db: Database, key_id: str) -> Holder | None:
    """Whose key has this id, if it is still valid."""
    return holder(db.read(lambda conn: api_keys.by_id(conn, key_id)))


def holder(row: ApiKey | None) -> Holder | None:
    """The holder of a key."""
    return None if row is None else Holder(row.tenant, row.id)


def hash_key(key: bytes) -> str:
    """What is kept of a key; with so many random bits a slow hash would add nothing."""
    return hashlib.sha256(key).hexdigest()
