"""Idempotency keys: inserted with the job, so that the losers of a race find the winner's answer."""

from dataclasses import dataclass, fields
from hashlib import sha256

from sqlalchemy import Connection, bindparam, insert, select, update

from pagemill.db.database import Tx
from pagemill.db.schema import idempotency_keys


@dataclass(frozen=True, slots=True)
class Remembered:
    """A request that was answered before."""

    fingerprint: str
    job_id: str
    answer: bytes


FIND = select(*(idempotency_keys.c[field.name] for field in fields(Remembered))).where(
    idempotency_keys.c.tenant == bindparam("tenant"),
    idempotency_keys.c.key.in_((bindparam("key"), bindparam("erased"))),
)
# No key of a caller has such a sign.
ERASED = "\x7f"
REMEMBER = insert(idempotency_keys)


def find(conn: Connection, tenant: str, key: str) -> Remembered | None:
    """What was answered to this key before."""
    row = conn.execute(FIND, {"tenant": tenant, "key": key, "erased": erased_key(tenant, key)}).one_or_none()
    return None if row is None else Remembered(*row)


def erased_key(tenant: str, key: str) -> str:
    """What is left of a key once its job is deleted: the request is still known, and the words of the caller are not."""
    return ERASED + sha256(f"{tenant}\0{key}".encode()).hexdigest()


def erase(tx: Tx, tenant: str, subject_id: str) -> None:
    """Wipe the answer that is kept for the key of a job or a batch, and the key itself; it still answers 410."""
    own = (idempotency_keys.c.job_id == subject_id, idempotency_keys.c.tenant == tenant)
    for key in tx.conn.scalars(select(idempotency_keys.c.key).where(*own)).all():
        kept = key if key.startswith(ERASED) else erased_key(tenant, key)
        one = update(idempotency_keys).where(*own, idempotency_keys.c.key == key)
        tx.conn.execute(one.values(key=kept, answer=b""))


def remember(tx: Tx, tenant: str, key: str, remembered: Remembered) -> None:
    """Keep the answer for this key."""
    tx.conn.execute(
        REMEMBER,
        {
            "tenant": tenant,
            "key": key,
            "fingerprint": remembered.fingerprint,
            "job_id": remembered.job_id,
            "answer": remembered.answer,
            "created_at": tx.now,
        },
    )
