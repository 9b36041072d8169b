"""Limits on waiting work, kept by several processes over one database."""

import pytest

from pagemill.db import limits, workers
from pagemill.db.chunks import NewChunk
from pagemill.db.database import Database, Tx
from pagemill.db.limits import LEAST_SECONDS, MOST_SECONDS, UNKNOWN_SECONDS, patience_seconds
from pagemill.model.ids import new_id
from pagemill.model.jobs import Worker
from pagemill.model.quota_cache import NARROW_SECONDS, QuotaCache, QuotaCount
from pagemill.model.states import Lane, Step
from tests.contracts.test_claims import PLAN, job

MOST = 5


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.now


def test_jobs_are_counted_for_each_tenant_and_chunks_for_all(db: Database) -> None:
    db.write(lambda tx: [job(tx, "a", [PLAN, NewChunk(Step.EXTRACT, Lane.BULK, 1, 9)]) for _ in range(3)])
    db.write(lambda tx: job(tx, "b", [PLAN]))
    assert db.read(lambda conn: limits.pending_jobs(conn, "a", 100)) == QuotaCount(3, 0)
    assert db.read(lambda conn: limits.pending_jobs(conn, "a", 2)) == QuotaCount(2, UNKNOWN_SECONDS)
    assert db.read(lambda conn: limits.waiting_chunks(conn, 100)) == QuotaCount(7, 0)
    assert db.read(lambda conn: limits.waiting_chunks(conn, 4)).count == 4


def test_several_processes_keep_to_one_limit(db: Database) -> None:
    clock = Clock()
    processes = [QuotaCache(clock), QuotaCache(clock)]

    def hand_in(rooms: QuotaCache) -> bool:
        refused = rooms.take("a", MOST, lambda: db.read(lambda conn: limits.pending_jobs(conn, "a", MOST)))
        if refused is None:
            db.write(lambda tx: job(tx, "a", [PLAN]))
        return refused is None

    taken = 0
    for _ in range(20):
        taken += sum(hand_in(rooms) for rooms in processes)
        clock.now += NARROW_SECONDS
    # Each may take what was free at its last count, so a few too many can come in at once and no more after that.
    assert MOST <= taken <= 2 * MOST
    assert [hand_in(rooms) for rooms in processes] == [False, False]


def test_the_time_to_stay_away_follows_from_the_speed_of_all_workers(db: Database) -> None:
    def register(tx: Tx) -> None:
        for speed in (1.5, 0.5):
            workers.register(tx, Worker(new_id(), "default", "mill", 7, 2, ["fast"], 0, 0, speed))

    db.write(register)
    db.write(lambda tx: [job(tx, "a", [PLAN]) for _ in range(100)])
    assert db.read(lambda conn: limits.pending_jobs(conn, "a", 100)) == QuotaCount(100, 5)


@pytest.mark.parametrize(
    ("waiting", "speed", "seconds"),
    [
        (100, 0.0, UNKNOWN_SECONDS),
        (1, 1_000.0, LEAST_SECONDS),
        (10_000, 100.0, 10),
        (10**9, 1.0, MOST_SECONDS),
    ],
)
def test_the_time_to_stay_away_is_bounded(waiting: int, speed: float, seconds: int) -> None:
    assert patience_seconds(waiting, speed) == seconds
