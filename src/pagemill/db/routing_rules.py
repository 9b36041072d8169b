"""The rows of routing rules."""

from dataclasses import asdict, fields

from sqlalchemy import Connection, delete, func, insert, select, update

from pagemill.db.database import Tx
from pagemill.db.understanding_tables import routing_rules as rows
from pagemill.model.routing_rules import RoutingRule

RULE = select(*(rows.c[field.name] for field in fields(RoutingRule)))
IN_ORDER = (rows.c.position, rows.c.created_at, rows.c.id)


def everyone(conn: Connection) -> list[RoutingRule]:
    """The rules of all tenants, each tenant's in order."""
    return [RoutingRule(*row) for row in conn.execute(RULE.order_by(rows.c.tenant, *IN_ORDER))]


def version(conn: Connection) -> tuple[float, ...]:
    """Numbers that change with the rules of all tenants, whichever is added, changed or removed."""
    # With the sum, because a change may be dated before one that was written earlier.
    times = (func.count(), func.coalesce(func.max(rows.c.updated_at), 0.0))
    query = select(*times, func.coalesce(func.sum(rows.c.updated_at), 0.0)).select_from(rows)
    return tuple(float(one) for one in conn.execute(query).one())


def all_rules(conn: Connection, tenant: str) -> list[RoutingRule]:
    """The rules of a tenant in order."""
    found = conn.execute(RULE.where(rows.c.tenant == tenant).order_by(*IN_ORDER))
    return [RoutingRule(*row) for row in found]


def one(conn: Connection, tenant: str, rule_id: str) -> RoutingRule | None:
    """A rule of a tenant."""
    row = conn.execute(RULE.where(rows.c.id == rule_id, rows.c.tenant == tenant)).one_or_none()
    return None if row is None else RoutingRule(*row)


def count(conn: Connection, tenant: str) -> int:
    """How many rules a tenant has."""
    return conn.execute(select(func.count()).where(rows.c.tenant == tenant)).scalar_one()


def last_position(conn: Connection, tenant: str) -> int:
    """The position of the last rule of a tenant; 0 if it has none."""
    query = select(func.coalesce(func.max(rows.c.position), 0)).where(rows.c.tenant == tenant)
    last: int = conn.execute(query).scalar_one()
    return last


def add(tx: Tx, new: RoutingRule) -> None:
    """Write a new rule."""
    tx.conn.execute(insert(rows), asdict(new))


def replace(tx: Tx, new: RoutingRule) -> bool:
    """Write a rule in place of the former; False if the tenant has no such rule."""
    own = (rows.c.id == new.id, rows.c.tenant == new.tenant)
    return tx.conn.execute(update(rows).where(*own).values(**asdict(new))).rowcount == 1


def remove(tx: Tx, tenant: str, rule_id: str) -> bool:
    """Remove a rule; False if the tenant has no such rule."""
    own = (rows.c.id == rule_id, rows.c.tenant == tenant)
    return tx.conn.execute(delete(rows).where(*own)).rowcount == 1
