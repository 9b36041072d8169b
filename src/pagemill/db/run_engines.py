"""What the chunks of runs need, as `model.abilities` has it: asked when the engines of a run are gone, and when it ends."""

from collections.abc import Collection

from sqlalchemy import Connection, select

from pagemill.db.chunks import IS_READING
from pagemill.db.fairness import IS_READY
from pagemill.db.schema import chunks


def waiting_for(conn: Connection, needs: str, lanes: Collection[str], most: int) -> list[tuple[str, str]]:
    """Jobs with ready chunks in these lanes that need these engines, as tenant and id."""
    fit = (IS_READY, chunks.c.needs == needs, chunks.c.lane.in_(lanes))
    query = select(chunks.c.tenant, chunks.c.job_id).distinct().where(*fit)
    return [(tenant, job_id) for tenant, job_id in conn.execute(query.limit(most))]


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
