"""What PostgreSQL does in its own way: restarts and outages, writes that get in each other's way, and its clock."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

import psutil
import psycopg
import pytest
from sqlalchemy import Connection, func, select, text

from pagemill.db import chunks, events
from pagemill.db import postgres as twin
from pagemill.db.database import Tx
from pagemill.db.events import LogPosition
from pagemill.db.fairness import Turns
from pagemill.db.migrate import check, migrate, settle_log
from pagemill.db.postgres import PostgresDatabase
from pagemill.db.schema import metadata
from pagemill.db.search_tables import OF_ONE_DATABASE
from pagemill.desk.usage import has_news
from pagemill.errors import DatabaseUnavailable, Refused
from pagemill.model.events import EventRow, EventType
from pagemill.model.states import Lane
from pagemill.model.work import Claim
from tests.cluster import postgres
from tests.cluster.postgres import Postgres
from tests.contracts.test_claims import PLAN, job
from tests.contracts.test_database import add, count
from tests.contracts.test_many_at_once import at_once
from tests.waiting import wait_for

QUICKLY_SECONDS = 2.5
BACKEND = select(func.pg_backend_pid())


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    """A server that may be stopped."""
    with postgres.running(tmp_path_factory.mktemp("own")) as server:
        yield server


@pytest.fixture
def shaky(own_server: Postgres) -> Iterator[PostgresDatabase]:
    """A database on that server, with connections that are open."""
    database = PostgresDatabase(own_server.new_database())
    migrate(database.engine)
    at_once([lambda: count(database)] * 4)
    yield database
    database.close()


def refused_within_seconds(database: PostgresDatabase) -> float:
    """How long it takes to say that the database is away."""
    began = time.monotonic()
    with pytest.raises(DatabaseUnavailable):
        database.write(lambda tx: add(tx, "lost"))
    return time.monotonic() - began


def test_a_restart_between_writes_is_not_noticed(own_server: Postgres, shaky: PostgresDatabase) -> None:
    shaky.write(lambda tx: add(tx, "before"))
    own_server.kill()
    own_server.start()
    assert at_once([lambda: count(shaky)] * 4) == [1] * 4
    assert shaky.write(lambda tx: add(tx, "after")) == "after"


def test_a_write_that_a_restart_cuts_off_is_run_again(own_server: Postgres, shaky: PostgresDatabase) -> None:
    tries: list[float] = []

    def cut_off(tx: Tx) -> str:
        tries.append(tx.now)
        if len(tries) == 1:
            own_server.kill()
            own_server.start()
        return add(tx, "kept")

    assert shaky.write(cut_off) == "kept"
    assert (len(tries), count(shaky)) == (2, 1)


def test_a_database_that_is_away_is_told_quickly_and_found_again(
    own_server: Postgres, shaky: PostgresDatabase
) -> None:
    own_server.kill()
    try:
        assert at_once([lambda: refused_within_seconds(shaky) < QUICKLY_SECONDS] * 6) == [True] * 6
        with pytest.raises(DatabaseUnavailable):
            count(shaky)
    finally:
        own_server.start()
    assert shaky.write(lambda tx: add(tx, "back")) == "back"


def test_a_server_that_stands_still_is_given_up(
    own_server: Postgres, shaky: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(twin, "SILENT_SECONDS", 0.5)
    own_server.pause()
    try:
        assert refused_within_seconds(shaky) < QUICKLY_SECONDS + 1
    finally:
        own_server.resume()
    monkeypatch.undo()
    assert shaky.write(lambda tx: add(tx, "back")) == "back"


def test_a_commit_of_which_nobody_knows_is_not_run_again(
    shaky: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(twin, "SILENT_SECONDS", 0.5)
    tries: list[int] = []

    def stop_before_commit(tx: Tx) -> None:
        pid = tx.conn.execute(BACKEND).scalar_one()
        tries.append(pid)
        psutil.Process(pid).send_signal(signal.SIGSTOP)

    try:
        with pytest.raises(DatabaseUnavailable):
            shaky.write(stop_before_commit)
    finally:
        for pid in tries:
            psutil.Process(pid).send_signal(signal.SIGCONT)
    assert len(tries) == 1


def test_a_claim_of_which_nobody_knows_is_let_go(
    shaky: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    shaky.write(lambda tx: job(tx, "a", [PLAN]))
    tried: list[Claim] = []
    backends: list[psutil.Process] = []

    def claim(tx: Tx) -> None:
        tried[:] = chunks.claim(tx, "worker", (Lane.FAST,), 1, Turns())
        backends.append(psutil.Process(tx.conn.execute(BACKEND).scalar_one()))
        backends[0].suspend()

    monkeypatch.setattr(twin, "SILENT_SECONDS", 0.5)
    with pytest.raises(DatabaseUnavailable):
        shaky.write(claim)
    monkeypatch.undo()
    # It goes on with the commit that it was sent before we left.
    backends[0].resume()
    wait_for(lambda: shaky.read(lambda conn: chunks.running_claim_keys(conn, "worker")) == {tried[0].key})
    shaky.write(lambda tx: chunks.release_claims(tx, "worker", [replace(tried[0], claimed_at=1.0)]))
    assert shaky.read(lambda conn: chunks.running_claim_keys(conn, "worker")) == {tried[0].key}
    shaky.write(lambda tx: chunks.release_claims(tx, "worker", tried))
    assert shaky.write(lambda tx: chunks.claim(tx, "worker", (Lane.FAST,), 1, Turns()))[0].fence == 2


def test_a_read_under_way_at_the_close_leaves_no_connection(postgres_url: str) -> None:
    database, begun, closed = PostgresDatabase(postgres_url), threading.Event(), threading.Event()

    def read(conn: Connection) -> int:
        own = conn.scalar(text("SELECT pg_backend_pid()"))
        begun.set()
        closed.wait(10)
        return int(own or 0)

    found: list[int] = []
    reader = threading.Thread(target=lambda: found.append(database.read(read)))
    reader.start()
    assert begun.wait(10)
    database.close()
    closed.set()
    reader.join(10)
    with psycopg.connect(postgres_url, autocommit=True) as watching:

        def is_gone() -> bool:
            asked = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s"
            return watching.execute(asked, found).fetchone() == (0,)

        wait_for(is_gone, seconds=10)


def test_a_connection_that_was_ended_is_replaced(postgres_url: str, postgres_db: PostgresDatabase) -> None:
    pid = postgres_db.read(lambda conn: conn.execute(BACKEND).scalar_one())
    with psycopg.connect(postgres_url) as other:
        other.execute("SELECT pg_terminate_backend(%s, 10000)", [pid])
    assert postgres_db.write(lambda tx: add(tx, "on")) == "on"
    assert postgres_db.read(lambda conn: conn.execute(BACKEND).scalar_one()) != pid


def test_a_pooler_that_forgets_prepared_statements_is_told_as_an_outage_with_what_helps(
    postgres_db: PostgresDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(DatabaseUnavailable):
        postgres_db.read(lambda conn: conn.execute(text("EXECUTE prepared_elsewhere")))
    assert "prepare_threshold=none" in caplog.text


def test_whoever_loses_a_race_finds_what_the_winner_wrote(postgres_db: PostgresDatabase) -> None:
    def add_or_find(tx: Tx) -> str:
        if tx.conn.execute(text("SELECT id FROM documents WHERE id = 'one'")).first():
            return "found"
        time.sleep(0.02)
        add(tx, "one")
        return "added"

    answers = at_once([lambda: postgres_db.write(add_or_find)] * 8)
    assert sorted(answers) == ["added"] + ["found"] * 7


def test_writes_that_wait_for_each_other_both_come_through(postgres_db: PostgresDatabase) -> None:
    for name in ("one", "two"):
        postgres_db.write(lambda tx, name=name: add(tx, name))  # type: ignore[misc]
    update = text("UPDATE documents SET size_bytes = size_bytes + 1 WHERE id = :id")
    met = threading.Barrier(2)

    def both(first: str, second: str) -> None:
        def write(tx: Tx) -> None:
            tx.conn.execute(update, {"id": first})
            # Only the first time, before one of them is broken off and begins again.
            with suppress(threading.BrokenBarrierError):
                met.wait(0.5)
            tx.conn.execute(update, {"id": second})

        postgres_db.write(write)

    at_once([lambda: both("one", "two"), lambda: both("two", "one")])
    sizes = postgres_db.read(lambda conn: conn.scalars(text("SELECT size_bytes FROM documents")).all())
    assert sizes == [3, 3]


def test_a_lock_is_held_by_one_at_a_time(postgres_db: PostgresDatabase) -> None:
    inside: list[int] = []

    def alone(tx: Tx) -> int:
        tx.lock("of this test")
        inside.append(1)
        time.sleep(0.01)
        present = len(inside)
        inside.pop()
        return present

    assert at_once([lambda: postgres_db.write(alone)] * 6) == [1] * 6


def test_time_is_the_databases(postgres_db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 0.0)
    asked = text("SELECT extract(epoch FROM clock_timestamp())::float8")
    told = postgres_db.write(lambda tx: (tx.now, tx.conn.execute(asked).scalar_one()))
    # Ours stands at zero, which is decades ago.
    assert abs(told[0] - told[1]) < 60


def test_processes_that_start_together_migrate_once(postgres_server: Postgres) -> None:
    database = PostgresDatabase(postgres_server.new_database())
    at_once([lambda: migrate(database.engine)] * 4)
    assert count(database) == 0
    check(database.engine)
    database.close()


def test_the_migrations_make_the_indexes_of_the_schema(
    postgres_server: Postgres, postgres_db: PostgresDatabase
) -> None:
    made = text(
        "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> :not"
    )
    plain = PostgresDatabase(postgres_server.new_database())
    with plain.engine.begin() as conn:
        metadata.create_all(conn)

    def indexes(database: PostgresDatabase) -> dict[str, str]:
        found = database.read(lambda conn: conn.execute(made, {"not": "alembic_version"}).all())
        shared = [row for row in found if row.indexname not in OF_ONE_DATABASE]
        return {row.indexname: row.indexdef for row in shared}

    assert indexes(postgres_db) == indexes(plain)
    plain.close()


def test_tables_of_a_later_version_are_left_alone_and_those_of_an_earlier_one_refused(
    postgres_db: PostgresDatabase,
) -> None:
    version = text("UPDATE alembic_version SET version_num = :version")
    postgres_db.write(lambda tx: tx.conn.execute(version, {"version": "9999"}).close())
    assert migrate(postgres_db.engine) == "9999"
    check(postgres_db.engine)
    postgres_db.write(lambda tx: tx.conn.execute(version, {"version": "0001"}).close())
    with pytest.raises(Refused, match="pagemill admin migrate"):
        check(postgres_db.engine)


def test_a_user_who_may_not_change_tables_is_told_who_has_to_migrate(own_server: Postgres) -> None:
    with psycopg.connect(own_server.url, autocommit=True) as connection:
        connection.execute("CREATE ROLE guest LOGIN")
    database = PostgresDatabase(own_server.new_database().replace("postgres@", "guest@"))
    with pytest.raises(Refused, match="pagemill admin migrate"):
        migrate(database.engine)
    database.close()


def test_a_database_that_does_not_answer_at_the_start_is_named_without_its_password() -> None:
    database = PostgresDatabase("postgresql://mill:secret@127.0.0.1:1/pages")
    with pytest.raises(DatabaseUnavailable) as refused:
        migrate(database.engine)
    database.close()
    assert "127.0.0.1:1/pages" in refused.value.message
    assert "secret" not in refused.value.message


def test_the_log_of_a_restored_dump_is_read_on(postgres_db: PostgresDatabase) -> None:
    def lines(after: LogPosition) -> list[EventRow]:
        return postgres_db.read(lambda conn: events.of_tenant(conn, "a", after, 9))

    postgres_db.write(lambda tx: events.append(tx, "a", "old", 1, EventType.ACCEPTED))
    ahead = text("UPDATE events SET xid = 9000000000")
    postgres_db.write(lambda tx: tx.conn.execute(ahead).close())
    told = LogPosition(
        9_000_000_000, postgres_db.read(lambda conn: conn.scalar(text("SELECT max(id) FROM events")))
    )
    assert lines(LogPosition()) == []
    settle_log(postgres_db.engine)
    postgres_db.write(lambda tx: events.append(tx, "a", "new", 1, EventType.ACCEPTED))
    settle_log(postgres_db.engine)
    assert [line.job_id for line in lines(LogPosition())] == ["old", "new"]
    [new] = lines(told)
    assert (new.job_id, lines(LogPosition(new.xid, new.id))) == ("new", [])


def test_a_long_transaction_holds_up_the_log_of_its_own_database_only(
    own_server: Postgres, shaky: PostgresDatabase
) -> None:
    def told() -> list[str | None]:
        return [
            line.job_id for line in shaky.read(lambda conn: events.of_tenant(conn, "a", LogPosition(), 9))
        ]

    url = shaky.engine.url.render_as_string(hide_password=False).replace("+psycopg", "")
    with psycopg.connect(own_server.new_database()) as other, psycopg.connect(url) as own:
        other.execute("CREATE TABLE written (number int)")
        shaky.write(lambda tx: events.append(tx, "a", "first", 1, EventType.ACCEPTED))
        assert told() == ["first"]
        own.execute("CREATE TEMPORARY TABLE written (number int)")
        shaky.write(lambda tx: events.append(tx, "a", "second", 1, EventType.ACCEPTED))
        assert told() == ["first"]
        assert shaky.read(events.longest_hold_seconds) > 0
        own.rollback()
        assert told() == ["first", "second"]
        assert shaky.read(events.longest_hold_seconds) == 0


def test_lines_that_are_added_up_wait_for_what_the_former_version_waits_for(
    own_server: Postgres, shaky: PostgresDatabase
) -> None:
    def seen(read: Callable[[Connection, LogPosition, int], list[EventRow]]) -> int:
        return len(shaky.read(lambda conn: read(conn, LogPosition(), 9)))

    with psycopg.connect(own_server.new_database()) as other:
        other.execute("CREATE TABLE written (number int)")
        shaky.write(lambda tx: events.append(tx, "a", "first", 1, EventType.ACCEPTED))
        assert (seen(events.of_everyone), seen(events.of_everyone_for_both)) == (1, 0)
        assert not shaky.read(has_news)
        other.rollback()
        assert seen(events.of_everyone_for_both) == 1
        assert shaky.read(has_news)


@pytest.mark.parametrize(
    "url", ["secret", "postgresql://mill:se@cret:x/y@host/pages", "mysql://mill:secret@host/pages"]
)
def test_an_address_that_is_none_is_refused_without_telling_it(url: str) -> None:
    with pytest.raises(Refused) as refused:
        PostgresDatabase(url)
    assert "cret" not in refused.value.message
    assert refused.value.__cause__ is refused.value.__context__ is None
