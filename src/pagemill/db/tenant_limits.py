"""The rows of tenants whose limits differ from the settings."""

from dataclasses import asdict, fields

from sqlalchemy import Connection, delete, func, insert, select, update

from pagemill.db.database import Tx
from pagemill.db.schema import batches, jobs, tenant_limits
from pagemill.model.tenant_limits import TenantOverride

ROW = select(*(tenant_limits.c[field.name] for field in fields(TenantOverride)))


def everyone(conn: Connection) -> list[TenantOverride]:
    """All tenants with limits of their own."""
    return [TenantOverride(*row) for row in conn.execute(ROW.order_by(tenant_limits.c.tenant))]


def one(conn: Connection, tenant: str) -> TenantOverride:
    """What differs for a tenant."""
    row = conn.execute(ROW.where(tenant_limits.c.tenant == tenant)).one_or_none()
    return TenantOverride(tenant) if row is None else TenantOverride(*row)


def replace(tx: Tx, override: TenantOverride) -> None:
    """Write what differs for a tenant; a row that changes nothing is removed."""
    tx.conn.execute(delete(tenant_limits).where(tenant_limits.c.tenant == override.tenant))
    if override.changes():
        tx.conn.execute(insert(tenant_limits), asdict(override))


def shorten_expiry(tx: Tx, tenant: str, retention_seconds: float) -> int:
    """Have the jobs of a tenant expire no later than its retention says; how many are removed earlier now."""
    latest = func.coalesce(jobs.c.finished_at, jobs.c.created_at) + retention_seconds
    longer = (jobs.c.tenant == tenant, jobs.c.removed_at.is_(None), jobs.c.expires_at > latest)
    batch_end = batches.c.created_at + retention_seconds
    kept = (batches.c.tenant == tenant, batches.c.removed_at.is_(None), batches.c.expires_at > batch_end)
    tx.conn.execute(update(batches).where(*kept).values(expires_at=batch_end))
    return tx.conn.execute(update(jobs).where(*longer).values(expires_at=latest)).rowcount
