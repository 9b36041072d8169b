"""What the chunks of runs need, as `model.abilities` has it: asked when the engines of a run are gone, and when it ends."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from pagemill.db.chunks import IS_READING
from pagemill.db.fairness import IS_READY
from pagemill.db.schema import chunks
from pagemill.model.abilities import CHAIN
from pagemill.model.states import Step


@dataclass(frozen=True, slots=True)
class WaitingRun:
    """A job with chunks that wait for engines, and the lane in which they do."""

    tenant: str
    job_id: str
    lane: str


def waiting_for(conn: Connection, needs: str, lanes: Collection[str], most: int) -> list[WaitingRun]:
    """Jobs with ready chunks in these lanes that need these engines."""
    fit = (IS_READY, chunks.c.needs == needs, chunks.c.lane.in_(lanes))
    query = select(chunks.c.tenant, chunks.c.job_id, func.min(chunks.c.lane)).where(*fit)
    rows = conn.execute(query.group_by(chunks.c.tenant, chunks.c.job_id).limit(most))
    return [WaitingRun(*row) for row in rows]


def opening_needs(conn: Connection, tenant: str, job_id: str) -> str | None:
    """What the latest chunk needed that opened the document of a job; None if it did not say."""
    own = (chunks.c.job_id == job_id, chunks.c.tenant == tenant, chunks.c.step == Step.PLAN.value)
    query = select(chunks.c.needs).where(*own, chunks.c.needs.startswith(CHAIN))
    return conn.scalar(query.order_by(chunks.c.run.desc()).limit(1))


def is_waiting_for(conn: Connection, tenant: str, job_id: str, needs: str) -> bool:
    """Whether a ready chunk of a job needs these engines."""
    own = (chunks.c.job_id == job_id, chunks.c.tenant == tenant, chunks.c.needs == needs)
    return conn.execute(select(chunks.c.id).where(IS_READY, *own).limit(1)).first() is not None


def engines_of_run(conn: Connection, tenant: str, job_id: str, run: int) -> set[str]:
    """What the chunks of a run that hold its pages needed, as far as they say."""
    own = (chunks.c.job_id == job_id, chunks.c.tenant == tenant, chunks.c.run == run)
    query = select(chunks.c.needs).distinct().where(*own, IS_READING, chunks.c.needs.is_not(None))
    return set(conn.scalars(query))


def has_named_provider(conn: Connection, tenant: str, job_id: str, run: int) -> bool:
    """Whether a page of a run was read with a provider that someone named for it."""
    own = (chunks.c.job_id == job_id, chunks.c.tenant == tenant, chunks.c.run == run)
    query = select(chunks.c.id).where(*own, chunks.c.providers.is_not(None)).limit(1)
    return conn.execute(query).first() is not None
