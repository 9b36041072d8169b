"""The event log as it is read: in order, from where the reader was, and only what it asked for."""

import pytest

from pagemill.db import events
from pagemill.db.database import Database, Tx
from pagemill.db.events import LogPosition
from pagemill.model.events import EventRow, EventType


@pytest.fixture(autouse=True)
def lines(db: Database) -> None:
    """A log that has three kinds of lines in turns."""
    db.write(fill)


def fill(tx: Tx) -> None:
    """Write the lines of four jobs."""
    for number in range(4):
        for seq, kind in enumerate((EventType.ACCEPTED, EventType.STARTED, EventType.FAILED), start=1):
            events.append(tx, "a", f"job {number}", seq, kind, {"number": number})
        events.append(tx, "b", "of another", number, EventType.FAILED)


def read(db: Database, after: LogPosition, limit: int, *kinds: EventType) -> list[EventRow]:
    """A part of the log."""
    return db.read(lambda conn: events.of_tenant(conn, "a", after, limit, [kind.value for kind in kinds]))


def test_lines_of_several_kinds_come_in_the_order_of_the_log(db: Database) -> None:
    found = read(db, LogPosition(), 5, EventType.FAILED, EventType.ACCEPTED, EventType.FAILED)
    assert [(line.job_id, line.seq) for line in found] == [
        ("job 0", 1),
        ("job 0", 3),
        ("job 1", 1),
        ("job 1", 3),
        ("job 2", 1),
    ]
    assert found[-1].facts == {"number": 2}
    rest = read(db, LogPosition(found[-1].xid, found[-1].id), 9, EventType.FAILED, EventType.ACCEPTED)
    assert [(line.job_id, line.seq) for line in rest] == [("job 2", 3), ("job 3", 1), ("job 3", 3)]


def test_lines_of_one_kind_and_of_all(db: Database) -> None:
    assert [line.job_id for line in read(db, LogPosition(), 3, EventType.STARTED)] == [
        "job 0",
        "job 1",
        "job 2",
    ]
    assert len(read(db, LogPosition(), 99)) == 12


def test_the_oldest_lines_are_forgotten_first(db: Database) -> None:
    newest = read(db, LogPosition(), 99)[-1].id
    assert db.write(lambda tx: events.delete_older(tx, tx.now + 1, 15)) == 15
    assert read(db, LogPosition(), 99) == []
    db.write(lambda tx: events.append(tx, "a", "new", 1, EventType.ACCEPTED))
    assert db.write(lambda tx: events.delete_older(tx, 0, 9)) == 0
    [line] = read(db, LogPosition(), 99)
    assert line.id > newest


def test_the_end_of_a_log_is_where_its_last_line_is(db: Database) -> None:
    last = read(db, LogPosition(), 99)[-1]
    end = db.read(lambda conn: events.end_of_tenant(conn, "a"))
    assert end == LogPosition(last.xid, last.id)
    assert read(db, end, 9) == []
    assert db.read(lambda conn: events.end_of_tenant(conn, "nobody")) == LogPosition()
    db.write(lambda tx: events.append(tx, "a", "new", 1, EventType.ACCEPTED))
    assert [line.job_id for line in read(db, end, 9)] == ["new"]


def test_the_last_line_of_a_kind_about_a_job(db: Database) -> None:
    db.write(lambda tx: events.append(tx, "a", "job 1", 4, EventType.STARTED, {"again": True}))
    found = db.read(lambda conn: events.latest(conn, "a", "job 1", EventType.STARTED))
    assert found is not None
    assert (found.seq, found.facts) == (4, {"again": True})
    assert db.read(lambda conn: events.latest(conn, "b", "job 1", EventType.STARTED)) is None
