"""What counts towards the limits on waiting work, and how long it takes until there is room again."""

import math

from sqlalchemy import Connection, func, select

from pagemill.db import jobs
from pagemill.db.fairness import IS_READY
from pagemill.db.schema import chunks
from pagemill.model.quota_cache import QuotaCount

# Whoever finds no room comes back when about a tenth of what waits is done.
SHARE_DONE = 0.1
LEAST_SECONDS, MOST_SECONDS = 2, 300
# While nothing is read nobody can tell.
UNKNOWN_SECONDS = 60


def pending_jobs(conn: Connection, tenant: str, most: int) -> QuotaCount:
    """How many jobs of a tenant wait or run, counted no further than the limit."""
    return tally(conn, jobs.active_count(conn, tenant, most), most)


def waiting_chunks(conn: Connection, most: int) -> QuotaCount:
    """How many chunks of all tenants wait, counted no further than the limit."""
    waiting = select(chunks.c.id).where(IS_READY).limit(most).subquery()
    return tally(conn, conn.execute(select(func.count()).select_from(waiting)).scalar_one(), most)


def tally(conn: Connection, count: int, most: int) -> QuotaCount:
    """A count with the time after which there may be room; that is only needed if there is none."""
    return QuotaCount(count, 0 if count < most else patience_seconds(count, pages_per_second(conn)))


def patience_seconds(waiting: int, speed: float) -> int:
    """How long a tenth of what waits takes at a speed in pages per second, with a page for each of it, within bounds."""
    if speed <= 0:
        return UNKNOWN_SECONDS
    return max(LEAST_SECONDS, min(math.ceil(SHARE_DONE * waiting / speed), MOST_SECONDS))


def pages_per_second(conn: Connection) -> float:
    """The present speed of all workers."""
    speed: float = conn.execute(select(jobs.SPEED)).scalar_one()
    return speed
