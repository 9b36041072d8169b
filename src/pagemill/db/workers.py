"""The rows of workers: one per process, renewed while it lives."""

from dataclasses import asdict, fields

from sqlalchemy import Connection, delete, insert, select, update

from pagemill.db import chunks
from pagemill.db.database import Tx
from pagemill.db.fairness import IS_RUNNING
from pagemill.db.schema import chunks as chunk_rows
from pagemill.db.schema import workers
from pagemill.model.jobs import Worker
from pagemill.model.work import Claim

WORKER = select(*(workers.c[field.name] for field in fields(Worker)))


def register(tx: Tx, worker: Worker) -> None:
    """Write the row of a worker that starts."""
    tx.conn.execute(insert(workers), asdict(worker) | {"started_at": tx.now, "seen_at": tx.now})


def renew(tx: Tx, worker_id: str, pages_per_second: float) -> bool | None:
    """Say that a worker is alive; whether it drains, or None if its row is gone, and with it its claims."""
    query = update(workers).where(workers.c.id == worker_id)
    renewed = query.values(seen_at=tx.now, pages_per_second=pages_per_second)
    draining: bool | None = tx.conn.scalar(renewed.returning(workers.c.draining))
    return draining


def remove(tx: Tx, worker_id: str) -> None:
    """Take the row of a worker out."""
    tx.conn.execute(delete(workers).where(workers.c.id == worker_id))


def set_draining(tx: Tx, worker_id: str, *, draining: bool) -> None:
    """Note whether a worker may claim more than it holds."""
    tx.conn.execute(update(workers).where(workers.c.id == worker_id).values(draining=draining))


def everyone(conn: Connection) -> list[Worker]:
    """All workers that have a row."""
    return [Worker(*row) for row in conn.execute(WORKER.order_by(workers.c.started_at))]


def last_seen(conn: Connection, worker_id: str) -> float | None:
    """When a worker was last heard of; None if it has no row."""
    return conn.scalar(select(workers.c.seen_at).where(workers.c.id == worker_id))


def remove_silent(tx: Tx, before: float, but: str) -> list[str]:
    """Take out the rows of workers that have not been heard of since the given time, except one; whose they were."""
    # In one sentence, so that one that is heard of at this very moment keeps its row and its claims.
    gone = delete(workers).where(workers.c.seen_at < before, workers.c.id != but)
    return list(tx.conn.scalars(gone.returning(workers.c.id)))


def claims_of(conn: Connection, worker_ids: list[str]) -> list[Claim]:
    """What these workers hold."""
    return chunks.claims_where(conn, IS_RUNNING & chunk_rows.c.worker_id.in_(worker_ids))


def unowned_claims(conn: Connection) -> list[Claim]:
    """Claims of workers that have no row any more."""
    return chunks.claims_where(conn, IS_RUNNING & chunk_rows.c.worker_id.not_in(select(workers.c.id)))
