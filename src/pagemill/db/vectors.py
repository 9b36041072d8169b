"""Vectors of passages: added after the passages, removed with them, and compared by pgvector or by the caller."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Select, and_, delete, func, insert, or_, select, update

from pagemill.db import pgvector
from pagemill.db.database import Tx
from pagemill.db.search_tables import indexed_results, passage_vectors, passages, vector_versions

# Rows that are asked for by their ids in one statement.
AT_ONCE = 500


def results_without_vectors(conn: Connection, model: str, limit: int) -> list[tuple[str, str]]:
    """Indexed results that have no vectors of this model, as tenant and id; those that it failed for are left out."""
    by = indexed_results.c.embedded_by
    other = and_(or_(by < model, by > model), by != failed_by(model))
    query = select(indexed_results.c.tenant, indexed_results.c.result_id).where(
        indexed_results.c.complete.is_(True), or_(by.is_(None), other)
    )
    rows = conn.execute(query.order_by(indexed_results.c.result_id).limit(limit))
    return [(tenant, result_id) for tenant, result_id in rows]


def texts_of_result(
    conn: Connection, tenant: str, result_id: str, after: int, limit: int
) -> list[tuple[int, tuple[str, ...], str]]:
    """The next passages of a result: id, headings and text."""
    own = (passages.c.tenant == tenant, passages.c.result_id == result_id, passages.c.id > after)
    query = select(passages.c.id, passages.c.headings, passages.c.text).where(*own)
    rows = conn.execute(query.order_by(passages.c.id).limit(limit))
    return [(number, tuple(headings), body) for number, headings, body in rows]


def begin_vectors(tx: Tx, tenant: str, result_id: str, model: str) -> int | None:
    """Remove the vectors that a result has of other models; the last passage that has one of this, None if it is gone."""
    remove_vectors(tx, tenant, result_id, but_model=model)
    changed = update(indexed_results).where(
        indexed_results.c.result_id == result_id, indexed_results.c.tenant == tenant
    )
    if not tx.conn.execute(changed.values(embedded_by=None)).rowcount:
        return None
    with_vector = passages_with_vectors(tx.conn, tenant, result_id).subquery()
    return tx.conn.scalar(select(func.max(with_vector.c.passage_id))) or 0


def passages_with_vectors(
    conn: Connection, tenant: str, result_id: str, among: Sequence[int] | None = None
) -> Select[tuple[int]]:
    """The passages of a result that have vectors, or those among some."""
    table = pgvector.HALFVECS if pgvector.has_table(conn) else passage_vectors
    query = select(table.c.passage_id).where(table.c.result_id == result_id, table.c.tenant == tenant)
    return query if among is None else query.where(table.c.passage_id.in_(among))


def add_vectors(
    tx: Tx, tenant: str, result_id: str, model: str, new: Sequence[tuple[int, bytes, str]]
) -> None:
    """Add vectors of passages, each as bytes and as text; passages that were removed in the meantime get none."""
    numbers = [number for number, _, _ in new]
    own = (passages.c.tenant == tenant, passages.c.result_id == result_id, passages.c.id.in_(numbers))
    # Held, so that a removal that is under way is waited for, and one that follows finds them.
    held = select(passages.c.id).where(*own).order_by(passages.c.id).with_for_update(key_share=True)
    alive = set(tx.conn.scalars(held))
    # Another process may have been as fast.
    alive -= set(tx.conn.scalars(passages_with_vectors(tx.conn, tenant, result_id, numbers)))
    known = {"tenant": tenant, "result_id": result_id, "model": model}
    rows: list[dict[str, Any]] = [
        {**known, "passage_id": number, "vector": raw, "embedding": shown}
        for number, raw, shown in new
        if number in alive
    ]
    if not rows:
        return
    if pgvector.has_table(tx.conn):
        pgvector.add_halfvecs(tx, tenant, [drop_column(row, "vector") for row in rows])
    else:
        tx.conn.execute(insert(passage_vectors), [drop_column(row, "embedding") for row in rows])
    note_change(tx, tenant)


def drop_column(row: dict[str, Any], name: str) -> dict[str, Any]:
    """A row without one of its columns."""
    return {key: value for key, value in row.items() if key != name}


def failed_by(model: str) -> str:
    """What is noted of a result that a model can make no vectors of; another model, or indexing it again, tries again."""
    return f"failed {model}"


def note_failure(tx: Tx, tenant: str, result_id: str, model: str) -> None:
    """Note that a model can make no vectors of a result."""
    own = (indexed_results.c.result_id == result_id, indexed_results.c.tenant == tenant)
    tx.conn.execute(update(indexed_results).where(*own).values(embedded_by=failed_by(model)))


def finish_vectors(tx: Tx, tenant: str, result_id: str, model: str) -> bool:
    """Note that all passages of a result have vectors of a model; False if it is not in the index any more."""
    own = (indexed_results.c.result_id == result_id, indexed_results.c.tenant == tenant)
    done = update(indexed_results).where(*own, indexed_results.c.complete.is_(True))
    return bool(tx.conn.execute(done.values(embedded_by=model)).rowcount)


def remove_vectors(tx: Tx, tenant: str, result_id: str, but_model: str = "") -> None:
    """Remove the vectors of a result, except those of one model."""
    own = (
        passage_vectors.c.result_id == result_id,
        passage_vectors.c.tenant == tenant,
        passage_vectors.c.model != but_model,
    )
    removed = tx.conn.execute(delete(passage_vectors).where(*own)).rowcount
    if pgvector.has_table(tx.conn):
        removed += pgvector.remove_halfvecs(tx, tenant, result_id, but_model)
    if removed:
        note_change(tx, tenant)


def note_change(tx: Tx, tenant: str) -> None:
    """Have processes that keep the vectors of a tenant in memory load what changed."""
    own = vector_versions.c.tenant == tenant
    changed = update(vector_versions).where(own).values(version=vector_versions.c.version + 1)
    if not tx.conn.execute(changed).rowcount:
        tx.conn.execute(insert(vector_versions), {"tenant": tenant, "version": 1})


def version_of(conn: Connection, tenant: str) -> int:
    """A number that grows when vectors of a tenant are added or removed."""
    own = vector_versions.c.tenant == tenant
    return conn.scalar(select(vector_versions.c.version).where(own)) or 0


def vector_places(conn: Connection, tenant: str, model: str) -> dict[int, str]:
    """The passages of a tenant that have a vector of a model, with their results."""
    if pgvector.has_table(conn):
        return pgvector.halfvec_places(conn, tenant, model)
    own = (passage_vectors.c.tenant == tenant, passage_vectors.c.model == model)
    query = select(passage_vectors.c.passage_id, passage_vectors.c.result_id).where(*own)
    return {row.passage_id: row.result_id for row in conn.execute(query)}


def fetch_vectors(conn: Connection, tenant: str, ids: Sequence[int]) -> dict[int, bytes]:
    """The vectors of passages."""
    if pgvector.has_table(conn):
        return pgvector.fetch_halfvecs(conn, tenant, ids)
    found = dict[int, bytes]()
    query = select(passage_vectors.c.passage_id, passage_vectors.c.vector)
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        own = (passage_vectors.c.tenant == tenant, passage_vectors.c.passage_id.in_(some))
        found |= {row.passage_id: row.vector for row in conn.execute(query.where(*own))}
    return found
