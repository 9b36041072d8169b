"""The rows of workers: one per process, renewed while it lives."""

from dataclasses import asdict, fields

from sqlalchemy import Connection, delete, insert, select, update

from pagemill.db import chunks
from pagemill.db.database import Tx
from pagemill.db.schema import chunks as chunk_rows
from pagemill.db.schema import workers
from pagemill.model.jobs import Worker
from pagemill.model.work import Claim

WORKER = select(*(workers.c[field.name] for field in fields(Worker)))


def register(tx: Tx, worker: Worker) -> None:
    """Write the row of a worker that starts."""
    tx.conn.execute(insert(workers), asdict(worker) | {"started_at": tx.now, "seen_at": tx.now})


def renew(tx: Tx, worker_id: str, pages_per_second: float) -> bool:
    """Say that a worker is alive; False if its row is gone, and with it its claims."""
    query = update(workers).where(workers.c.id == worker_id)
    return tx.conn.execute(query.values(seen_at=tx.now, pages_per_second=pages_per_second)).rowcount == 1


def remove(tx: Tx, worker_id: str) -> None:
    """Take the row of a worker out."""
    tx.conn.execute(delete(workers).where(workers.c.id == worker_id))


def everyone(conn: Connection) -> list[Worker]:
    """All workers that have a row."""
    return [Worker(*row) for row in conn.execute(WORKER.order_by(workers.c.started_at))]


def silent(conn: Connection, before: float) -> list[str]:
    """The workers that have not been heard of since the given time."""
    return list(conn.scalars(select(workers.c.id).where(workers.c.seen_at < before)))


def claims_of(conn: Connection, worker_ids: list[str]) -> list[Claim]:
    """What these workers hold."""
    return chunks.held(conn, chunks.IS_RUNNING & chunk_rows.c.worker_id.in_(worker_ids))


def unowned_claims(conn: Connection) -> list[Claim]:
    """Claims of workers that have no row any more."""
    return chunks.held(conn, chunks.IS_RUNNING & chunk_rows.c.worker_id.not_in(select(workers.c.id)))
