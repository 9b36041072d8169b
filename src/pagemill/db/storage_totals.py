"""How much is stored, added up."""

from sqlalchemy import Connection, func, select

from pagemill.db.schema import documents


def documents_stored(conn: Connection) -> tuple[int, int]:
    """How many documents there are, and their bytes; looks at every row, so it is for now and then."""
    row = conn.execute(select(func.count(), func.coalesce(func.sum(documents.c.size_bytes), 0))).one()
    return int(row[0]), int(row[1])
