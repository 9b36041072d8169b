"""Paused lanes and drained workers are not claimed from and do not claim; stuck work is found and given back."""

import pytest

from pagemill.db import chunks, jobs, lanes, stuck_work, workers
from pagemill.db.database import Database
from pagemill.db.installation_counts import count_installation
from pagemill.desk import admin
from pagemill.desk.admin import StuckLimits
from pagemill.errors import Refused
from pagemill.model.events import EventType
from pagemill.model.ids import new_id
from pagemill.model.jobs import Worker
from pagemill.model.states import ChunkState, Lane, Status
from tests.contracts.test_claims import BOTH, PLAN, book, job, take

ALL = tuple(Lane)
NOTHING_LONG = StuckLimits(running_seconds=900, waiting_seconds=900, silent_seconds=10)
ALL_LONG = StuckLimits(running_seconds=-1, waiting_seconds=-1, silent_seconds=10)


def worker(db: Database, host: str = "mill-1") -> str:
    """A worker that is alive."""
    row = Worker(new_id(), "default", host, 7, 2, [lane.value for lane in Lane], 0, 0, 1.5)
    db.write(lambda tx: workers.register(tx, row))
    return row.id


def open_lanes(db: Database, worker_id: str) -> tuple[Lane, ...]:
    """What a worker may claim from."""
    return db.read(lambda conn: lanes.claimable_lanes(conn, worker_id, ALL))


def test_a_paused_lane_is_shut_to_everybody_until_it_is_resumed(db: Database) -> None:
    one = worker(db)
    assert open_lanes(db, one) == ALL
    assert admin.pause(db, Lane.OCR)
    assert not admin.pause(db, Lane.OCR)
    assert Lane.OCR not in open_lanes(db, one)
    assert db.read(lanes.find_paused) == {Lane.OCR}
    assert [state.lane for state in admin.lane_states(db) if state.paused] == ["ocr"]
    assert admin.resume(db, Lane.OCR)
    assert not admin.resume(db, Lane.OCR)
    assert open_lanes(db, one) == ALL


def test_a_draining_worker_may_claim_nothing_and_others_may(db: Database) -> None:
    one, other = worker(db), worker(db, "mill-2")
    assert admin.drain(db, one) == [one]
    assert open_lanes(db, one) == ()
    assert open_lanes(db, other) == ALL
    assert [state.state for state in admin.worker_states(db, 10)] == ["draining", "alive"]
    assert admin.undrain(db, "mill-1") == [one]
    assert open_lanes(db, one) == ALL


def test_only_a_worker_that_is_there_can_be_drained(db: Database) -> None:
    with pytest.raises(Refused, match="no worker mill-9"):
        admin.drain(db, "mill-9")


def test_what_waits_and_runs_is_told_by_lane(db: Database) -> None:
    db.write(lambda tx: job(tx, "a", book(300)))
    take(db)
    [bulk] = [state for state in admin.lane_states(db) if state.lane == Lane.BULK]
    assert (bulk.ready, bulk.running, bulk.paused) == (4, 1, False)


def test_how_long_work_waits_and_is_held_is_counted_by_lane(db: Database) -> None:
    db.write(lambda tx: job(tx, "a", book(300)))
    take(db)
    later = db.read(db.now) + 100
    counts = db.read(lambda conn: count_installation(conn, later, 10)).lanes["bulk"]
    assert (counts.due, counts.delayed, counts.running) == (4, 0, 1)
    assert min(counts.oldest_seconds, counts.longest_due_seconds, counts.longest_running_seconds) >= 100


def test_workers_are_told_with_what_they_hold(db: Database) -> None:
    one = worker(db)
    job_id = db.write(lambda tx: job(tx, "a", [PLAN]))
    [claim] = take(db, worker=one)
    [state] = admin.worker_states(db, 10)
    [held] = state.holds
    assert (state.id, state.host, state.pid, state.pages_per_second) == (one, "mill-1", 7, 1.5)
    assert (held.chunk_id, held.job_id, held.tenant) == (claim.chunk_id, job_id, "a")


def test_work_that_moves_is_not_stuck(db: Database) -> None:
    db.write(lambda tx: job(tx, "a", book(300)))
    take(db, worker=worker(db))
    assert admin.find_stuck_work(db, NOTHING_LONG) == []


def test_work_that_stands_too_long_is_found(db: Database) -> None:
    db.write(lambda tx: job(tx, "a", book(128)))
    [claim] = take(db, worker=worker(db))
    found = {one.why: one for one in admin.find_stuck_work(db, ALL_LONG)}
    assert set(found) == {"running_long", "waiting_long"}
    assert found["running_long"].chunk_id == claim.chunk_id
    assert found["waiting_long"].chunk_id != claim.chunk_id


def test_claims_of_workers_that_are_gone_are_found(db: Database) -> None:
    db.write(lambda tx: job(tx, "a", [PLAN]))
    take(db, worker=new_id())
    assert [one.why for one in admin.find_stuck_work(db, NOTHING_LONG)] == ["silent_worker"]


def test_a_job_that_nothing_can_move_is_found_and_started_anew(db: Database) -> None:
    job_id = db.write(lambda tx: job(tx, "a", [PLAN]))
    db.write(lambda tx: chunks.void(tx, "a", job_id))
    limits = StuckLimits(running_seconds=900, waiting_seconds=900, silent_seconds=-1)
    [found] = admin.find_stuck_work(db, limits)
    assert (found.why, found.job_id, found.chunk_id) == ("no_chunk", job_id, None)
    assert "new run" in admin.requeue(db, job_id)
    [claim] = take(db)
    assert (claim.job_id, claim.run) == (job_id, 2)


def test_a_claim_that_is_given_back_counts_as_nothing_and_can_not_be_finished(db: Database) -> None:
    job_id = db.write(lambda tx: job(tx, "a", [PLAN]))
    [old] = take(db)
    assert admin.requeue(db, old.chunk_id) == "1 chunk was given back"
    assert db.read(lambda conn: chunks.running_claim_keys(conn, "worker")) == set()
    [new] = take(db, worker="other")
    assert (new.job_id, new.crashes, new.errors, new.lost) == (job_id, 0, 0, 0)
    assert new.fence > old.fence
    assert not db.write(lambda tx: chunks.finish(tx, old, ChunkState.DONE))
    assert db.write(lambda tx: chunks.finish(tx, new, ChunkState.DONE))


def test_all_claims_of_a_job_are_given_back_and_what_was_put_off_is_due(db: Database) -> None:
    job_id = db.write(lambda tx: job(tx, "a", book(192)))
    claims = [take(db)[0] for _ in range(3)]
    assert db.write(lambda tx: chunks.finish(tx, claims[0], ChunkState.READY, not_before=tx.now + 600))
    assert admin.requeue(db, job_id) == "3 chunks given back"
    assert admin.requeue(db, job_id) == "the job waits for a free worker already"
    assert len([take(db, BOTH) for _ in range(3)]) == 3
    assert take(db) == []


def test_a_job_that_failed_gets_a_new_run(db: Database) -> None:
    job_id = db.write(lambda tx: job(tx, "a", [PLAN]))
    db.write(lambda tx: chunks.void(tx, "a", job_id))
    db.write(lambda tx: jobs.move(tx, "a", job_id, Status.FAILED, EventType.FAILED))
    assert "new run" in admin.requeue(db, job_id)
    assert take(db)[0].run == 2


def test_a_job_that_is_done_or_unknown_is_left_alone(db: Database) -> None:
    job_id = db.write(lambda tx: job(tx, "a", [PLAN]))
    db.write(lambda tx: jobs.move(tx, "a", job_id, Status.CANCELLED, EventType.CANCELLED))
    for named in (job_id, new_id(), "no-id"):
        with pytest.raises(Refused):
            admin.requeue(db, named)


def test_whose_a_job_is_can_be_asked_without_knowing_the_tenant(db: Database) -> None:
    job_id = db.write(lambda tx: job(tx, "a", [PLAN]))
    found = db.read(lambda conn: stuck_work.job_location(conn, job_id))
    assert found is not None
    assert (found.tenant, found.status, found.run) == ("a", "pending", 1)


def test_a_silent_worker_loses_its_row_and_one_that_is_heard_of_does_not(db: Database) -> None:
    one, other = worker(db), worker(db)
    seen_at = db.read(workers.times_seen)
    assert db.write(lambda tx: workers.remove_silent(tx, {one: seen_at[one] - 1})) == []
    assert db.write(lambda tx: workers.remove_silent(tx, {one: seen_at[one]})) == [one]
    assert [left.id for left in db.read(workers.everyone)] == [other]


def test_who_renews_is_told_whether_it_drains_and_whether_it_still_has_a_row(db: Database) -> None:
    one = worker(db)
    assert db.write(lambda tx: workers.renew(tx, one, 1.0)) is False
    admin.drain(db, one)
    assert db.write(lambda tx: workers.renew(tx, one, 1.0)) is True
    db.write(lambda tx: workers.remove(tx, one))
    assert db.write(lambda tx: workers.renew(tx, one, 1.0)) is None
