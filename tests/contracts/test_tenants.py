"""What belongs to one tenant can't be seen or changed by another who knows its id."""

from dataclasses import replace

from pagemill.db import chunks, jobs, results
from pagemill.db.database import Database
from pagemill.model.events import EventType
from pagemill.model.states import ChunkState, Status
from tests.contracts.test_claims import PLAN, book, job, take
from tests.contracts.test_remains import TENANT, finished, reusable


def test_a_stranger_finds_no_job(db: Database) -> None:
    job_id = db.write(lambda tx: job(tx, "a", [PLAN]))
    assert db.read(lambda conn: jobs.find_job(conn, "b", job_id)) is None
    assert db.read(lambda conn: jobs.job_snapshot(conn, "b", job_id)) is None
    assert db.write(lambda tx: jobs.lock_job(tx, "b", job_id)) is None


def test_jobs_that_are_looked_at_together_are_found_by_their_own_tenants_alone(db: Database) -> None:
    of_a, of_b = (db.write(lambda tx, tenant=tenant: job(tx, tenant, [PLAN])) for tenant in "ab")  # type: ignore[misc]
    asked = [("a", of_a), ("b", of_b), ("b", of_a), ("c", of_b)]
    together = db.read(lambda conn: jobs.job_snapshots(conn, asked))
    assert set(together) == {("a", of_a), ("b", of_b)}
    assert together["a", of_a] == db.read(lambda conn: jobs.job_snapshot(conn, "a", of_a))


def test_a_stranger_moves_and_removes_nothing(db: Database) -> None:
    job_id = db.write(lambda tx: job(tx, "a", [PLAN]))
    moved = db.write(lambda tx: jobs.move(tx, "b", job_id, Status.CANCELLED, EventType.CANCELLED))
    db.write(lambda tx: jobs.mark_removed(tx, "b", job_id))
    found = db.read(lambda conn: jobs.find_job(conn, "a", job_id))
    assert moved is None
    assert found is not None
    assert (found[0].status, found[0].removed_at) == ("pending", None)


def test_a_stranger_voids_and_finishes_no_chunk(db: Database) -> None:
    job_id = db.write(lambda tx: job(tx, "a", [PLAN]))
    [claim] = take(db)
    db.write(lambda tx: chunks.void(tx, "b", job_id))
    assert not db.write(lambda tx: chunks.finish(tx, replace(claim, tenant="b"), ChunkState.DONE))
    assert db.write(lambda tx: chunks.finish(tx, claim, ChunkState.DONE))


def test_a_stranger_sees_no_pages(db: Database) -> None:
    job_id = db.write(lambda tx: job(tx, "a", book(100)))
    assert len(db.read(lambda conn: chunks.of_run(conn, "a", job_id, 1))) == 2
    assert db.read(lambda conn: chunks.of_run(conn, "b", job_id, 1)) == []
    assert db.read(lambda conn: chunks.with_page(conn, "b", job_id, 1, 1)) is None


def test_a_stranger_sees_no_result(db: Database) -> None:
    db.write(finished)
    made = reusable(db)
    assert made is not None
    assert db.read(lambda conn: results.one(conn, TENANT, made.id)) == made
    assert db.read(lambda conn: results.one(conn, "b", made.id)) is None
