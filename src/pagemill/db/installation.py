"""The row of the installation: the id that tells its database and its files from those of others."""

from sqlalchemy import Connection, insert, select

from pagemill.db.database import Tx
from pagemill.db.schema import installation


def find_id(conn: Connection) -> str | None:
    """The id of the installation; None before its first start."""
    return conn.scalar(select(installation.c.id).limit(1))


def ensure_id(tx: Tx, tenant: str, new: str) -> str:
    """The id of the installation, which is the new one if it had none."""
    tx.lock("installation")
    found = find_id(tx.conn)
    if found is None:
        tx.conn.execute(insert(installation), {"id": new, "tenant": tenant, "created_at": tx.now})
    return found or new
