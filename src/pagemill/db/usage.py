"""The rows of usage: what each tenant had done on each day, added up from the event log."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from pagemill.db.database import Tx
from pagemill.db.schema import usage
from pagemill.model.costs import day_of


@dataclass(frozen=True, slots=True)
class UsageRow:
    """What a tenant had done on a day (UTC)."""

    tenant: str
    day: str
    jobs: int = 0
    pages: int = 0
    cpu_seconds: float = 0.0
    remote_calls: int = 0
    price: float = 0.0


ROW = select(*(usage.c[field.name] for field in fields(UsageRow)))
TENANTS_SHOWN = 100
# One statement has so many rows at most; SQLite allows some thousand values in one.
ROWS_AT_ONCE = 100
KEY = ("tenant", "day")
SUMMED = tuple(field.name for field in fields(UsageRow) if field.name not in KEY)


def add(tx: Tx, rows: Iterable[UsageRow]) -> None:
    """Add to what is known of these tenants and days."""
    insert = postgresql.insert if tx.conn.dialect.name == "postgresql" else sqlite.insert
    ordered = sum_by_day(rows)
    for start in range(0, len(ordered), ROWS_AT_ONCE):
        new = insert(usage).values([asdict(row) for row in ordered[start : start + ROWS_AT_ONCE]])
        sums = {name: usage.c[name] + new.excluded[name] for name in SUMMED}
        tx.conn.execute(new.on_conflict_do_update(index_elements=list(KEY), set_=sums))


def sum_by_day(rows: Iterable[UsageRow]) -> list[UsageRow]:
    """One row for each tenant and day; a statement can change no row twice."""
    found: defaultdict[tuple[str, str], list[Any]] = defaultdict(lambda: [0] * len(SUMMED))
    for row in rows:
        sums = found[row.tenant, row.day]
        for place, name in enumerate(SUMMED):
            sums[place] += getattr(row, name)
    return [UsageRow(*key, *found[key]) for key in sorted(found)]


def of_tenant(conn: Connection, tenant: str, first: str, last: str) -> list[UsageRow]:
    """What a tenant had done from one day to another, oldest first."""
    query = ROW.where(usage.c.tenant == tenant, usage.c.day.between(first, last)).order_by(usage.c.day)
    return [UsageRow(*row) for row in conn.execute(query)]


def of_everyone(conn: Connection, first: str, last: str, limit: int) -> list[UsageRow]:
    """What all tenants had done from one day to another, newest day and most pages first."""
    query = ROW.where(usage.c.day.between(first, last))
    ordered = query.order_by(usage.c.day.desc(), usage.c.pages.desc(), usage.c.tenant).limit(limit)
    return [UsageRow(*row) for row in conn.execute(ordered)]


def of_today(conn: Connection, now: float) -> list[UsageRow]:
    """What the busiest tenants had done so far today."""
    return of_everyone(conn, day_of(now), day_of(now), TENANTS_SHOWN)


def forget(tx: Tx, before: str) -> int:
    """Remove what is older than a day."""
    return tx.conn.execute(delete(usage).where(usage.c.day < before)).rowcount
