"""The event log: appended to in the transaction of what happened, read by everything that watches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal_column,
    select,
    text,
    tuple_,
    union_all,
    update,
)

from pagemill.db.database import Tx
from pagemill.db.prepared_statements import PreparedStatement
from pagemill.db.schema import events
from pagemill.model.events import EventRow, EventType, Facts

# The largest number of a line that the column holds.
MAX_SEQ = 2**31 - 1
# The oldest transaction under way that may still write a line. One that is seen in another database of the same server
# can't, and may take hours there; one that is not seen has ended since the snapshot, so its lines are still to come.
OLDEST = literal_column(
    """(SELECT coalesce(min(under_way::text::bigint), pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
    FROM pg_snapshot_xip(pg_current_snapshot()) AS under_way
    WHERE NOT EXISTS (
        SELECT FROM pg_stat_get_activity(NULL) AS seen, pg_database AS own
        WHERE seen.backend_xid = under_way::xid AND own.datname = current_database() AND seen.datid <> own.oid
    ))""",
    BigInteger,
)
# The oldest transaction under way in any database of the server, as far as the former version reads.
OLDEST_ANYWHERE = literal_column("(pg_snapshot_xmin(pg_current_snapshot())::text::bigint)", BigInteger)
LONGEST_HOLD = text(
    "SELECT max(extract(epoch FROM clock_timestamp() - xact_start))::float FROM pg_stat_activity"
    " WHERE datname = current_database() AND backend_xid IS NOT NULL"
)
APPEND = PreparedStatement(insert(events))
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
    APPEND.run(tx.conn, columns_of(tx, kind, NewEvent(tenant, job_id, seq, facts or {})))
    tx.touched.add(job_id)


def change_type(tx: Tx, tenant: str, job_id: str, seq: int, *, kind: EventType, more: Facts) -> None:
    """Make a line that this transaction wrote, and no one has seen, one of another type, with more facts."""
    own = (events.c.tenant == tenant, events.c.job_id == job_id, events.c.seq == seq)
    facts = tx.conn.execute(select(events.c.facts).where(*own)).scalar_one()
    tx.conn.execute(update(events).where(*own).values(type=kind.value, facts={**facts, **more}))


@dataclass(frozen=True, slots=True)
class NewEvent:
    """What happened, and to which job; some lines belong to none."""

    tenant: str
    job_id: str | None
    seq: int | None
    facts: Facts


def columns_of(tx: Tx, kind: EventType, new: NewEvent) -> dict[str, object]:
    """The columns of the row of an event."""
    return {
        "tenant": new.tenant,
        "job_id": new.job_id,
        "seq": new.seq,
        "type": kind.value,
        "at": tx.now,
        "facts": new.facts,
    }


def append_all(tx: Tx, kind: EventType, lines: Sequence[NewEvent]) -> None:
    """Write lines of the same kind about several jobs."""
    if lines:
        APPEND.run_many(tx.conn, [columns_of(tx, kind, line) for line in lines])
        tx.touched.update(line.job_id for line in lines if line.job_id)


def append_refusal(tx: Tx, tenant: str, facts: Facts) -> None:
    """Write one line about a request that was refused before it became a job."""
    append_loose(tx, tenant, EventType.REFUSED, facts)


def append_loose(tx: Tx, tenant: str, kind: EventType, facts: Facts) -> None:
    """Write one line that belongs to no job."""
    APPEND.run(tx.conn, columns_of(tx, kind, NewEvent(tenant, None, None, facts)))


def of_job(conn: Connection, tenant: str, job_id: str, after: int, limit: int) -> list[EventRow]:
    """The lines of a job after the given one; callers choose its number, and columns hold no larger one than `MAX_SEQ`."""
    values = {"tenant": tenant, "job_id": job_id, "after": min(after, MAX_SEQ), "limit": limit}
    return [event_of(row) for row in conn.execute(OF_JOB, values)]


def latest(conn: Connection, tenant: str, job_id: str, kind: EventType) -> EventRow | None:
    """The last line of a kind about a job."""
    own = (events.c.tenant == tenant, events.c.job_id == job_id, events.c.type == kind.value)
    row = conn.execute(select(events).where(*own).order_by(events.c.seq.desc()).limit(1)).one_or_none()
    return None if row is None else event_of(row)


def latest_at(conn: Connection, tenant: str, job_id: str, kind: EventType) -> float | None:
    """When the last line of a kind was written about a job."""
    own = (events.c.tenant == tenant, events.c.job_id == job_id, events.c.type == kind.value)
    at: float | None = conn.scalar(select(func.max(events.c.at)).where(*own))
    return at


@dataclass(frozen=True, slots=True, order=True)
class LogPosition:
    """A place in the log of all jobs: after which transaction's which line."""

    xid: int = 0
    id: int = 0


def of_tenant(
    conn: Connection, tenant: str, after: LogPosition, limit: int, kinds: Sequence[str] = ()
) -> list[EventRow]:
    """The lines of a tenant after the given place, in the order of the log; none can be added before them."""
    lines = select(events).where(events.c.tenant == tenant, is_settled_after(conn, after))
    lines = lines.order_by(events.c.xid, events.c.id).limit(limit)
    if not kinds:
        return [event_of(row) for row in conn.execute(lines)]
    # Each kind is read in order from the index and no further than the limit; asked for together they would be sorted.
    of_kinds = (lines.where(events.c.type == kind).subquery().select() for kind in dict.fromkeys(kinds))
    return [event_of(row) for row in conn.execute(union_all(*of_kinds).order_by("xid", "id").limit(limit))]


def end_of_tenant(conn: Connection, tenant: str) -> LogPosition:
    """The place of the last line of a tenant that no other can be added before; the very first if there is none."""
    lines = select(events.c.xid, events.c.id).where(
        events.c.tenant == tenant, is_settled_after(conn, LogPosition())
    )
    last = conn.execute(lines.order_by(events.c.xid.desc(), events.c.id.desc()).limit(1)).one_or_none()
    return LogPosition() if last is None else LogPosition(last.xid, last.id)


def of_everyone(conn: Connection, after: LogPosition, limit: int) -> list[EventRow]:
    """The lines of all tenants after the given place, in the order of the log."""
    return [event_of(row) for row in conn.execute(lines_of_everyone(conn, after).limit(limit))]


def of_everyone_for_both(conn: Connection, after: LogPosition, limit: int) -> list[EventRow]:
    """As `of_everyone`, but no line that the former version would not read yet.

    The former version takes a cursor past those for one of a restored database, and begins the log again: a reader that
    adds up lines would count them twice. A later version can read with `of_everyone` alone.
    """
    lines = lines_of_everyone(conn, after)
    if conn.dialect.name == "postgresql":
        lines = lines.where(events.c.xid < OLDEST_ANYWHERE)
    return [event_of(row) for row in conn.execute(lines.limit(limit))]


def lines_of_everyone(conn: Connection, after: LogPosition) -> Select[Any]:
    """The query for the lines of all tenants after the given place."""
    return select(events).where(is_settled_after(conn, after)).order_by(events.c.xid, events.c.id)


def position_before(conn: Connection, at: float) -> LogPosition:
    """A position before every line that was written since a time."""
    later = events.c.at >= at
    bounds = select(func.min(events.c.xid), func.min(events.c.id)).where(later)
    if conn.execute(select(events.c.id).where(later).limit(1)).first() is None:
        bounds = select(func.max(events.c.xid) + 1, func.max(events.c.id) + 1)
    row = conn.execute(bounds).one()
    xid = (row[0] or 1) - 1 if conn.dialect.name == "postgresql" else 0
    return LogPosition(xid, (row[1] or 1) - 1)


def is_settled_after(conn: Connection, after: LogPosition) -> ColumnElement[bool]:
    """Whether a line is after a cursor, and no transaction is under way that could still put one before it."""
    if conn.dialect.name == "sqlite":
        return and_(events.c.xid == after.xid, events.c.id > after.id)
    # A cursor ahead of the log was given out before the database was restored; it starts at the beginning, to miss nothing.
    xid = case((OLDEST > after.xid, after.xid), else_=0)
    return and_(tuple_(events.c.xid, events.c.id) > tuple_(xid, after.id), events.c.xid < OLDEST)


def settle_restored(conn: Connection) -> int:
    """Put lines of a server that counted its transactions further than this one before all others; how many there were."""
    unborn = literal_column("(pg_snapshot_xmax(pg_current_snapshot())::text::bigint)", BigInteger)
    return conn.execute(update(events).where(events.c.xid >= unborn).values(xid=0)).rowcount


def longest_hold_seconds(conn: Connection) -> float:
    """Age in seconds of the oldest transaction that holds up new events; 0 if there is none.

    Transactions of roles whose activity is hidden from this one are not counted.
    """
    return float(conn.scalar(LONGEST_HOLD) or 0.0) if conn.dialect.name == "postgresql" else 0.0


def event_of(row: Row[Any]) -> EventRow:
    """A line of the log from its row."""
    return EventRow(
        id=row.id,
        tenant=row.tenant,
        job_id=row.job_id,
        seq=row.seq,
        type=EventType(row.type),
        at=row.at,
        facts=row.facts,
        xid=row.xid,
    )


def delete_older(tx: Tx, before: float, limit: int) -> int:
    """Remove lines older than the given time."""
    old = select(events.c.id).where(events.c.at < before).order_by(events.c.at).limit(limit)
    return tx.conn.execute(delete(events).where(events.c.id.in_(old))).rowcount
