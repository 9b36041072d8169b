"""Usage: what each tenant had done on each day. The event log is its source, so each line is counted once."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import Connection

from pagemill.db import events, log_positions, usage
from pagemill.db.cleanup import removal_time
from pagemill.db.database import Tx
from pagemill.db.events import LogPosition
from pagemill.db.usage import UsageRow
from pagemill.mill import DEFAULT_TENANT, Mill
from pagemill.model.costs import day_of
from pagemill.model.events import EventRow, EventType, Facts

READER = "usage"
LINES_AT_ONCE = 500
# The facts of a line that usage is added up from.
COUNTED = frozenset(("pages", "pages_read", "cpu_seconds", "remote_calls", "price"))


def count_usage(mill: Mill) -> None:
    """Add up the lines of the log that were not counted yet; others may do so at the same time."""
    while mill.db.read(has_news) and mill.db.write(count_lines):
        pass


def has_news(conn: Connection) -> bool:
    """Whether there is a line that was not counted."""
    place = log_positions.position(conn, READER) or LogPosition()
    return bool(events.of_everyone_for_both(conn, place, 1))


def count_lines(tx: Tx) -> bool:
    """Count the next lines, and note in the same transaction how far the log was read; whether there may be more."""
    tx.lock(READER)
    place = log_positions.position(tx.conn, READER) or LogPosition()
    lines = events.of_everyone_for_both(tx.conn, place, LINES_AT_ONCE)
    if lines:
        usage.add(tx, rows_of(lines))
        log_positions.advance(tx, DEFAULT_TENANT, READER, LogPosition(lines[-1].xid, lines[-1].id))
    return len(lines) == LINES_AT_ONCE


def rows_of(lines: Iterable[EventRow]) -> list[UsageRow]:
    """What lines of the log add to each tenant and day."""
    # Most lines add nothing: that a job was started, say.
    counted = [
        line for line in lines if line.type is EventType.ACCEPTED or not COUNTED.isdisjoint(line.facts)
    ]
    summed = usage.sum_by_day(map(row_of, counted))
    return [row for row in summed if row != UsageRow(row.tenant, row.day)]


def row_of(line: EventRow) -> UsageRow:
    """What one line adds."""
    facts = line.facts
    return UsageRow(
        line.tenant,
        day_of(line.at),
        jobs=int(line.type is EventType.ACCEPTED),
        pages=pages_read(line.type, facts),
        cpu_seconds=number(facts, "cpu_seconds"),
        remote_calls=int(number(facts, "remote_calls")),
        price=number(facts, "price"),
    )


def pages_read(kind: EventType, facts: Facts) -> int:
    """How many pages a line says were read: those of a chunk, or those of a short document, which has no such line."""
    if kind in (EventType.PUBLISHED, EventType.COMPLETED):
        return int(number(facts, "pages_read"))
    if kind is not EventType.READ:
        return 0
    failed = facts.get("failed_pages")
    return max(int(number(facts, "pages")) - (len(failed) if isinstance(failed, list) else 0), 0)


def number(facts: Facts, name: str) -> float:
    """A number in the facts of a line; 0 if there is none."""
    value = facts.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


def show_usage(mill: Mill, tenant: str | None, first: date, last: date) -> list[UsageRow]:
    """What a tenant had done from one day to another, or with None what all had."""
    count_usage(mill)
    days = (first.isoformat(), last.isoformat())
    if tenant is not None:
        return mill.db.read(lambda conn: usage.of_tenant(conn, tenant, *days))
    most = usage.TENANTS_SHOWN * ((last - first).days + 1)
    return mill.db.read(lambda conn: usage.of_everyone(conn, *days, most))


def forget_usage(tx: Tx, days: int) -> None:
    """Remove days that are past their time."""
    today = datetime.fromtimestamp(removal_time(tx.now), UTC).date()
    usage.forget(tx, (today - timedelta(days=days)).isoformat())
