"""Retention, in SQL for the sweeper: jobs past their time, rows that nothing needs, files that nothing names."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, or_, select, update

from pagemill.db.database import Tx
from pagemill.db.schema import (
    LIVING,
    SWEPT,
    UNSWEPT,
    chunks,
    documents,
    idempotency_keys,
    jobs,
    results,
    revisions,
)
from pagemill.errors import NotFound
from pagemill.model.paths import results_folder


@dataclass(frozen=True, slots=True)
class RemovedFiles:
    """What a removed job leaves behind in the blob store."""

    tenant: str
    job_id: str
    document_key: str
    result_prefixes: tuple[str, ...]


def removal_time(database_time: float) -> float:
    """The earlier of the database's time and our own, so that a clock that leaps ahead makes nothing old."""
    return min(database_time, time.time())


def expired_jobs(conn: Connection, now: float, limit: int) -> list[tuple[str, str]]:
    """Jobs whose time is over, as tenant and id."""
    query = select(jobs.c.tenant, jobs.c.id).where(jobs.c.expires_at < now, LIVING).limit(limit)
    return [(tenant, job_id) for tenant, job_id in conn.execute(query)]


def removed_jobs_with_files(conn: Connection, limit: int) -> list[tuple[str, str]]:
    """Removed jobs whose files are still there, as tenant and id."""
    query = select(jobs.c.tenant, jobs.c.id).where(UNSWEPT).limit(limit)
    return [(tenant, job_id) for tenant, job_id in conn.execute(query)]


def deleted_early(conn: Connection, job_ids: Sequence[str]) -> list[str]:
    """The removed jobs that were deleted before they expired."""
    query = select(jobs.c.id).where(jobs.c.id.in_(job_ids), jobs.c.removed_at < jobs.c.expires_at)
    return list(conn.scalars(query.order_by(jobs.c.id)))


def withdraw_files(tx: Tx, tenant: str, job_id: str) -> RemovedFiles:
    """The files of a removed job, whose results from now on are not reused."""
    # Held before it is asked who points to them, so that no one can begin to do so in between.
    found = files_of_removed(tx.conn, tenant, job_id).result_prefixes
    own = (results.c.tenant == tenant, results.c.prefix.in_(found))
    tx.conn.execute(select(results.c.id).where(*own).order_by(results.c.id).with_for_update(key_share=True))
    gone = files_of_removed(tx.conn, tenant, job_id)
    own = (results.c.tenant == tenant, results.c.prefix.in_(gone.result_prefixes))
    doomed = update(results).where(*own)
    tx.conn.execute(doomed.values(complete=False))
    return gone


def files_of_removed(conn: Connection, tenant: str, job_id: str) -> RemovedFiles:
    """The files of a removed job; a result that a living job points to is not among them.

    NotFound if another process has removed even its tombstone.
    """
    row = conn.execute(
        select(jobs.c.result_id, documents.c.blob_key)
        .join(documents, documents.c.id == jobs.c.document_id)
        .where(jobs.c.id == job_id, jobs.c.tenant == tenant)
    ).one_or_none()
    if row is None:
        raise NotFound
    # No result has the empty id; a search for none at all would look at every row.
    found = own_results(conn, tenant, job_id, row.result_id or "")
    return RemovedFiles(tenant, job_id, row.blob_key, found)


def own_results(conn: Connection, tenant: str, job_id: str, result_id: str) -> tuple[str, ...]:
    """The prefixes of the results that a job made or points to, and that no living job points to."""
    folder = f"{results_folder(job_id)}/"
    # The index serves the range and not the beginning; what follows the folder is the id of a chunk.
    own = and_(results.c.prefix.between(folder, f"{folder}z"), results.c.prefix.startswith(folder))
    query = select(results.c.prefix).where(results.c.tenant == tenant, or_(own, results.c.id == result_id))
    return tuple(conn.scalars(query.where(~is_used())))


def is_used() -> ColumnElement[bool]:
    """Whether a living job points to a result, or keeps it as an earlier revision."""
    earlier = exists().where(
        revisions.c.result_id == results.c.id,
        jobs.c.id == revisions.c.job_id,
        jobs.c.removed_at.is_(None),
    )
    return or_(exists().where(jobs.c.result_id == results.c.id, jobs.c.removed_at.is_(None)), earlier)


def forget_files(tx: Tx, gone: RemovedFiles) -> None:
    """Note that the files of a removed job are gone; the row stays as its tombstone."""
    own = (jobs.c.id == gone.job_id, jobs.c.tenant == gone.tenant)
    tx.conn.execute(update(jobs).where(*own).values(swept=True, result_id=None))
    unused = select(results.c.id).where(
        results.c.tenant == gone.tenant,
        results.c.prefix.in_(gone.result_prefixes),
        ~is_used(),
    )
    doomed = list(tx.conn.scalars(unused))
    tx.conn.execute(update(jobs).where(jobs.c.result_id.in_(doomed)).values(result_id=None))
    tx.conn.execute(delete(results).where(results.c.id.in_(doomed)))
    tx.conn.execute(delete(chunks).where(chunks.c.job_id == gone.job_id))
    tx.conn.execute(delete(revisions).where(revisions.c.job_id == gone.job_id))


def forget_tombstones(tx: Tx, before: float, limit: int) -> int:
    """Remove the last trace of jobs that were removed before the given time."""
    old = select(jobs.c.id, jobs.c.document_id).where(jobs.c.removed_at < before, SWEPT).limit(limit)
    rows = tx.conn.execute(old).all()
    job_ids = [row.id for row in rows]
    tx.conn.execute(delete(idempotency_keys).where(idempotency_keys.c.job_id.in_(job_ids)))
    tx.conn.execute(delete(jobs).where(jobs.c.id.in_(job_ids)))
    tx.conn.execute(delete(documents).where(documents.c.id.in_([row.document_id for row in rows])))
    return len(rows)


def known_documents(conn: Connection, keys: Sequence[str]) -> set[str]:
    """Those of the keys that hold the document of a job whose files are still wanted."""
    query = select(documents.c.blob_key).join(jobs, jobs.c.document_id == documents.c.id)
    return set(conn.scalars(query.where(documents.c.blob_key.in_(keys), jobs.c.swept.is_(False))))


def known_jobs(conn: Connection, job_ids: Sequence[str]) -> set[str]:
    """Those of the ids that are jobs whose files are still wanted."""
    return set(conn.scalars(select(jobs.c.id).where(jobs.c.id.in_(job_ids), jobs.c.swept.is_(False))))


def living_jobs(conn: Connection, job_ids: Sequence[str]) -> list[tuple[str, str]]:
    """Those of the jobs that were not removed, as tenant and id."""
    query = select(jobs.c.tenant, jobs.c.id).where(jobs.c.id.in_(job_ids), LIVING).order_by(jobs.c.id)
    return [(tenant, job_id) for tenant, job_id in conn.execute(query)]


def known_prefixes(conn: Connection, prefixes: Sequence[str]) -> set[str]:
    """Those of the prefixes that a result or a chunk names as its own."""
    in_results = conn.scalars(select(results.c.prefix).where(results.c.prefix.in_(prefixes)))
    job_ids = {prefix.split("/")[2] for prefix in prefixes}
    in_chunks = conn.scalars(
        select(chunks.c.output).where(chunks.c.job_id.in_(job_ids), chunks.c.output.in_(prefixes))
    )
    return {*in_results, *(output for output in in_chunks if output)}
