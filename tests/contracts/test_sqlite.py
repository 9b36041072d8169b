"""What SQLite does in its own way: group commits, and a writer that outlives everything."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from pagemill.db.database import Tx
from pagemill.db.schema import metadata
from pagemill.db.sqlite import SqliteDatabase, Write
from pagemill.errors import ShuttingDown, StorageFull
from tests.contracts.test_database import add, count


def held(db: SqliteDatabase) -> tuple[threading.Event, "Future[bool]"]:
    """A write under way, with what lets it go on: whatever is written after it waits together."""
    begun, gate = threading.Event(), threading.Event()

    def wait(_: Tx) -> bool:
        begun.set()
        return gate.wait(10)

    write = db.submit(wait)
    assert begun.wait(10)
    return gate, write


def test_the_writer_outlives_a_broken_transaction(sqlite_db: SqliteDatabase) -> None:
    def roll_back(tx: Tx) -> None:
        tx.conn.exec_driver_sql("ROLLBACK")
        raise RuntimeError("the transaction is gone")

    assert sqlite_db.submit(roll_back).exception(10) is not None
    assert sqlite_db.write(lambda tx: add(tx, "still")) == "still"
    assert count(sqlite_db) == 1


def test_a_write_that_races_the_close_gets_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = SqliteDatabase(tmp_path / "race.db")
    closing, here = threading.Thread(target=database.close), threading.current_thread()

    def slowly(work: Callable[[Tx], object], future: Future[object]) -> Write:
        # Mills that other tests share write from threads of their own.
        if threading.current_thread() is here:
            closing.start()
            closing.join(0.3)
        return Write(work, future)

    monkeypatch.setattr("pagemill.db.sqlite.Write", slowly)
    future = database.submit(lambda tx: "done")
    closing.join()
    assert future.result(5) == "done"


def test_a_close_refuses_what_a_writer_that_ended_left_behind(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "left.db")
    database._writes.put(None)
    database._thread.join()
    left = database.submit(lambda tx: None)
    database.close()
    assert isinstance(left.exception(5), ShuttingDown)


def test_a_full_disk_is_told_to_the_whole_group_that_it_undid(sqlite_db: SqliteDatabase) -> None:
    sqlite_db.write(lambda tx: add(tx, "first"))
    sqlite_db.write(lambda tx: tx.conn.exec_driver_sql("PRAGMA max_page_count = 1").close())
    gate, _ = held(sqlite_db)
    group = [
        sqlite_db.submit(lambda tx: add(tx, "small")),
        sqlite_db.submit(lambda tx: add(tx, "large" * 100_000)),
    ]
    gate.set()
    assert [type(write.exception(10)) for write in group] == [StorageFull, StorageFull]
    sqlite_db.write(lambda tx: tx.conn.exec_driver_sql("PRAGMA max_page_count = 1000000").close())
    assert sqlite_db.write(lambda tx: add(tx, "after")) == "after"
    assert count(sqlite_db) == 2


def test_a_cancelled_write_is_not_run_and_harms_no_other(sqlite_db: SqliteDatabase) -> None:
    gate, first = held(sqlite_db)
    cancelled = sqlite_db.submit(lambda tx: add(tx, "cancelled"))
    after = sqlite_db.submit(lambda tx: add(tx, "after"))
    assert cancelled.cancel()
    gate.set()
    assert first.result(10)
    assert after.result(10) == "after"
    assert count(sqlite_db) == 1


def test_the_migrations_make_the_indexes_word_for_word(sqlite_db: SqliteDatabase) -> None:
    made = text("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
    engine = create_engine("sqlite://")
    with engine.begin() as conn:
        metadata.create_all(conn)
        wanted = conn.execute(made).all()
    engine.dispose()
    assert sqlite_db.read(lambda conn: conn.execute(made).all()) == wanted


def test_readers_do_not_wait_for_the_writer(sqlite_db: SqliteDatabase) -> None:
    assert sqlite_db.read(lambda conn: conn.execute(text("PRAGMA journal_mode")).scalar_one()) == "wal"
