"""Quotas of submissions: nothing is taken of a tenant past its limits, nor of any while too much waits."""

from sqlalchemy import Connection

from pagemill.db import limits
from pagemill.db.database import Tx
from pagemill.errors import Overloaded, QuotaExceeded
from pagemill.mill import Mill

BACKLOG_QUOTA = "backlog"
SPACE_IS_FULL = "The documents of this tenant fill its space. Delete some jobs, or wait until they expire."
DAY_IS_FULL = "This tenant has handed in as many pages as it may within 24 hours. Wait, or ask for more."


def refuse_past_limits(conn: Connection, mill: Mill, tenant: str) -> None:
    """Take no more of a tenant that has too many jobs waiting, nor of anybody when too much waits altogether."""
    most_jobs, most_chunks = mill.limits.of(tenant).max_pending_jobs, mill.settings.max_backlog_chunks
    seconds = mill.quotas.take(
        jobs_quota(tenant), most_jobs, lambda: limits.pending_jobs(conn, tenant, most_jobs)
    )
    if seconds is not None:
        raise QuotaExceeded(max_pending_jobs=most_jobs, retry_after_seconds=seconds)
    seconds = mill.quotas.take(BACKLOG_QUOTA, most_chunks, lambda: limits.waiting_chunks(conn, most_chunks))
    if seconds is not None:
        raise Overloaded(max_backlog_chunks=most_chunks, retry_after_seconds=seconds)


def refuse_past_quotas(tx: Tx, mill: Mill, tenant: str, size_bytes: int) -> None:
    """Take no more of a tenant whose documents fill its space, or that has handed in enough pages for a day.

    How many pages a document has is not known yet, so the one that crosses that limit is read to its end.
    """
    quotas, limit = mill.quotas, mill.limits.of(tenant)
    if most := limit.max_tenant_bytes:
        seconds = quotas.take(
            f"bytes of {tenant}", most, lambda: limits.stored_bytes(tx.conn, tenant), size_bytes
        )
        if seconds is not None:
            raise QuotaExceeded(SPACE_IS_FULL, max_tenant_bytes=most, retry_after_seconds=seconds)
    if most := limit.max_tenant_pages_per_day:
        seconds = quotas.take(
            f"pages of {tenant}", most, lambda: limits.pages_of_day(tx.conn, tenant, tx.now)
        )
        if seconds is not None:
            raise QuotaExceeded(DAY_IS_FULL, max_tenant_pages_per_day=most, retry_after_seconds=seconds)


def refuse_past_space(mill: Mill, tenant: str, size_bytes: int) -> None:
    """QuotaExceeded if a document that was accepted before its size was known has no room in its tenant's space."""
    most = mill.limits.of(tenant).max_tenant_bytes
    if most and mill.db.read(lambda conn: limits.stored_bytes(conn, tenant)).count + size_bytes > most:
        raise QuotaExceeded(SPACE_IS_FULL, max_tenant_bytes=most)


def refuse_while_full(mill: Mill, tenant: str) -> None:
    """As `refuse_past_limits`, but by the last count alone: for a document whose bytes have not been sent yet."""
    seconds = mill.quotas.closed_seconds(jobs_quota(tenant))
    if seconds is not None:
        raise QuotaExceeded(
            max_pending_jobs=mill.limits.of(tenant).max_pending_jobs, retry_after_seconds=seconds
        )
    seconds = mill.quotas.closed_seconds(BACKLOG_QUOTA)
    if seconds is not None:
        raise Overloaded(max_backlog_chunks=mill.settings.max_backlog_chunks, retry_after_seconds=seconds)


def jobs_quota(tenant: str) -> str:
    """The name of the quota of waiting jobs of a tenant."""
    return f"jobs of {tenant}"
