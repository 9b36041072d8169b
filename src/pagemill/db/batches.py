"""The rows of batches and of their items."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, fields

from sqlalchemy import Connection, Select, delete, func, insert, select, update

from pagemill.db.database import Tx
from pagemill.db.prepared_statements import PreparedStatement
from pagemill.db.schema import batch_items, batches, idempotency_keys, jobs
from pagemill.model.batches import BatchCounts, BatchEntryRow, BatchRow, EntryError
from pagemill.model.costs import NO_COST, Cost
from pagemill.model.states import ACTIVE

BATCH = select(*(batches.c[field.name] for field in fields(BatchRow)))
OF_ENTRY = (batch_items.c.job_id == jobs.c.id) & jobs.c.removed_at.is_(None)
ENTRY = select(
    batch_items.c.number,
    batch_items.c.name,
    batch_items.c.job_id,
    batch_items.c.error,
    jobs.c.status,
    jobs.c.error,
    jobs.c.total_pages,
    jobs.c.processed_pages,
).join_from(batch_items, jobs, OF_ENTRY, isouter=True)
INSERT_ENTRY = PreparedStatement(insert(batch_items))
IS_ACTIVE = jobs.c.status.in_(sorted(status.value for status in ACTIVE))


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An item of a new batch: a job, or why there is none."""

    name: str
    job_id: str | None
    error: EntryError | None


def add(tx: Tx, batch_row: BatchRow, items: Sequence[NewEntry]) -> None:
    """Write a batch with its items."""
    tx.conn.execute(insert(batches), asdict(batch_row))
    owner = {"batch_id": batch_row.id, "tenant": batch_row.tenant}
    rows = [
        {**owner, "number": number, "name": entry.name, "job_id": entry.job_id, "error": entry.error}
        for number, entry in enumerate(items, 1)
    ]
    INSERT_ENTRY.run_many(tx.conn, rows)


def find(conn: Connection, tenant: str, batch_id: str) -> BatchRow | None:
    """A batch of a tenant, removed ones included."""
    row = conn.execute(BATCH.where(batches.c.id == batch_id, batches.c.tenant == tenant)).one_or_none()
    return None if row is None else BatchRow(*row)


def children_of(conn: Connection, tenant: str, job_id: str) -> BatchRow | None:
    """The batch of the files inside of a job's document, removed ones included."""
    own = (batches.c.parent_job_id == job_id, batches.c.tenant == tenant)
    row = conn.execute(BATCH.where(*own).limit(1)).one_or_none()
    return None if row is None else BatchRow(*row)


def batch_of(conn: Connection, tenant: str, job_id: str) -> BatchRow | None:
    """The batch that a job is in."""
    inside = (batch_items.c.batch_id == batches.c.id) & (batch_items.c.job_id == job_id)
    row = conn.execute(
        BATCH.join(batch_items, inside).where(batches.c.tenant == tenant).limit(1)
    ).one_or_none()
    return None if row is None else BatchRow(*row)


def batch_ids(conn: Connection, job_ids: Collection[str]) -> dict[tuple[str, str], str]:
    """The batches that these jobs are in, by tenant and job."""
    query = select(batch_items.c.tenant, batch_items.c.job_id, batch_items.c.batch_id)
    found = conn.execute(query.where(batch_items.c.job_id.in_(job_ids)))
    return {(tenant, job_id): batch_id for tenant, job_id, batch_id in found}


def page_of_batches(conn: Connection, tenant: str, before: str | None, limit: int) -> list[BatchRow]:
    """The batches of a tenant, newest first, before the given id."""
    query = BATCH.where(batches.c.tenant == tenant, batches.c.removed_at.is_(None))
    if before:
        query = query.where(batches.c.id < before)
    return [BatchRow(*row) for row in conn.execute(query.order_by(batches.c.id.desc()).limit(limit))]


def counts(conn: Connection, batch_row: BatchRow) -> BatchCounts:
    """How many jobs of a batch there are by status, and how many pages."""
    own = (batch_items.c.batch_id == batch_row.id, batch_items.c.tenant == batch_row.tenant)
    pages = (
        func.coalesce(func.sum(jobs.c.total_pages), 0),
        func.coalesce(func.sum(jobs.c.processed_pages), 0),
        func.sum(jobs.c.cpu_seconds),
        func.sum(jobs.c.remote_calls),
        func.sum(jobs.c.price),
    )
    query = select(jobs.c.status, func.count(), *pages).join_from(batch_items, jobs, OF_ENTRY)
    rows = conn.execute(query.where(*own).group_by(jobs.c.status)).all()
    by_status = {row[0]: row[1] for row in rows}
    cost = sum((Cost(*row[4:]) for row in rows), NO_COST)
    return BatchCounts(by_status, sum(row[2] for row in rows), sum(row[3] for row in rows), cost)


def items(conn: Connection, tenant: str, batch_id: str, after: int, limit: int) -> list[BatchEntryRow]:
    """The items of a batch after a number, in order."""
    own = (batch_items.c.batch_id == batch_id, batch_items.c.tenant == tenant)
    query = ENTRY.where(*own, batch_items.c.number > after).order_by(batch_items.c.number).limit(limit)
    return [BatchEntryRow(*row) for row in conn.execute(query)]


def job_ids(conn: Connection, tenant: str, batch_id: str, *, active: bool | None) -> list[str]:
    """The jobs of a batch that still exist, in order: all, or those that have ended, or those that have not."""
    own = (batch_items.c.batch_id == batch_id, batch_items.c.tenant == tenant)
    query = select(jobs.c.id).join_from(batch_items, jobs, OF_ENTRY).where(*own)
    if active is not None:
        query = query.where(IS_ACTIVE if active else ~IS_ACTIVE)
    return list(conn.scalars(query.order_by(jobs.c.id)))


def last_active_job(conn: Connection, tenant: str, batch_id: str) -> str | None:
    """The youngest job of a batch that waits or runs, which is usually the last to end; None if there is none."""
    own = (batch_items.c.batch_id == batch_id, batch_items.c.tenant == tenant)
    query = select(jobs.c.id).join_from(batch_items, jobs, OF_ENTRY).where(*own, IS_ACTIVE)
    return conn.scalars(query.order_by(batch_items.c.number.desc()).limit(1)).one_or_none()


def failed_job_ids(conn: Connection, tenant: str, batch_id: str) -> list[str]:
    """The jobs of a batch that failed, were cancelled or lack pages."""
    own = (batch_items.c.batch_id == batch_id, batch_items.c.tenant == tenant)
    query = select(jobs.c.id, jobs.c.status, jobs.c.failed_pages).join_from(batch_items, jobs, OF_ENTRY)
    rows = conn.execute(query.where(*own, ~IS_ACTIVE).order_by(jobs.c.id)).all()
    return [job_id for job_id, status, failed in rows if status != "completed" or failed]


def change(tx: Tx, tenant: str, batch_id: str, **changes: object) -> None:
    """Change a batch."""
    tx.conn.execute(
        update(batches).where(batches.c.id == batch_id, batches.c.tenant == tenant).values(**changes)
    )


def remove_children(tx: Tx, tenant: str, job_id: str) -> None:
    """Mark the batch of a job's children as removed."""
    own = (batches.c.parent_job_id == job_id, batches.c.tenant == tenant, batches.c.removed_at.is_(None))
    tx.conn.execute(update(batches).where(*own).values(removed_at=tx.now))


def finish(tx: Tx, batch_row: BatchRow) -> bool:
    """Note that a batch is over; False if that was so before."""
    own = (
        batches.c.id == batch_row.id,
        batches.c.tenant == batch_row.tenant,
        batches.c.finished_at.is_(None),
    )
    return tx.conn.execute(update(batches).where(*own).values(finished_at=tx.now)).rowcount == 1


def unfinished_batches(conn: Connection, limit: int) -> list[BatchRow]:
    """Batches of all tenants that are not known to be over and of which no job waits or runs."""
    running = select(jobs.c.id).join_from(batch_items, jobs, OF_ENTRY)
    running = running.where(batch_items.c.batch_id == batches.c.id, IS_ACTIVE)
    waits: Select[tuple[str]] = running.correlate(batches)
    query = BATCH.where(batches.c.finished_at.is_(None), batches.c.removed_at.is_(None), ~waits.exists())
    return [BatchRow(*row) for row in conn.execute(query.order_by(batches.c.id).limit(limit))]


def expired_batches(conn: Connection, now: float) -> list[tuple[str, str]]:
    """Batches whose time is over and that are not removed yet, as tenant and id."""
    over = (batches.c.expires_at < now, batches.c.removed_at.is_(None))
    return [(row.tenant, row.id) for row in conn.execute(select(batches.c.tenant, batches.c.id).where(*over))]


def forget(tx: Tx, before: float, limit: int) -> int:
    """Remove batches whose documents went before the given time, with their items and idempotency keys."""
    old = select(batches.c.id).where(batches.c.expires_at < before).limit(limit)
    gone = list(tx.conn.scalars(old))
    for table, column in (
        (batch_items, batch_items.c.batch_id),
        (idempotency_keys, idempotency_keys.c.job_id),
    ):
        tx.conn.execute(delete(table).where(column.in_(gone)))
    tx.conn.execute(delete(batches).where(batches.c.id.in_(gone)))
    return len(gone)
