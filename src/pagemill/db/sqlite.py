"""SQLite: one writer thread that gathers waiting writes into one commit, and a reading connection per thread.

Each write has a savepoint of its own, so one that fails takes nothing else with it, and the thread outlives every
exception.
"""

import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import orjson
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import QueuePool

from pagemill.db.database import Database, OnCommit, Tx, ignore_commit
from pagemill.db.prepared_statements import execute
from pagemill.errors import DatabaseUnavailable, ShuttingDown, StorageFull

log = logging.getLogger("pagemill.db")
T = TypeVar("T")
GROUP = 64
BUSY_SECONDS = 15
SCRUB_MILLISECONDS = 500
# A statement does so much in about a millisecond.
LOOK_INSTRUCTIONS = 10_000


@dataclass(slots=True)
class Write:
    """A write that waits for its turn."""

    work: Callable[[Tx], object]
    future: "Future[object]"


class SqliteDatabase(Database):
    """SQLite in a file, written by one thread and read by any."""

    def __init__(self, path: Path, on_commit: OnCommit = ignore_commit) -> None:
        super().__init__(on_commit)
        self._writes: queue.SimpleQueue[Write | None] = queue.SimpleQueue()
        self._engine = writing_engine(path)
        self._readers = sqlite_engine(path)
        self._kept: Connection | None = None
        self._local = threading.local()
        self._open_readers: list[Connection] = []
        self._stopped = False
        self._end_lock = threading.Lock()
        self._thread = threading.Thread(target=self._write_forever, name="pagemill-writer", daemon=True)
        self._thread.start()

    @property
    def engine(self) -> Engine:
        """The engine that migrations run on."""
        return self._engine

    def submit(self, work: Callable[[Tx], T]) -> "Future[T]":
        """Queue a write; the future is done after its commit."""
        future: Future[T] = Future()
        # Together under the lock, so that no write is put behind the end of the queue.
        with self._end_lock:
            if self._stopped:
                future.set_exception(ShuttingDown())
            else:
                self._writes.put(Write(work, future))  # type: ignore[arg-type]
        return future

    def write(self, work: Callable[[Tx], T]) -> T:
        """Run a write and return its answer after the commit."""
        return self.submit(work).result()

    def read(self, query: Callable[[Connection], T]) -> T:
        """Run a query on this thread's own connection."""
        try:
            return query(self._reader())
        except OperationalError as error:
            raise refusal(error) from error

    def read_while(self, has_time: Callable[[], bool], query: Callable[[Connection], T]) -> T:
        """As `read`; SQLite asks again and again whether there is time left."""
        driver = self._reader().connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        driver.set_progress_handler(lambda: not has_time(), LOOK_INSTRUCTIONS)
        try:
            return self.read(query)
        finally:
            driver.set_progress_handler(None, 0)

    def now(self, conn: Connection) -> float:
        """The time by the database's clock; with SQLite that is this machine's."""
        return time.time()

    def scrub(self) -> None:
        """Copy the write-ahead log into the database and empty it: old values are in the log until then.

        Skipped while a reader is active.
        """
        with self._readers.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
            conn.exec_driver_sql(f"PRAGMA busy_timeout={SCRUB_MILLISECONDS}")
            conn.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            conn.exec_driver_sql(f"PRAGMA busy_timeout={BUSY_SECONDS * 1_000}")

    def close(self) -> None:
        """Finish the waiting writes and close every connection."""
        with self._end_lock:
            self._stopped = True
            self._writes.put(None)
        self._thread.join()
        self._refuse_the_rest()
        for reader in self._open_readers:
            reader.close()
        self._engine.dispose()
        self._readers.dispose()

    def _reader(self) -> Connection:
        conn: Connection | None = getattr(self._local, "conn", None)
        if conn is None or conn.invalidated:
            conn = self._readers.connect().execution_options(isolation_level="AUTOCOMMIT")
            self._local.conn = conn
            self._open_readers.append(conn)
        return conn

    def _write_forever(self) -> None:
        while (writes := self._next_group()) is not None:
            # From here on a write can't be cancelled, so each of them can be given its answer.
            group = [write for write in writes if write.future.set_running_or_notify_cancel()]
            try:
                self._commit(self._writer(), group)
            except Exception as error:  # the writer must outlive anything; the callers get the error
                log.warning("a group of %d writes failed: %s", len(group), error)
                fail_writes(group, error)
                self._leave_writer()
        self._leave_writer()

    def _writer(self) -> Connection:
        """The connection that writes, kept because taking one for each group costs as much as a write."""
        if self._kept is None:
            self._kept = self._engine.connect()
        return self._kept

    def _leave_writer(self) -> None:
        """Have the next group start with a new connection, whatever state this one is in."""
        left, self._kept = self._kept, None
        if left is not None:
            left.invalidate()
            left.close()

    def _refuse_the_rest(self) -> None:
        while not self._writes.empty():
            write = self._writes.get()
            if write is not None:
                fail_writes([write], ShuttingDown())

    def _next_group(self) -> list[Write] | None:
        first = self._writes.get()
        if first is None:
            return None
        group = [first]
        while len(group) < GROUP and not self._writes.empty():
            write = self._writes.get()
            if write is None:
                self._writes.put(None)
                break
            group.append(write)
        return group

    def _commit(self, conn: Connection, group: list[Write]) -> None:
        if len(group) == 1:
            self._commit_one(conn, group[0])
        elif group:
            self._commit_together(conn, group)

    def _commit_one(self, conn: Connection, write: Write) -> None:
        with conn.begin() as transaction:
            tx = Tx(conn, time.time())
            try:
                answer = tx.run(write.work)
            except Exception as error:
                if has_rolled_back(conn):
                    raise
                transaction.rollback()
                fail_writes([write], error)
                return
        write.future.set_result(answer)
        self.on_commit(tx.touched)

    def _commit_together(self, conn: Connection, group: list[Write]) -> None:
        answers: list[tuple[Write, object]] = []
        touched: set[str] = set()
        with conn.begin():
            for write in group:
                tx = Tx(conn, time.time())
                execute(conn, "execute", "SAVEPOINT one")
                try:
                    answers.append((write, tx.run(write.work)))
                    touched |= tx.touched
                except Exception as error:
                    if has_rolled_back(conn):
                        raise
                    execute(conn, "execute", "ROLLBACK TO one")
                    fail_writes([write], error)
                execute(conn, "execute", "RELEASE one")
        for write, answer in answers:
            write.future.set_result(answer)
        self.on_commit(touched)


def has_rolled_back(conn: Connection) -> bool:
    """Whether SQLite has ended the transaction by itself, as it does when the disk is full; the whole group is gone."""
    driver = conn.connection.driver_connection
    return isinstance(driver, sqlite3.Connection) and not driver.in_transaction


def fail_writes(group: list[Write], error: Exception) -> None:
    """Give the error to every write of the group that has no answer yet."""
    reason = refusal(error) if isinstance(error, DBAPIError) else error
    for write in group:
        if not write.future.done():
            write.future.set_exception(reason)


def refusal(error: DBAPIError) -> Exception:
    """The error in our own words, if the database and not the statement is at fault."""
    message = str(error.orig).lower()
    if "full" in message:
        return StorageFull()
    if isinstance(error, OperationalError):
        return DatabaseUnavailable(f"The database does not answer: {message}.")
    return error


def writing_engine(path: Path) -> Engine:
    """An engine whose transactions take the write lock at once; taken later, it may be refused without waiting."""
    engine = sqlite_engine(path)

    @event.listens_for(engine, "begin")
    def start(conn: Connection) -> None:
        execute(conn, "execute", "BEGIN IMMEDIATE")

    return engine


def sqlite_engine(path: Path) -> Engine:
    """An engine on a SQLite file; outside of transactions every statement sees the newest state."""
    engine = create_engine(
        f"sqlite:///{path}",
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
        json_serializer=lambda value: orjson.dumps(value).decode(),
        json_deserializer=orjson.loads,
        poolclass=QueuePool,
        max_overflow=-1,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            "cache_size=-16000",
            "wal_autocheckpoint=4000",
            "temp_store=MEMORY",
            # What is deleted is overwritten, not only forgotten.
            "secure_delete=ON",
        ):
            connection.execute(f"PRAGMA {pragma}").close()

    return engine
