"""Permits: how many pages a provider may read at once, over all workers. A claim that ends loses its permits."""

from sqlalchemy import Text, cast, delete, func, insert, select

from pagemill.db.database import Tx
from pagemill.db.fairness import IS_RUNNING
from pagemill.db.schema import chunks, permits
from pagemill.model.work import Claim


def take(tx: Tx, claim: Claim, provider: str, wanted: int, most: int) -> int:
    """Take up to so many permits of a provider, as far as `most` allows; how many there were."""
    tx.lock(f"permits of {provider}")
    # Asked again, because it was unknown whether they were taken.
    give_back(tx, claim, provider)
    # A process that held them may have vanished, or found no database to give them back to.
    running = select(chunks.c.id + "." + cast(chunks.c.fence, Text)).where(IS_RUNNING)
    tx.conn.execute(delete(permits).where(permits.c.provider == provider, permits.c.key.not_in(running)))
    query = select(func.coalesce(func.sum(permits.c.count), 0)).where(permits.c.provider == provider)
    taken: int = tx.conn.execute(query).scalar_one()
    granted = min(wanted, most - taken)
    if granted <= 0:
        return 0
    row = {
        "key": claim.key,
        "provider": provider,
        "tenant": claim.tenant,
        "count": granted,
        "taken_at": tx.now,
    }
    tx.conn.execute(insert(permits), row)
    return granted


def give_back(tx: Tx, claim: Claim, provider: str) -> None:
    """Let others have the permits of a claim."""
    own = (permits.c.key == claim.key, permits.c.provider == provider, permits.c.tenant == claim.tenant)
    tx.conn.execute(delete(permits).where(*own))
