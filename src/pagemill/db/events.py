"""The event log: appended to in the transaction of what happened, read by everything that watches."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, union_all

from pagemill.db.database import Tx
from pagemill.db.quick import Quick
from pagemill.db.schema import events
from pagemill.model.events import Event, EventType, Facts

APPEND = Quick(insert(events))
OF_JOB = (
    select(events)
    .where(
        events.c.tenant == bindparam("tenant"),
        events.c.job_id == bindparam("job_id"),
        events.c.seq > bindparam("after"),
    )
    .order_by(events.c.seq)
    .limit(bindparam("limit"))
)


def append(tx: Tx, tenant: str, job_id: str, seq: int, kind: EventType, facts: Facts | None = None) -> None:
    """Write one line about a job, numbered by the job's own counter."""
    row = {
        "tenant": tenant,
        "job_id": job_id,
        "seq": seq,
        "type": kind.value,
        "at": tx.now,
        "facts": facts or {},
    }
    APPEND.run(tx.conn, row)
    tx.touched.add(job_id)


def append_refusal(tx: Tx, tenant: str, facts: Facts) -> None:
    """Write one line about a request that was refused at the door."""
    row = {
        "tenant": tenant,
        "job_id": None,
        "seq": None,
        "type": EventType.REFUSED.value,
        "at": tx.now,
        "facts": facts,
    }
    APPEND.run(tx.conn, row)


def of_job(conn: Connection, tenant: str, job_id: str, after: int, limit: int) -> list[Event]:
    """The lines of a job after the given one."""
    values = {"tenant": tenant, "job_id": job_id, "after": after, "limit": limit}
    return [event_of(row) for row in conn.execute(OF_JOB, values)]


def of_tenant(
    conn: Connection, tenant: str, after: int, limit: int, kinds: Sequence[str] = ()
) -> list[Event]:
    """The lines of a tenant after the given one, in the order of the log."""
    lines = select(events).where(events.c.tenant == tenant, events.c.id > after)
    lines = lines.order_by(events.c.id).limit(limit)
    if not kinds:
        return [event_of(row) for row in conn.execute(lines)]
    # Each kind is read in order from the index and no further than the limit; asked for together they would be sorted.
    of_kinds = (lines.where(events.c.type == kind).subquery().select() for kind in dict.fromkeys(kinds))
    return [event_of(row) for row in conn.execute(union_all(*of_kinds).order_by("id").limit(limit))]


def event_of(row: Row[Any]) -> Event:
    """A line of the log from its row."""
    return Event(row.id, row.tenant, row.job_id, row.seq, EventType(row.type), row.at, row.facts)


def forget(tx: Tx, before: float, limit: int) -> int:
    """Remove lines older than the given time."""
    old = select(events.c.id).where(events.c.at < before).order_by(events.c.at).limit(limit)
    return tx.conn.execute(delete(events).where(events.c.id.in_(old))).rowcount
