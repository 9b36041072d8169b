"""Work that does not move: found over all tenants, for operators, and given back by them."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Text,
    exists,
    literal_column,
    null,
    select,
    update,
)

from pagemill.db.database import Tx
from pagemill.db.fairness import IS_KNOWN, IS_READY, IS_RUNNING
from pagemill.db.jobs import lock_jobs
from pagemill.db.ready_work import DUE_AT
from pagemill.db.schema import chunks, jobs, workers
from pagemill.model.states import ACTIVE, ChunkState, Lane

MOST_SHOWN = 200
UNFINISHED = chunks.c.state.in_([ChunkState.READY.value, ChunkState.RUNNING.value])


@dataclass(frozen=True, slots=True)
class StuckWork:
    """Something that has been in one state since a time; a job without any chunk has no chunk to name."""

    job_id: str
    tenant: str
    step: str
    lane: str
    since: float
    chunk_id: str | None
    worker_id: str | None


@dataclass(frozen=True, slots=True)
class JobLocation:
    """The tenant and the state of a job."""

    tenant: str
    status: str
    run: int


def chunks_since(since: ColumnElement[float]) -> Select[Any]:
    """Chunks as stuck work, since the given time."""
    columns = (chunks.c.job_id, chunks.c.tenant, chunks.c.step, chunks.c.lane, since, chunks.c.id)
    return select(*columns, chunks.c.worker_id).order_by(since).limit(MOST_SHOWN)


def running_since(conn: Connection, before: float) -> list[StuckWork]:
    """Chunks that have been read for longer than since the given time."""
    query = chunks_since(chunks.c.claimed_at).where(IS_RUNNING, chunks.c.claimed_at < before)
    return [StuckWork(*row) for row in conn.execute(query)]


def waiting_since(conn: Connection, before: float) -> list[StuckWork]:
    """Chunks that could have been claimed before the given time."""
    query = chunks_since(DUE_AT).where(IS_READY, chunks.c.created_at < before, chunks.c.not_before < before)
    return [StuckWork(*row) for row in conn.execute(query)]


def of_unknown_kind(conn: Connection) -> list[StuckWork]:
    """Ready chunks of a lane or a step that this version does not know: work for workers of another version."""
    unknown = ~IS_KNOWN | chunks.c.lane.not_in([lane.value for lane in Lane])
    return [StuckWork(*row) for row in conn.execute(chunks_since(DUE_AT).where(IS_READY, unknown))]


def held_by_silent(conn: Connection, before: float) -> list[StuckWork]:
    """Claims of workers that have not been heard of since the given time, or that have no row any more."""
    heard_of = select(workers.c.id).where(workers.c.seen_at >= before)
    query = chunks_since(chunks.c.claimed_at).where(IS_RUNNING, chunks.c.worker_id.not_in(heard_of))
    return [StuckWork(*row) for row in conn.execute(query)]


def without_chunk(conn: Connection, before: float) -> list[StuckWork]:
    """Jobs that have not ended although no chunk is left that could move them."""
    none = literal_column("NULL", Text)
    query = (
        select(jobs.c.id, jobs.c.tenant, jobs.c.stage, jobs.c.lane, jobs.c.created_at, none, none)
        .where(jobs.c.status.in_([status.value for status in sorted(ACTIVE)]), jobs.c.removed_at.is_(None))
        .where(jobs.c.created_at < before, ~exists().where(chunks.c.job_id == jobs.c.id, UNFINISHED))
        .order_by(jobs.c.id)
        .limit(MOST_SHOWN)
    )
    return [StuckWork(*row) for row in conn.execute(query)]


def running_chunks(conn: Connection) -> list[StuckWork]:
    """Everything that is being read, oldest claims first."""
    query = chunks_since(chunks.c.claimed_at).where(IS_RUNNING).limit(None)
    return [StuckWork(*row) for row in conn.execute(query)]


def job_location(conn: Connection, job_id: str) -> JobLocation | None:
    """The tenant and the state of a job; None if there is none with this id."""
    query = select(jobs.c.tenant, jobs.c.status, jobs.c.run).where(
        jobs.c.id == job_id, jobs.c.removed_at.is_(None)
    )
    row = conn.execute(query).one_or_none()
    return None if row is None else JobLocation(*row)


def give_back_chunk(tx: Tx, chunk_id: str) -> int:
    """Make a chunk that is read or waits for its retry ready at once, counting nothing; how many that were."""
    lock_jobs(tx, tx.conn.scalars(select(chunks.c.job_id).where(chunks.c.id == chunk_id)))
    return give_back(tx, chunks.c.id == chunk_id)


def give_back_job(tx: Tx, job_id: str) -> int:
    """Make all unfinished chunks of a job ready at once, counting nothing; how many that were."""
    return give_back(tx, chunks.c.job_id == job_id)


def give_back(tx: Tx, which: ColumnElement[bool]) -> int:
    """Raise the fences of these chunks, so that the process that held them can't finish them, and make them ready."""
    freed = {
        "state": ChunkState.READY.value,
        "fence": chunks.c.fence + 1,
        "worker_id": null(),
        "not_before": 0,
    }
    running = tx.conn.execute(update(chunks).where(which, IS_RUNNING).values(freed)).rowcount
    put_off = update(chunks).where(which, IS_READY, chunks.c.not_before > tx.now)
    return running + tx.conn.execute(put_off.values(not_before=0)).rowcount


def is_waiting(conn: Connection, job_id: str) -> bool:
    """Whether a chunk of a job is ready or being read."""
    return (
        conn.execute(select(chunks.c.id).where(chunks.c.job_id == job_id, UNFINISHED).limit(1)).first()
        is not None
    )
