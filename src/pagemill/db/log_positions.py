"""How far each reader of the whole log has come."""

from sqlalchemy import Connection, select
from sqlalchemy.dialects import postgresql, sqlite

from pagemill.db.database import Tx
from pagemill.db.events import LogPosition
from pagemill.db.schema import log_positions


def position(conn: Connection, reader: str) -> LogPosition | None:
    """The place of the last line that a reader has dealt with; None if it never read anything."""
    query = select(log_positions.c.xid, log_positions.c.event_id).where(log_positions.c.reader == reader)
    row = conn.execute(query).one_or_none()
    return None if row is None else LogPosition(row.xid, row.event_id)


def advance(tx: Tx, tenant: str, reader: str, to: LogPosition) -> None:
    """Note the place of the last line that a reader has dealt with."""
    insert = postgresql.insert if tx.conn.dialect.name == "postgresql" else sqlite.insert
    place = {"xid": to.xid, "event_id": to.id}
    row = insert(log_positions).values({"reader": reader, "tenant": tenant} | place)
    tx.conn.execute(row.on_conflict_do_update(index_elements=[log_positions.c.reader], set_=place))
