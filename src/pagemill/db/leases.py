"""Leases: what only one process at a time may do. A holder that falls silent loses it by the database's clock."""

from sqlalchemy import Connection, delete, or_, select
from sqlalchemy.dialects import postgresql, sqlite

from pagemill.db.database import Tx
from pagemill.db.schema import leases


def take(tx: Tx, tenant: str, name: str, holder: str, seconds: float) -> bool:
    """Take a lease that is free or over, or hold on to one's own; whether it is held now."""
    insert = postgresql.insert if tx.conn.dialect.name == "postgresql" else sqlite.insert
    row = {"name": name, "tenant": tenant, "holder": holder, "until": tx.now + seconds}
    mine_or_over = or_(leases.c.holder == holder, leases.c.until < tx.now)
    statement = insert(leases).values(row)
    taken = statement.on_conflict_do_update(
        index_elements=[leases.c.name],
        set_={"holder": holder, "until": tx.now + seconds},
        where=mine_or_over,
    )
    return tx.conn.execute(taken.returning(leases.c.holder)).first() is not None


def is_free(conn: Connection, name: str, holder: str, now: float) -> bool:
    """Whether a lease could be taken by a holder; a cheap look before the write."""
    held = select(leases.c.holder).where(
        leases.c.name == name, leases.c.holder != holder, leases.c.until >= now
    )
    return conn.execute(held).first() is None


def release(tx: Tx, name: str, holder: str) -> None:
    """Give a lease to the process that comes next."""
    tx.conn.execute(delete(leases).where(leases.c.name == name, leases.c.holder == holder))
