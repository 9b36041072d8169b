"""Vectors in PostgreSQL by the extension pgvector, where it is there: compared by the database itself, one by one.

Every vector of the tenant is looked at, not an approximate index, so that the answers are those of the other databases, and a
filter loses nothing. A process that has the vectors of a tenant in memory compares them there, which is quicker.
"""

from array import array
from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Column,
    Connection,
    Float,
    String,
    Text,
    bindparam,
    delete,
    select,
    table,
    text,
)
from sqlalchemy.exc import DBAPIError

from pagemill.db.database import Tx
from pagemill.db.search_tables import indexed_results, passage_vectors

HALFVECS = table(
    "passage_halfvecs",
    Column("passage_id", BigInteger),
    Column("tenant", Text),
    Column("result_id", String),
    Column("model", Text),
    Column("embedding", Text),
)
HAS_TABLE = text("SELECT to_regclass('passage_halfvecs') IS NOT NULL")
# The type that the table needs came with version 0.7 of the extension.
HAS_TYPE = text("SELECT to_regtype('halfvec') IS NOT NULL")
IS_AVAILABLE = text("SELECT EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector')")
COLUMNS = (
    "passage_id bigint PRIMARY KEY, tenant text NOT NULL, result_id varchar(36) NOT NULL, "
    "model text NOT NULL, embedding halfvec NOT NULL"
)
CREATE = (
    f"CREATE TABLE passage_halfvecs ({COLUMNS})",
    "ALTER TABLE passage_halfvecs ALTER COLUMN embedding SET STORAGE PLAIN",
    "CREATE INDEX ix_passage_halfvecs_tenant ON passage_halfvecs (tenant, model)",
    "CREATE INDEX ix_passage_halfvecs_result ON passage_halfvecs (result_id)",
)
ADD = text(
    "INSERT INTO passage_halfvecs (passage_id, tenant, result_id, model, embedding) "
    "VALUES (:passage_id, :tenant, :result_id, :model, CAST(:embedding AS halfvec))"
)
FETCH = text(
    "SELECT passage_id, halfvec_send(embedding) FROM passage_halfvecs WHERE tenant = :tenant AND passage_id = ANY(:ids)"
).bindparams(bindparam("ids", type_=ARRAY(BigInteger)))
AT_ONCE = 5_000
# Bytes for the dimension, before the numbers.
SENT_BEFORE = 4
NEGATIVE_PRODUCT = HALFVECS.c.embedding.op("<#>", return_type=Float)


def has_table(conn: Connection) -> bool:
    """Whether vectors are kept by pgvector."""
    return conn.dialect.name == "postgresql" and bool(conn.scalar(HAS_TABLE))


def prepare_table(conn: Connection) -> None:
    """Make the table of pgvector if the extension is there and the table is not; vectors are then computed again."""
    if conn.dialect.name != "postgresql" or has_table(conn) or not conn.scalar(IS_AVAILABLE):
        return
    try:
        with conn.begin_nested():
            conn.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
    except DBAPIError:
        # Not every user may do that; vectors are then compared by this service.
        return
    if conn.scalar(HAS_TYPE):
        for statement in CREATE:
            conn.execute(text(statement))
        conn.execute(delete(passage_vectors))
        conn.execute(indexed_results.update().values(embedded_by=None))


def add_halfvecs(tx: Tx, tenant: str, rows: Sequence[dict[str, Any]]) -> None:
    """Write vectors, which are given as text."""
    tx.conn.execute(ADD, [{**row, "tenant": tenant} for row in rows])


def remove_halfvecs(tx: Tx, tenant: str, result_id: str, but_model: str = "") -> int:
    """Remove the vectors of a result, except those of one model; how many there were."""
    own = (HALFVECS.c.result_id == result_id, HALFVECS.c.tenant == tenant, HALFVECS.c.model != but_model)
    return tx.conn.execute(delete(HALFVECS).where(*own)).rowcount


def halfvec_places(conn: Connection, tenant: str, model: str) -> dict[int, str]:
    """The passages of a tenant that have a vector of a model, with their results."""
    own = (HALFVECS.c.tenant == tenant, HALFVECS.c.model == model)
    query = select(HALFVECS.c.passage_id, HALFVECS.c.result_id).where(*own)
    return {row.passage_id: row.result_id for row in conn.execute(query)}


def fetch_halfvecs(conn: Connection, tenant: str, ids: Sequence[int]) -> dict[int, bytes]:
    """The vectors of passages, as bytes in the order of the other table."""
    found = dict[int, bytes]()
    for start in range(0, len(ids), AT_ONCE):
        rows = conn.execute(FETCH, {"tenant": tenant, "ids": list(ids[start : start + AT_ONCE])})
        found |= {number: lower_first(sent) for number, sent in rows}
    return found


def lower_first(sent: bytes) -> bytes:
    """The numbers of a vector that is sent after its dimension, the higher byte of each first."""
    numbers = array("H", sent[SENT_BEFORE:])
    numbers.byteswap()
    return numbers.tobytes()


def nearest_halfvecs(
    conn: Connection, tenant: str, model: str, embedding: str, limit: int, result_ids: Sequence[str] | None
) -> list[tuple[int, float]]:
    """The passages nearest to a vector, with the cosine of the angle between them, best first."""
    # As a query of its own, or the text would be read again for every row.
    distance = NEGATIVE_PRODUCT(
        text("(SELECT CAST(:asked AS halfvec))").bindparams(bindparam("asked", embedding))
    )
    own = [HALFVECS.c.tenant == tenant, HALFVECS.c.model == model]
    if result_ids is not None:
        own.append(HALFVECS.c.result_id.in_(result_ids))
    query = select(HALFVECS.c.passage_id, distance.label("distance")).where(*own)
    rows = conn.execute(query.order_by(text("distance"), HALFVECS.c.passage_id.desc()).limit(limit))
    return [(number, -distance) for number, distance in rows]
