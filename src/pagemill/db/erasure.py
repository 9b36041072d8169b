"""Erasure: what the rows of a removed job, batch or tenant say of it is wiped or deleted.

Of a job its ids, counts and times stay until its tombstone is removed; the sweeper deletes its files.
"""

import hashlib
from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, Connection, Table, case, delete, select, update

from pagemill.db import class_examples, idempotency, search_index
from pagemill.db.database import Tx
from pagemill.db.schema import (
    LIVING,
    api_keys,
    audit_log,
    batch_items,
    batches,
    documents,
    installation,
    jobs,
    leases,
    log_positions,
    metadata,
    paused_lanes,
    results,
    tenant_limits,
    uploads,
    webhook_attempts,
    webhook_deliveries,
    webhook_endpoints,
    workers,
)

# What belongs to the installation, whatever tenant is written there, and what must stay known of a tenant.
KEPT = frozenset(
    {
        table.name
        for table in (api_keys, audit_log, installation, leases, log_positions, paused_lanes, workers)
    }
)
ERASED_NAME = "erased"


def erase_job(tx: Tx, tenant: str, job_id: str) -> None:
    """Wipe what was given with a job, and delete what was sent or is to be sent about it."""
    own = (jobs.c.id == job_id, jobs.c.tenant == tenant)
    tx.conn.execute(
        update(documents)
        .where(documents.c.id == select(jobs.c.document_id).where(*own).scalar_subquery())
        .where(documents.c.tenant == tenant)
        .values(filename="", sha256="", source_url=None)
    )
    tx.conn.execute(
        update(jobs)
        .where(*own)
        .values(
            metadata={},
            fingerprint="",
            error=None,
            failed_pages=[],
            warnings=[],
            to_check=None,
            document_facts=None,
            classification=None,
            traceparent=None,
        )
    )
    items = (batch_items.c.job_id == job_id, batch_items.c.tenant == tenant)
    tx.conn.execute(update(batch_items).where(*items).values(name=""))
    class_examples.remove_job(tx, tenant, job_id)
    idempotency.erase(tx, tenant, job_id)
    erase_deliveries(tx, tenant, job_id)


def erase_deliveries(tx: Tx, tenant: str, job_id: str) -> None:
    """Delete the webhook deliveries of a job with their attempts, and the addresses that came with it."""
    delete_deliveries(tx, tenant, webhook_deliveries.c.job_id == job_id)
    tx.conn.execute(delete(webhook_endpoints).where(*came_with(tenant, job_id)))


def delete_deliveries(tx: Tx, tenant: str, which: ColumnElement[bool]) -> None:
    """Delete some webhook deliveries of a tenant with their attempts."""
    own = (which, webhook_deliveries.c.tenant == tenant)
    sent = select(webhook_deliveries.c.id).where(*own)
    tx.conn.execute(delete(webhook_attempts).where(webhook_attempts.c.delivery_id.in_(sent)))
    tx.conn.execute(delete(webhook_deliveries).where(*own))


def came_with(tenant: str, owner_id: str) -> tuple[ColumnElement[bool], ...]:
    """What finds the addresses that came with a job or a batch."""
    return (webhook_endpoints.c.owner_id == owner_id, webhook_endpoints.c.tenant == tenant)


def erase_batch(tx: Tx, tenant: str, batch_id: str) -> None:
    """Wipe what was given with a batch and the names of its items, and delete what was sent to its own address."""
    own = (batches.c.id == batch_id, batches.c.tenant == tenant)
    tx.conn.execute(update(batches).where(*own).values(name="", metadata={}))
    items = (batch_items.c.batch_id == batch_id, batch_items.c.tenant == tenant)
    tx.conn.execute(update(batch_items).where(*items).values(name="", error=None))
    idempotency.erase(tx, tenant, batch_id)
    endpoint_ids = select(webhook_endpoints.c.id).where(*came_with(tenant, batch_id))
    delete_deliveries(tx, tenant, webhook_deliveries.c.endpoint_id.in_(endpoint_ids))
    tx.conn.execute(delete(webhook_endpoints).where(*came_with(tenant, batch_id)))


def living_jobs(conn: Connection, tenant: str, limit: int) -> list[str]:
    """Some jobs of a tenant that were not removed."""
    return list(conn.scalars(select(jobs.c.id).where(jobs.c.tenant == tenant, LIVING).limit(limit)))


def unswept_jobs(conn: Connection, tenant: str, limit: int) -> list[str]:
    """Some removed jobs of a tenant whose files are still there."""
    own = (jobs.c.tenant == tenant, jobs.c.removed_at.is_not(None), jobs.c.swept.is_(False))
    return list(conn.scalars(select(jobs.c.id).where(*own).limit(limit)))


def upload_keys(conn: Connection, tenant: str) -> list[str]:
    """Where documents of a tenant are that were uploaded and not handed in."""
    return list(conn.scalars(select(uploads.c.blob_key).where(uploads.c.tenant == tenant)))


def delete_tenant_rows(tx: Tx, tenant: str) -> dict[str, int]:
    """Delete the rows of a tenant in every table but those of the installation; how many, by table."""
    search_index.remove_tenant(tx, tenant)
    counts = {
        table.name: tx.conn.execute(delete(table).where(table.c.tenant == tenant)).rowcount
        for table in tenant_tables()
    }
    erase_keys(tx, tenant)
    return {name: count for name, count in counts.items() if count}


def tenant_tables() -> Sequence[Table]:
    """The tables with rows of tenants, those that refer to others first."""
    return [table for table in reversed(metadata.sorted_tables) if table.name not in KEPT]


def erase_keys(tx: Tx, tenant: str) -> None:
    """Wipe the names of a tenant's keys, delete its log-ins, and wipe who these were of.

    The rows of keys stay, because the service is open to all where there never was one.
    """
    tx.conn.execute(delete(api_keys).where(api_keys.c.tenant == tenant, api_keys.c.subject.is_not(None)))
    of_logins = (audit_log.c.tenant == tenant, audit_log.c.action.like("login.%"))
    tx.conn.execute(update(audit_log).where(*of_logins).values(facts={}))
    for key_id in tx.conn.scalars(select(api_keys.c.id).where(api_keys.c.tenant == tenant)).all():
        unusable = hashlib.sha256(key_id.encode()).hexdigest()
        changes = {"name": ERASED_NAME, "hint": "", "sha256": unusable}
        tx.conn.execute(update(api_keys).where(api_keys.c.id == key_id).values(**changes))


def tenants(conn: Connection) -> list[str]:
    """The tenants that have keys, documents or limits of their own; not those that were deleted."""
    with_keys = select(api_keys.c.tenant).where(api_keys.c.name != ERASED_NAME)
    queries = (with_keys, select(documents.c.tenant), select(tenant_limits.c.tenant))
    return sorted({name for query in queries for name in conn.scalars(query.distinct())})


def rows_of(conn: Connection, table: Table, tenant: str) -> Iterator[dict[str, object]]:
    """The rows of a tenant in a table, as they are."""
    for row in conn.execute(select(table).where(table.c.tenant == tenant)).mappings():
        yield dict(row)


def files_of_jobs(
    conn: Connection, tenant: str
) -> Iterator[tuple[str, str | None, str, str | None, dict[str, object] | None]]:
    """Id, key and name of the document, folder and artifacts of each job of a tenant that was not removed.

    A document that was never fetched has no key.
    """
    query = (
        select(
            jobs.c.id,
            case((documents.c.sha256 != "", documents.c.blob_key)),
            documents.c.filename,
            results.c.prefix,
            results.c.artifacts,
        )
        .join(documents, documents.c.id == jobs.c.document_id)
        .join(results, results.c.id == jobs.c.result_id, isouter=True)
        .where(jobs.c.tenant == tenant, LIVING)
    )
    for row in conn.execute(query):
        yield row[0], row[1], row[2], row[3], row[4]
