"""PostgreSQL: any number of processes write at once, each write a transaction in the thread of its caller.

What got in its way (a deadlock, a row that another was quicker to insert) is tried again at once. A database that
is away is detected quickly, reported as such, and asked again by one at a time until it is back.
"""

import logging
import random
import select
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import orjson
import psycopg
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError, OperationalError
from sqlalchemy.exc import TimeoutError as NoneFree

from pagemill.db.database import Database, OnCommit, Tx, ignore_commit
from pagemill.db.prepared_statements import execute
from pagemill.errors import DatabaseUnavailable, Refused, ShuttingDown, StorageFull

log = logging.getLogger("pagemill.db")
T = TypeVar("T")

ATTEMPTS = 8
MOST_PAUSE_SECONDS = 0.05
# Another write was in the way: a serialization failure, a deadlock, a row that was inserted or removed meanwhile.
IN_THE_WAY = frozenset({"40001", "40P01", "23505", "23503"})
DISK_FULL = "53100"
# A prepared statement is not there, or is there already: the process that prepared it had another connection of a pooler.
POOLED = frozenset({"26000", "42P05"})
# The server stops, starts, or lost patience with us; the last is said by one that now only follows another.
CUT = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03", "25006"})
# Somebody has taken rights or tables away, which they can give back; the statement is as good as before.
TAKEN_AWAY = frozenset({"42501", "42P01", "3F000"})
# What the server says of its own trouble: damaged pages, or what should not happen.
BROKEN = "XX"
THREADS = 8
CONNECTIONS = 16
# Requests have fewer threads than there are connections; the process that works can wait a little for one.
FREE_SECONDS = 5
RECYCLE_SECONDS = 1_800
# Measured again so often, so that clocks that drift or jump do no harm.
CLOCK_SECONDS = 20.0
CLOCK = text("SELECT extract(epoch FROM clock_timestamp())::float8")
# Our statements take milliseconds. A process that stops in mid-transaction must not hold up others for long, and a server
# that neither answers nor hangs up is given up a little later than it should have given up itself.
SESSION = {
    "statement_timeout": "6s",
    "idle_in_transaction_session_timeout": "8s",
    "default_transaction_isolation": r"read\ committed",
    "jit": "off",
    # To plan a statement takes longer than to run it, and the literals in ours leave nothing to be learnt from values.
    "plan_cache_mode": "force_generic_plan",
}
SILENT_SECONDS = 8.0
PREPARING = "prepare_threshold"
CONNECTING: dict[str, Any] = {
    "connect_timeout": 2,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 8_000,
    "application_name": "pagemill",
    "options": " ".join(f"-c {name}={value}" for name, value in SESSION.items()),
}


class PostgresDatabase(Database):
    """PostgreSQL at an address, written and read by any number of threads and processes."""

    def __init__(self, url: str, on_commit: OnCommit = ignore_commit, connections: int = CONNECTIONS) -> None:
        super().__init__(on_commit)
        self._engine = postgres_engine(url, connections)
        self.threads: ThreadPoolExecutor = ThreadPoolExecutor(THREADS, thread_name_prefix="pagemill-db")
        self._clock = Clock()
        self._presence = ServerAvailability()
        self._stopped = threading.Event()

    @property
    def engine(self) -> Engine:
        """The engine that migrations run on."""
        return self._engine

    def submit(self, work: Callable[[Tx], T]) -> "Future[T]":
        """Start a write in a thread; the future is done after its commit."""
        try:
            return self.threads.submit(self.write, work)
        except RuntimeError:
            refused: Future[T] = Future()
            refused.set_exception(ShuttingDown())
            return refused

    def write(self, work: Callable[[Tx], T]) -> T:
        """Run a write and return its answer after the commit; the work is run again if others were in its way."""
        return run_with_retries(lambda: self._write(work), is_write_retryable)

    def read(self, query: Callable[[Connection], T]) -> T:
        """Run a query; one whose connection breaks is run again on another."""
        return run_with_retries(lambda: self._read(query), is_read_retryable)

    def now(self, conn: Connection) -> float:
        """The time by the database's clock, measured now and then and counted on by our own."""
        return self._clock.now(conn)

    def scrub(self) -> None:
        """Nothing: the server's own vacuum and the rotation of its log see to that."""

    def close(self) -> None:
        """Finish the writes under way and close every connection."""
        self._stopped.set()
        self.threads.shutdown()
        self._engine.dispose()

    def _write(self, work: Callable[[Tx], T]) -> T:
        with self._connection() as conn:
            execute(conn, "execute", "BEGIN", None)
            tx = Tx(conn, self._clock.now(conn))
            answer = tx.run(work)
            commit(conn)
        self.on_commit(tx.touched)
        return answer

    def _read(self, query: Callable[[Connection], T]) -> T:
        with self._connection() as conn:
            return query(conn)

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        if self._stopped.is_set():
            raise ShuttingDown
        with self._presence.connect(self._engine) as conn:
            try:
                yield conn
            except DBAPIError as error:
                if is_connection_lost(error):
                    conn.invalidate(error)
                raise
            finally:
                if self._stopped.is_set():
                    # The pool was closed in the meantime, and would keep what is given back now.
                    conn.invalidate()


class Clock:
    """The database's clock: its distance from our steady one, measured now and then."""

    def __init__(self) -> None:
        self._ahead_seconds = 0.0
        self._measured_at = float("-inf")

    def now(self, conn: Connection) -> float:
        """The time; asks the database if it was not asked for a while."""
        if time.monotonic() - self._measured_at > CLOCK_SECONDS:
            before = time.monotonic()
            database_seconds: float = conn.execute(CLOCK).scalar_one()
            after = time.monotonic()
            # In this order: other threads take the distance for measured as soon as they see when it was.
            self._ahead_seconds = database_seconds - (before + after) / 2
            self._measured_at = after
        return time.monotonic() + self._ahead_seconds


class ServerAvailability:
    """Whether the database is there; while it is not, one caller at a time tries it, and the others are refused at once."""

    def __init__(self) -> None:
        self._away = False
        self._trying = threading.Lock()

    def connect(self, engine: Engine) -> Connection:
        """A connection; DatabaseUnavailable if the database is known to be away."""
        if not self._away:
            return self._try_connect(engine)
        if not self._trying.acquire(blocking=False):
            raise DatabaseUnavailable
        try:
            return self._try_connect(engine)
        finally:
            self._trying.release()

    def _try_connect(self, engine: Engine) -> Connection:
        try:
            conn = engine.connect()
        except NoneFree as error:
            raise DatabaseUnavailable("All connections to the database are in use.") from error
        except DBAPIError as error:
            if not self._away:
                log.warning("the database is away: %s", error.orig)
            self._away = True
            raise DatabaseUnavailable from error
        if self._away:
            log.warning("the database is back")
        self._away = False
        return conn


class Impatient(psycopg.Connection[Any]):
    """A connection that gives up on a server that neither answers nor hangs up."""

    def wait(
        self,
        gen: Any,
        interval: float = 0.1,
        timeout: float | None = None,  # the library's own name
    ) -> Any:
        """Wait for an answer; what comes after the time-out looks like the next answer, so nothing may follow."""
        try:
            return super().wait(gen, interval, timeout or SILENT_SECONDS)
        except psycopg.Error as error:
            if error.sqlstate is None:
                self.pgconn.finish()
            raise


def connection_options(address: URL) -> dict[str, Any]:
    """The options of a connection beside its address; the address wins. Behind PgBouncer it ends in prepare_threshold=none."""
    options = {name: value for name, value in CONNECTING.items() if name not in address.query}
    wanted = str(address.query.get(PREPARING, ""))
    return options | ({PREPARING: int(wanted) if wanted.isdigit() else None} if wanted else {})


def address_of(url: str) -> URL:
    """The address of a PostgreSQL database; Refused, without a word of it, if it is none."""
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        address = URL.create("none")
    if not address.drivername.startswith("postgres"):
        raise Refused(
            "PAGEMILL_DATABASE_URL is no address of PostgreSQL. Write it as postgresql://user:password@host/name; "
            "in the password, characters such as @ : / have to be percent-encoded."
        )
    return address.set(drivername="postgresql+psycopg")


def postgres_engine(url: str, connections: int) -> Engine:
    """An engine on a PostgreSQL address, with no more connections than given."""
    address = address_of(url)
    engine = create_engine(
        address.difference_update_query([PREPARING]),
        connect_args=connection_options(address),
        json_serializer=orjson.dumps,
        json_deserializer=orjson.loads,
        pool_size=connections,
        max_overflow=0,
        pool_timeout=FREE_SECONDS,
        pool_recycle=RECYCLE_SECONDS,
        pool_use_lifo=True,
        # To read, without a round trip of its own; a write begins and ends its transaction in so many words.
        isolation_level="AUTOCOMMIT",
    )

    @event.listens_for(engine, "do_connect")
    def connect(_dialect: object, _record: object, _given: object, named: dict[str, Any]) -> Impatient:
        return Impatient.connect(**named)

    @event.listens_for(engine, "checkout")
    def look(connection: psycopg.Connection[Any], _record: object, _proxy: object) -> None:
        # An idle connection that has something to read has been hung up on; a look costs less than a question.
        poll = select.poll()
        poll.register(connection.fileno(), select.POLLIN)
        if poll.poll(0):
            raise DisconnectionError

    return engine


def commit(conn: Connection) -> None:
    """Commit; DatabaseUnavailable if it is unknown whether it was, so that it is not simply done again."""
    try:
        execute(conn, "execute", "COMMIT", None)
    except DBAPIError as error:
        if is_connection_lost(error):
            conn.invalidate(error)
            raise DatabaseUnavailable from error
        raise


def run_with_retries(run: Callable[[], T], is_worth_it: Callable[[DBAPIError, int], bool]) -> T:
    """What a run returns, after as many as it takes; our own error when one more is not worth it."""
    attempt = 0
    while True:
        try:
            return run()
        except DBAPIError as error:
            if attempt == ATTEMPTS or not is_worth_it(error, attempt):
                raise refusal(error) from error
        attempt += 1
        time.sleep(random.uniform(0, MOST_PAUSE_SECONDS * attempt / ATTEMPTS))


def is_write_retryable(error: DBAPIError, attempt: int) -> bool:
    """Whether a write may go well if it is run once more."""
    return state_of(error) in IN_THE_WAY or is_read_retryable(error, attempt)


def is_read_retryable(error: DBAPIError, attempt: int) -> bool:
    """Whether the connection broke, which on another one need not happen."""
    return attempt == 0 and is_connection_lost(error)


def is_connection_lost(error: DBAPIError) -> bool:
    """Whether the connection is of no more use."""
    state = state_of(error)
    lost = state is None or state.startswith("08") or state in CUT
    return lost and isinstance(
        error.orig, psycopg.OperationalError | psycopg.InterfaceError | psycopg.InternalError
    )


def state_of(error: DBAPIError) -> str | None:
    """The code that PostgreSQL gave for what went wrong; None if it said nothing."""
    state: str | None = getattr(error.orig, "sqlstate", None)
    return state


def is_server_at_fault(error: DBAPIError) -> bool:
    """Whether the statement may succeed after the server is repaired."""
    state = state_of(error) or ""
    is_known = state in TAKEN_AWAY or state.startswith(BROKEN)
    return is_known or is_connection_lost(error) or isinstance(error, OperationalError)


def refusal(error: DBAPIError) -> Exception:
    """The error in our own words, if the database and not the statement is at fault."""
    if state_of(error) == DISK_FULL:
        return StorageFull()
    if state_of(error) in POOLED:
        log.error(
            "behind a pooler PAGEMILL_DATABASE_URL has to end in prepare_threshold=none: %s", error.orig
        )
        return DatabaseUnavailable()
    if is_server_at_fault(error):
        log.warning("database error: %s", error.orig)
        return DatabaseUnavailable()
    return error
