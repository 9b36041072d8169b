"""Whether a claim still holds."""

from sqlalchemy import Connection, select

from pagemill.db.schema import chunks
from pagemill.model.states import ChunkState
from pagemill.model.work import Claim


def is_held(conn: Connection, claim: Claim) -> bool:
    """Whether a chunk is still taken by this very claim, so that what it found can be written."""
    own = (chunks.c.id == claim.chunk_id, chunks.c.tenant == claim.tenant, chunks.c.fence == claim.fence)
    query = select(chunks.c.id).where(*own, chunks.c.state == ChunkState.RUNNING.value)
    return conn.execute(query).first() is not None
