"""What counts towards the limits on waiting work, and how long it takes until there is room again."""

import math

from sqlalchemy import Connection, func, select

from pagemill.db import jobs
from pagemill.db.fairness import IS_READY
from pagemill.db.schema import chunks, documents
from pagemill.db.schema import jobs as job_rows
from pagemill.model.quota_cache import QuotaCount

# A refused caller may come back when about a tenth of what waits is done.
SHARE_DONE = 0.1
LEAST_SECONDS, MOST_SECONDS = 2, 300
# While nothing is read the speed is unknown.
UNKNOWN_SECONDS = 60
# What is stored gets less when jobs expire or are deleted, and pages of a day when hours have passed.
SLOW_SECONDS = 600
DAY_SECONDS = 86_400


def pending_jobs(conn: Connection, tenant: str, most: int) -> QuotaCount:
    """How many jobs of a tenant wait or run, counted no further than the limit."""
    return tally(conn, jobs.active_count(conn, tenant, most), most)


def stored_bytes(conn: Connection, tenant: str) -> QuotaCount:
    """How many bytes the documents of a tenant have that were not removed."""
    size = func.coalesce(func.sum(documents.c.size_bytes), 0)
    kept = select(size).join(job_rows, job_rows.c.document_id == documents.c.id)
    kept = kept.where(documents.c.tenant == tenant, job_rows.c.removed_at.is_(None))
    return QuotaCount(conn.execute(kept).scalar_one(), SLOW_SECONDS)


def pages_of_day(conn: Connection, tenant: str, now: float) -> QuotaCount:
    """How many pages the documents have that a tenant handed in within the last 24 hours, deleted ones too."""
    pages = func.coalesce(func.sum(job_rows.c.total_pages), 0)
    recent = select(pages).join(documents, job_rows.c.document_id == documents.c.id)
    recent = recent.where(documents.c.tenant == tenant, documents.c.created_at > now - DAY_SECONDS)
    return QuotaCount(conn.execute(recent).scalar_one(), SLOW_SECONDS)


def waiting_chunks(conn: Connection, most: int) -> QuotaCount:
    """How many chunks of all tenants wait, counted no further than the limit."""
    ready = select(chunks.c.id).where(IS_READY).limit(most).subquery()
    return tally(conn, conn.execute(select(func.count()).select_from(ready)).scalar_one(), most)


def tally(conn: Connection, count: int, most: int) -> QuotaCount:
    """A count with the time after which there may be room; that is only needed if there is none."""
    return QuotaCount(count, 0 if count < most else patience_seconds(count, pages_per_second(conn)))


def patience_seconds(count: int, speed: float) -> int:
    """How long a tenth of what waits takes at a speed in pages per second, with a page for each of it, within bounds."""
    if speed <= 0:
        return UNKNOWN_SECONDS
    return max(LEAST_SECONDS, min(math.ceil(SHARE_DONE * count / speed), MOST_SECONDS))


def pages_per_second(conn: Connection) -> float:
    """The present speed of all workers."""
    speed: float = conn.execute(select(jobs.SPEED)).scalar_one()
    return speed
