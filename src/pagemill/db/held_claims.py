"""Whether a claim still holds, and what a run of a job still does."""

from sqlalchemy import Connection, select

from pagemill.db.schema import chunks
from pagemill.model.states import CHUNK_MOVES, ChunkState, Step
from pagemill.model.work import Claim


def is_held(conn: Connection, claim: Claim) -> bool:
    """Whether a chunk is still taken by this very claim, so that what it found can be written."""
    own = (chunks.c.id == claim.chunk_id, chunks.c.tenant == claim.tenant, chunks.c.fence == claim.fence)
    query = select(chunks.c.id).where(*own, chunks.c.state == ChunkState.RUNNING.value)
    return conn.execute(query).first() is not None


def is_enriching(conn: Connection, tenant: str, job_id: str, run: int) -> bool:
    """Whether all that a run of a job still does is to add to its result."""
    own = (chunks.c.job_id == job_id, chunks.c.tenant == tenant, chunks.c.run == run)
    states = [state.value for state in CHUNK_MOVES[ChunkState.VOID]]
    left = select(chunks.c.step).where(*own, chunks.c.state.in_(states)).distinct()
    return list(conn.scalars(left)) == [Step.ENRICH.value]
