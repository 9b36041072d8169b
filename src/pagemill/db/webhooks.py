"""The rows of webhook endpoints: made, changed, disabled and removed."""

from collections.abc import Collection
from dataclasses import asdict, fields

from sqlalchemy import Connection, and_, bindparam, delete, func, insert, literal_column, or_, select, update

from pagemill.db.database import Tx
from pagemill.db.prepared_statements import PreparedStatement
from pagemill.db.schema import webhook_endpoints as rows
from pagemill.model.webhooks import Endpoint, EndpointStatus

ENDPOINT = select(*(rows.c[field.name] for field in fields(Endpoint)))
ACTIVE = rows.c.status == EndpointStatus.ACTIVE.value
REGISTERED = rows.c.owner_id.is_(None)


def add(tx: Tx, endpoint: Endpoint) -> None:
    """Write the row of a new endpoint."""
    tx.conn.execute(insert(rows), asdict(endpoint))


def one(conn: Connection, tenant: str, endpoint_id: str) -> Endpoint | None:
    """An endpoint of a tenant, also one that came with a job or a batch."""
    row = conn.execute(ENDPOINT.where(rows.c.id == endpoint_id, rows.c.tenant == tenant)).one_or_none()
    return None if row is None else Endpoint(*row)


def registered_endpoints(conn: Connection, tenant: str) -> list[Endpoint]:
    """The endpoints that a tenant has registered, oldest first."""
    found = conn.execute(ENDPOINT.where(rows.c.tenant == tenant, REGISTERED).order_by(rows.c.id))
    return [Endpoint(*row) for row in found]


def of_job(conn: Connection, tenant: str, job_id: str) -> list[Endpoint]:
    """The endpoints that came with a job."""
    found = conn.execute(ENDPOINT.where(rows.c.tenant == tenant, rows.c.owner_id == job_id))
    return [Endpoint(*row) for row in found]


def count(conn: Connection, tenant: str) -> int:
    """How many endpoints a tenant has registered."""
    return conn.execute(select(func.count()).where(rows.c.tenant == tenant, REGISTERED)).scalar_one()


def are_any(conn: Connection) -> bool:
    """Whether there is any endpoint; disabled ones count, so that they don't hear later of what happened meanwhile."""
    return conn.execute(select(rows.c.id).limit(1)).first() is not None


def oldest_at(conn: Connection) -> float | None:
    """When the oldest active endpoint was made."""
    at: float | None = conn.scalar(select(func.min(rows.c.created_at)).where(ACTIVE))
    return at


def subscribed_endpoints(
    conn: Connection, tenants: Collection[str], owner_ids: Collection[str]
) -> list[Endpoint]:
    """The active endpoints of these tenants, and those that came with these jobs and batches."""
    of_tenants = and_(rows.c.tenant.in_(tenants), REGISTERED)
    found = conn.execute(ENDPOINT.where(ACTIVE, or_(of_tenants, rows.c.owner_id.in_(owner_ids))))
    return [Endpoint(*row) for row in found]


def by_ids(conn: Connection, endpoint_ids: Collection[str]) -> dict[str, Endpoint]:
    """The endpoints of what was claimed just now, by id."""
    found = [Endpoint(*row) for row in conn.execute(ENDPOINT.where(rows.c.id.in_(endpoint_ids)))]
    return {endpoint.id: endpoint for endpoint in found}


def change(tx: Tx, tenant: str, endpoint_id: str, **changes: object) -> Endpoint | None:
    """Change an endpoint; None if the tenant has no such endpoint."""
    own = (rows.c.id == endpoint_id, rows.c.tenant == tenant)
    query = update(rows).where(*own).values(updated_at=tx.now, **changes)
    row = tx.conn.execute(query.returning(*ENDPOINT.selected_columns)).one_or_none()
    return None if row is None else Endpoint(*row)


MARK_WORKING = PreparedStatement(
    update(rows)
    .where(rows.c.id == bindparam("endpoint_id"), rows.c.tenant == bindparam("of_tenant"))
    .where(rows.c.failing_since.is_not(None))
    .values(failing_since=literal_column("NULL"))
)


def mark_working(tx: Tx, tenant: str, endpoint_id: str) -> None:
    """Note that an endpoint has taken a delivery."""
    MARK_WORKING.run(tx.conn, {"endpoint_id": endpoint_id, "of_tenant": tenant})


def mark_failing(tx: Tx, tenant: str, endpoint_id: str, now: float) -> float:
    """Note that an endpoint has not taken a delivery; since when it has taken none."""
    own = (rows.c.id == endpoint_id, rows.c.tenant == tenant)
    query = update(rows).where(*own).values(failing_since=func.coalesce(rows.c.failing_since, now))
    return tx.conn.scalar(query.returning(rows.c.failing_since)) or now


def disable(tx: Tx, tenant: str, endpoint_id: str, reason: str) -> bool:
    """Send an endpoint nothing more; False if that was so before."""
    own = (rows.c.id == endpoint_id, rows.c.tenant == tenant, ACTIVE)
    changed = (
        update(rows)
        .where(*own)
        .values(status=EndpointStatus.DISABLED.value, disabled_reason=reason, updated_at=tx.now)
    )
    return tx.conn.execute(changed).rowcount == 1


def remove(tx: Tx, tenant: str, endpoint_id: str) -> bool:
    """Remove an endpoint; False if the tenant has no such endpoint."""
    own = (rows.c.id == endpoint_id, rows.c.tenant == tenant, REGISTERED)
    return tx.conn.execute(delete(rows).where(*own)).rowcount == 1


def forget_owned(tx: Tx, before: float, limit: int) -> int:
    """Remove addresses that came with jobs and batches before the given time."""
    old = select(rows.c.id).where(rows.c.owner_id.is_not(None), rows.c.created_at < before).limit(limit)
    return tx.conn.execute(delete(rows).where(rows.c.id.in_(old))).rowcount
