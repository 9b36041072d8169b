"""What every database does: whole writes or none, seen by all once they are committed."""

import threading

import pytest
from sqlalchemy import func, insert, select
from sqlalchemy.exc import IntegrityError

from pagemill.db.database import Database, Tx
from pagemill.db.migrate import migrate
from pagemill.db.schema import documents, metadata
from pagemill.db.search_tables import OF_ONE_DATABASE
from pagemill.errors import ShuttingDown

INSERT = insert(documents)


def add(tx: Tx, document_id: str) -> str:
    """Insert a document."""
    row = {
        "id": document_id,
        "tenant": "default",
        "sha256": "s",
        "size_bytes": 1,
        "media_type": "m",
        "filename": "f",
        "blob_key": "k",
        "created_at": tx.now,
    }
    tx.conn.execute(INSERT, row)
    tx.touched.add(document_id)
    return document_id


def count(db: Database) -> int:
    """How many documents a reader sees."""
    return db.read(lambda conn: conn.execute(select(func.count()).select_from(documents)).scalar_one())


def test_a_write_is_seen_by_readers_after_its_commit(db: Database, rung: list[set[str]]) -> None:
    assert count(db) == 0
    assert db.write(lambda tx: add(tx, "one")) == "one"
    assert count(db) == 1
    assert {"one"} in rung


def test_a_write_that_fails_takes_no_other_with_it(db: Database) -> None:
    db.write(lambda tx: add(tx, "taken"))
    gate = threading.Event()
    held = db.submit(lambda tx: gate.wait(10))
    writes = [db.submit(lambda tx, n=n: add(tx, f"d{n}")) for n in range(10)]  # type: ignore[misc]
    doubled = db.submit(lambda tx: [add(tx, "half"), add(tx, "taken")])
    broken = db.submit(lambda tx: 1 // 0)
    after = db.submit(lambda tx: add(tx, "after"))
    gate.set()
    assert held.result(10)
    assert [write.result(10) for write in writes] == [f"d{n}" for n in range(10)]
    assert isinstance(doubled.exception(10), IntegrityError)
    assert isinstance(broken.exception(10), ZeroDivisionError)
    assert after.result(10) == "after"
    assert count(db) == 12


def test_many_threads_write_and_nothing_is_lost(db: Database) -> None:
    def write_some(start: int) -> None:
        for number in range(50):
            db.write(lambda tx, name=f"{start}-{number}": add(tx, name))  # type: ignore[misc]

    threads = [threading.Thread(target=write_some, args=(start,)) for start in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count(db) == 400


def test_a_write_under_way_can_not_be_cancelled(db: Database) -> None:
    started, gate = threading.Event(), threading.Event()

    def slow(tx: Tx) -> str:
        started.set()
        gate.wait(10)
        return add(tx, "slow")

    future = db.submit(slow)
    assert started.wait(10)
    assert not future.cancel()
    gate.set()
    assert future.result(10) == "slow"


def test_the_migrations_make_the_tables_of_the_schema(db: Database) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    def is_ours(name: str | None, _kind: str, _parents: object) -> bool:
        return not str(name).startswith(OF_ONE_DATABASE)

    with db.engine.connect() as conn:
        context = MigrationContext.configure(conn, opts={"include_name": is_ours})
        assert compare_metadata(context, metadata) == []


def test_a_database_that_is_up_to_date_is_left_alone(db: Database) -> None:
    db.write(lambda tx: add(tx, "kept"))
    migrate(db.engine)
    assert count(db) == 1


def test_a_closed_database_says_so(db: Database) -> None:
    db.close()
    with pytest.raises(ShuttingDown):
        db.write(lambda tx: None)
    assert isinstance(db.submit(lambda tx: None).exception(5), ShuttingDown)
