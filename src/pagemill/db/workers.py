"""The rows of workers: one per process, renewed while it lives."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields

import orjson
from sqlalchemy import Connection, Text, cast, delete, insert, or_, select, update

from pagemill.db import chunks
from pagemill.db.database import Tx
from pagemill.db.fairness import IS_RUNNING
from pagemill.db.schema import chunks as chunk_rows
from pagemill.db.schema import workers
from pagemill.model.abilities import WorkerEngines
from pagemill.model.jobs import Worker
from pagemill.model.work import Claim, ClaimHolder

WORKER = select(*(workers.c[field.name] for field in fields(Worker)))


def register(tx: Tx, worker: Worker) -> None:
    """Write the row of a worker that starts."""
    tx.conn.execute(insert(workers), asdict(worker) | {"started_at": tx.now, "seen_at": tx.now})


def renew(tx: Tx, worker_id: str, pages_per_second: float, trouble: str | None = None) -> bool | None:
    """Say that a worker is alive, and what keeps it from working; whether it drains.

    None if its row is gone, and with it its claims.
    """
    query = update(workers).where(workers.c.id == worker_id)
    renewed = query.values(seen_at=tx.now, pages_per_second=pages_per_second, trouble=trouble)
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


def fleet_engines(conn: Connection) -> set[WorkerEngines]:
    """The engines and lanes of all workers; many workers have the same."""
    parts = (cast(workers.c.engines, Text), cast(workers.c.lanes, Text), workers.c.draining)
    rows = conn.execute(select(*parts).distinct())
    return {
        WorkerEngines(frozenset(orjson.loads(engines)), frozenset(orjson.loads(lanes)), draining)
        for engines, lanes, draining in rows
    }


def last_seen(conn: Connection, worker_id: str) -> float | None:
    """When a worker was last heard of; None if it has no row."""
    return conn.scalar(select(workers.c.seen_at).where(workers.c.id == worker_id))


def times_seen(conn: Connection) -> dict[str, float]:
    """The time in the row of each worker."""
    return dict(conn.execute(select(workers.c.id, workers.c.seen_at)).all())


def remove_silent(tx: Tx, silent: Mapping[str, float]) -> list[str]:
    """Delete the rows of workers that still have the given times; whose they were."""
    # A worker that renews its row at this very moment keeps it, and its claims.
    rows = [(workers.c.id == worker) & (workers.c.seen_at == seen_at) for worker, seen_at in silent.items()]
    if not rows:
        return []
    return list(tx.conn.scalars(delete(workers).where(or_(*rows)).returning(workers.c.id)))


def claims_of(conn: Connection, worker_ids: list[str]) -> list[Claim]:
    """What these workers hold."""
    return chunks.claims_where(conn, IS_RUNNING & chunk_rows.c.worker_id.in_(worker_ids))


def holders_of(conn: Connection, claims: Sequence[Claim]) -> dict[str, ClaimHolder]:
    """The workers that hold the chunks of these claims, by chunk."""
    columns = (chunk_rows.c.id, chunk_rows.c.worker_id, chunk_rows.c.lost_by)
    ids = [claim.chunk_id for claim in claims]
    rows = conn.execute(select(*columns).where(chunk_rows.c.id.in_(ids))) if ids else ()
    return {chunk_id: ClaimHolder(worker_id, lost_by) for chunk_id, worker_id, lost_by in rows}


def unowned_claims(conn: Connection) -> list[Claim]:
    """Claims of workers that have no row any more."""
    return chunks.claims_where(conn, IS_RUNNING & chunk_rows.c.worker_id.not_in(select(workers.c.id)))
