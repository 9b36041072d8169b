"""Sessions of web pages that were ended before their time, kept until they would have run out anyway."""

from sqlalchemy import Connection, bindparam, delete, insert, select

from pagemill.db.database import Tx
from pagemill.db.prepared_statements import PreparedStatement
from pagemill.db.schema import ended_sessions

BY_ID = PreparedStatement(select(ended_sessions.c.id).where(ended_sessions.c.id == bindparam("id")))


def end(tx: Tx, tenant: str, session_id: str, expires_at: float) -> None:
    """Have a session of a tenant be worth nothing from now on; once more is fine."""
    if not is_ended(tx.conn, session_id):
        row = {"id": session_id, "tenant": tenant, "expires_at": expires_at}
        tx.conn.execute(insert(ended_sessions), row)


def is_ended(conn: Connection, session_id: str) -> bool:
    """Whether a session was ended."""
    return BY_ID.one(conn, {"id": session_id}) is not None


def forget(tx: Tx, now: float) -> None:
    """Remove the rows of sessions that have run out by then."""
    tx.conn.execute(delete(ended_sessions).where(ended_sessions.c.expires_at < now))
