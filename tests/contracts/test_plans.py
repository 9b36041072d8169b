"""How the databases find what is asked often: by an index that holds no more rows than are wanted."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection, event, text

from bench import claims
from pagemill.db import chunks, cleanup, events, fairness, job_lists, jobs, results
from pagemill.db.database import Tx
from pagemill.db.postgres import PostgresDatabase
from pagemill.db.prepared_statements import PreparedStatement
from pagemill.db.sqlite import SqliteDatabase


def explained(conn: Connection, sql: str, values: Any) -> str:
    """The plan of a sentence, one step per line."""
    cursor = conn.connection.cursor()
    cursor.execute(f"EXPLAIN QUERY PLAN {sql}", values)
    return "\n".join(row[3] for row in cursor.fetchall())


def plan(sqlite_db: SqliteDatabase, ask: Callable[[Tx], object]) -> str:
    """The plans of everything that a write executes."""
    heard: list[tuple[str, Any]] = []

    def listen(_conn: Connection, _cursor: object, sql: str, values: Any, *_rest: object) -> None:
        if not sql.startswith(("BEGIN", "SAVEPOINT", "RELEASE")):
            heard.append((sql, values))

    event.listen(sqlite_db.engine, "before_cursor_execute", listen)
    sqlite_db.write(ask)
    event.remove(sqlite_db.engine, "before_cursor_execute", listen)
    return sqlite_db.read(lambda conn: "\n".join(explained(conn, sql, values) for sql, values in heard))


def quick_plan(sqlite_db: SqliteDatabase, sentence: PreparedStatement) -> str:
    """The plan of a quick sentence with its values still open."""

    def ask(conn: Connection) -> str:
        compiled = sentence._for(conn.dialect)
        return explained(conn, compiled.sql, [None] * len(compiled.binds))

    return sqlite_db.read(ask)


@pytest.mark.parametrize(
    ("ask", "index"),
    [
        (lambda tx: cleanup.expired_jobs(tx.conn, tx.now, 9), "ix_jobs_expires_at (expires_at<?)"),
        (lambda tx: cleanup.removed_jobs_with_files(tx.conn, 9), "ix_jobs_unswept"),
        (lambda tx: cleanup.forget_tombstones(tx, tx.now, 9), "ix_jobs_swept (removed_at<?)"),
        (lambda tx: events.delete_older(tx, tx.now, 9), "ix_events_at (at<?)"),
    ],
    ids=["expired", "unswept", "tombstones", "events"],
)
def test_the_sweeper_looks_only_at_what_it_wants(
    sqlite_db: SqliteDatabase, ask: Callable[[Tx], object], index: str
) -> None:
    found = plan(sqlite_db, ask)
    assert index in found
    assert "SCAN jobs\n" not in f"{found}\n"
    assert "SCAN events\n" not in f"{found}\n"


@pytest.mark.parametrize(
    ("index", "condition"),
    [
        ("ix_jobs_tenant_id", "removed_at IS NULL"),
        ("ix_jobs_expires_at", "removed_at IS NULL"),
        ("ix_jobs_unswept", "removed_at IS NOT NULL AND NOT swept"),
        ("ix_jobs_swept", "swept"),
    ],
)
def test_an_index_does_not_grow_with_jobs_that_nobody_looks_for(
    sqlite_db: SqliteDatabase, index: str, condition: str
) -> None:
    made = text("SELECT sql FROM sqlite_master WHERE name = :name")
    sql: str = sqlite_db.read(lambda conn: conn.execute(made, {"name": index}).scalar_one())
    assert sql.endswith(f" WHERE {condition}")


def test_what_a_removed_job_leaves_behind_is_found_without_a_scan(sqlite_db: SqliteDatabase) -> None:
    found = plan(sqlite_db, lambda tx: cleanup.own_results(tx.conn, "default", "0" * 36, ""))
    assert "ix_results_prefix (prefix>? AND prefix<?)" in found
    assert "SCAN" not in found


@pytest.mark.parametrize("sentence", [fairness.OF_IDLE_JOBS, fairness.TENANT_WAITING])
def test_a_claim_finds_ready_chunks_by_their_index(
    sqlite_db: SqliteDatabase, sentence: PreparedStatement
) -> None:
    found = quick_plan(sqlite_db, sentence)
    assert "ix_chunks_ready (lane=? AND tenant" in found
    assert "ORDER BY" not in found


ONE_NEED = "UPDATE chunks SET needs = 'chain liteparse'"
ONE_JOB = "UPDATE chunks SET job_id = (SELECT min(id) FROM jobs)"


@pytest.mark.parametrize("change", [ONE_NEED, ONE_JOB], ids=["one need", "one job"])
def test_postgres_claims_from_the_index_when_all_that_waits_is_alike(
    postgres_db: PostgresDatabase, change: str
) -> None:
    claims.fill(postgres_db, tenants=1, running=0, count=5_000)
    with postgres_db.engine.connect() as conn:
        conn.execute(text(change))
        conn.execute(text("ANALYZE chunks"))
        compiled = fairness.OF_IDLE_JOBS_OF_TENANTS._for(conn.dialect)
        # A value that is not known yet, as the server plans for all prepared statements here.
        sql = compiled.sql % {name: f"${number}" for number, (name, _, _) in enumerate(compiled.binds, 1)}
        found = "\n".join(line for (line,) in conn.exec_driver_sql(f"EXPLAIN (GENERIC_PLAN) {sql}"))
    assert "Index Scan using ix_chunks_ready" in found, found
    assert "Sort" not in found


@pytest.mark.parametrize("sentence", [fairness.RUNNING_OF_TENANT, chunks.RUNNING_OF])
def test_a_claim_finds_running_chunks_by_their_index(
    sqlite_db: SqliteDatabase, sentence: PreparedStatement
) -> None:
    assert "ix_chunks_running" in quick_plan(sqlite_db, sentence)


@pytest.mark.parametrize(
    ("status", "before", "index"),
    [
        (None, None, "ix_jobs_tenant_id (tenant=?)"),
        (None, "id", "ix_jobs_tenant_id (tenant=? AND id<?)"),
        ("failed", None, "ix_jobs_tenant_status (tenant=? AND status=? AND removed_at=?)"),
        ("failed", "id", "ix_jobs_tenant_status (tenant=? AND status=? AND removed_at=? AND id<?)"),
    ],
)
def test_the_list_of_jobs_is_read_in_order_and_without_removed_ones(
    sqlite_db: SqliteDatabase, status: str | None, before: str | None, index: str
) -> None:
    found = plan(
        sqlite_db, lambda tx: job_lists.page_of_jobs(tx.conn, "a", status=status, before=before, limit=9)
    )
    assert index in found
    assert "ORDER BY" not in found


def test_active_jobs_are_counted_by_their_index(sqlite_db: SqliteDatabase) -> None:
    found = plan(sqlite_db, lambda tx: jobs.active_count(tx.conn, "a", 9))
    assert "ix_jobs_tenant_status (tenant=? AND status=?)" in found


def test_a_result_to_reuse_is_found_by_its_index(sqlite_db: SqliteDatabase) -> None:
    assert "ix_results_reusable (tenant=? AND fingerprint=?)" in quick_plan(sqlite_db, results.REUSABLE)


@pytest.mark.parametrize("kinds", [["job.failed"], ["job.failed", "job.completed"]])
def test_events_of_some_kinds_are_read_in_order_from_their_index(
    sqlite_db: SqliteDatabase, kinds: list[str]
) -> None:
    found = plan(sqlite_db, lambda tx: events.of_tenant(tx.conn, "a", events.LogPosition(), 9, kinds))
    assert found.count("ix_events_tenant_type_xid (tenant=? AND type=? AND xid=? AND id>?)") == len(kinds)
