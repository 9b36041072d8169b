"""Idempotency keys: inserted with the job, so that the losers of a race find the winner's answer."""

from dataclasses import dataclass, fields

from sqlalchemy import Connection, bindparam, insert, select

from pagemill.db.database import Tx
from pagemill.db.schema import idempotency_keys


@dataclass(frozen=True, slots=True)
class Remembered:
    """A request that was answered before."""

    fingerprint: str
    job_id: str
    answer: bytes


FIND = select(*(idempotency_keys.c[field.name] for field in fields(Remembered))).where(
    idempotency_keys.c.tenant == bindparam("tenant"), idempotency_keys.c.key == bindparam("key")
)
REMEMBER = insert(idempotency_keys)


def find(conn: Connection, tenant: str, key: str) -> Remembered | None:
    """What was answered to this key before."""
    row = conn.execute(FIND, {"tenant": tenant, "key": key}).one_or_none()
    return None if row is None else Remembered(*row)


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
