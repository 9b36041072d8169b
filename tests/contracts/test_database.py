"""What the database does: group commits, and a writer that outlives everything."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest
from sqlalchemy import create_engine, func, insert, select, text
from sqlalchemy.exc import IntegrityError

from pagemill.db.database import Database, Tx, Write
from pagemill.db.migrate import migrate
from pagemill.db.schema import documents, metadata
from pagemill.errors import ShuttingDown, StorageFull

INSERT = insert(documents)


@pytest.fixture
def rung() -> list[set[str]]:
    """What the database told after commits."""
    return []


@pytest.fixture
def db(tmp_path: Path, rung: list[set[str]]) -> Iterator[Database]:
    """A database with all tables."""
    database = Database(tmp_path / "test.db", lambda jobs: rung.append(set(jobs)))
    migrate(database.engine)
    yield database
    database.close()


def add(tx: Tx, document_id: str) -> str:
    """Insert a document."""
    row = {
        "id": document_id, "tenant": "default", "sha256": "s", "size_bytes": 1, "media_type": "m", "filename": "f",
        "blob_key": "k", "created_at": tx.now,
    }  # fmt: skip
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
    gate = threading.Event()
    held = db.submit(lambda tx: gate.wait(10))
    writes = [db.submit(lambda tx, n=n: add(tx, f"d{n}")) for n in range(10)]  # type: ignore[misc]
    doubled = db.submit(lambda tx: [add(tx, "half"), add(tx, "d3")])
    broken = db.submit(lambda tx: 1 // 0)
    after = db.submit(lambda tx: add(tx, "after"))
    gate.set()
    assert held.result(10)
    assert [write.result(10) for write in writes] == [f"d{n}" for n in range(10)]
    assert isinstance(doubled.exception(10), IntegrityError)
    assert isinstance(broken.exception(10), ZeroDivisionError)
    assert after.result(10) == "after"
    assert count(db) == 11


def test_the_writer_outlives_a_broken_transaction(db: Database) -> None:
    def roll_back(tx: Tx) -> None:
        tx.conn.exec_driver_sql("ROLLBACK")
        raise RuntimeError("the transaction is gone")

    assert db.submit(roll_back).exception(10) is not None
    assert db.write(lambda tx: add(tx, "still")) == "still"
    assert count(db) == 1


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


def test_a_closed_database_says_so(tmp_path: Path) -> None:
    database = Database(tmp_path / "closed.db")
    database.close()
    with pytest.raises(ShuttingDown):
        database.write(lambda tx: None)


def test_a_write_that_races_the_close_gets_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = Database(tmp_path / "race.db")
    closing = threading.Thread(target=database.close)

    def slowly(work: Callable[[Tx], object], future: Future[object]) -> Write:
        closing.start()
        closing.join(0.3)
        return Write(work, future)

    monkeypatch.setattr("pagemill.db.database.Write", slowly)
    future = database.submit(lambda tx: "done")
    closing.join()
    assert future.result(5) == "done"


def test_a_close_refuses_what_a_writer_that_ended_left_behind(tmp_path: Path) -> None:
    database = Database(tmp_path / "left.db")
    database._writes.put(None)
    database._thread.join()
    left = database.submit(lambda tx: None)
    database.close()
    assert isinstance(left.exception(5), ShuttingDown)


def test_a_full_disk_is_told_to_the_whole_group_that_it_undid(db: Database) -> None:
    db.write(lambda tx: add(tx, "first"))
    db.write(lambda tx: tx.conn.exec_driver_sql("PRAGMA max_page_count = 1").close())
    gate = threading.Event()
    db.submit(lambda tx: gate.wait(10))
    group = [db.submit(lambda tx: add(tx, "small")), db.submit(lambda tx: add(tx, "large" * 100_000))]
    gate.set()
    assert [type(write.exception(10)) for write in group] == [StorageFull, StorageFull]
    db.write(lambda tx: tx.conn.exec_driver_sql("PRAGMA max_page_count = 1000000").close())
    assert db.write(lambda tx: add(tx, "after")) == "after"
    assert count(db) == 2


def test_a_cancelled_write_is_not_run_and_harms_no_other(db: Database) -> None:
    gate = threading.Event()
    held = db.submit(lambda tx: gate.wait(10))
    cancelled = db.submit(lambda tx: add(tx, "cancelled"))
    after = db.submit(lambda tx: add(tx, "after"))
    assert cancelled.cancel()
    gate.set()
    assert held.result(10)
    assert after.result(10) == "after"
    assert count(db) == 1


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

    with db.engine.connect() as conn:
        assert compare_metadata(MigrationContext.configure(conn), metadata) == []


def test_the_migrations_make_the_indexes_word_for_word(db: Database) -> None:
    made = text("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
    engine = create_engine("sqlite://")
    with engine.begin() as conn:
        metadata.create_all(conn)
        wanted = conn.execute(made).all()
    engine.dispose()
    assert db.read(lambda conn: conn.execute(made).all()) == wanted


def test_a_database_that_is_up_to_date_is_left_alone(db: Database) -> None:
    db.write(lambda tx: add(tx, "kept"))
    migrate(db.engine)
    assert count(db) == 1
    assert db.read(lambda conn: conn.execute(text("PRAGMA journal_mode")).scalar_one()) == "wal"
