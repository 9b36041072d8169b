"""Many who write at once: nothing is done twice, nothing is lost, and nobody waits for somebody who waits for them."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TypeVar

import pytest
from sqlalchemy import text

from pagemill import failure_records, progress
from pagemill.db import chunks, cleanup, events, jobs, permits, results
from pagemill.db.database import Database, Tx
from pagemill.db.events import LogPosition
from pagemill.db.fairness import Turns
from pagemill.db.postgres import PostgresDatabase
from pagemill.desk.commands import cancel_in, remove_in
from pagemill.errors import Gone, JobTerminal, NotFound
from pagemill.model.events import EventType
from pagemill.model.states import ChunkState, Lane
from pagemill.model.work import Claim, Retry, SetBack
from tests.contracts.test_claims import PLAN, book, job
from tests.contracts.test_remains import PRINT, TENANT, finished

T = TypeVar("T")
HANDS = 8
LANES = (Lane.FAST, Lane.BULK)


def at_once(works: Sequence[Callable[[], T]]) -> list[T]:
    """What several threads return that begin together."""
    together = threading.Barrier(len(works))

    def begin(work: Callable[[], T]) -> T:
        together.wait(10)
        return work()

    with ThreadPoolExecutor(len(works)) as threads:
        return [begun.result(60) for begun in [threads.submit(begin, work) for work in works]]


def deadlocks(db: Database) -> int:
    """How often writes had to be broken off because they waited for each other."""
    found = text("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    count: int = db.read(lambda conn: conn.execute(found).scalar_one())
    return count


def claim_all(db: Database, worker: str, batch: int) -> list[Claim]:
    """Claim, as a worker does, until there is nothing left."""

    def turn(tx: Tx) -> list[Claim]:
        claims = chunks.claim(tx, worker, LANES, batch, Turns())
        jobs.start(tx, [claim.job_id for claim in claims])
        return claims

    taken: list[Claim] = []
    while claims := db.write(turn):
        taken += claims
    return taken


@pytest.mark.parametrize("batch", [1, 5])
def test_no_chunk_is_claimed_twice_and_none_is_left(db: Database, batch: int) -> None:
    ids = {db.write(lambda tx, owner=owner: job(tx, owner, [PLAN])) for owner in "abc" * 20}  # type: ignore[misc]
    taken = at_once([lambda n=n: claim_all(db, f"worker {n}", batch) for n in range(HANDS)])  # type: ignore[misc]
    claims = [claim for some in taken for claim in some]
    assert len(claims) == 60
    assert {claim.job_id for claim in claims} == ids
    assert all(claim.fence == 1 for claim in claims)


def test_all_hands_find_work_in_one_book(postgres_db: PostgresDatabase) -> None:
    job_id = postgres_db.write(lambda tx: job(tx, "a", book(64 * HANDS)))
    postgres_db.write(lambda tx: jobs.start(tx, [job_id]))

    def once() -> int:
        return len(postgres_db.write(lambda tx: chunks.claim(tx, "worker", LANES, 1, Turns())))

    assert at_once([once] * HANDS) == [1] * HANDS


def test_a_chunk_in_another_hand_is_stepped_over(postgres_db: PostgresDatabase) -> None:
    first, second = (postgres_db.write(lambda tx: job(tx, "a", [PLAN])) for _ in range(2))
    held, over = threading.Event(), threading.Event()

    def slow(tx: Tx) -> list[Claim]:
        claims = chunks.claim(tx, "slow", LANES, 1, Turns())
        held.set()
        over.wait(10)
        return claims

    late = postgres_db.submit(slow)
    assert held.wait(10)
    [claim] = postgres_db.write(lambda tx: chunks.claim(tx, "quick", LANES, 1, Turns()))
    over.set()
    assert (claim.job_id, late.result(10)[0].job_id) == (second, first)


def test_workers_and_those_who_cancel_never_block_each_other(postgres_db: PostgresDatabase) -> None:
    ids = [postgres_db.write(lambda tx: job(tx, "a", book(200))) for _ in range(24)]

    def work() -> None:
        def give_back(tx: Tx, claims: list[Claim]) -> None:
            jobs.lock_jobs(tx, [claim.job_id for claim in claims])
            for claim in claims:
                failure_records.record_set_back(
                    tx, SetBack(claim, Retry("errors", 60), "sample", "It did not work out.")
                )

        for claims in iter(lambda: claim_all(postgres_db, "worker", 4), []):
            postgres_db.write(lambda tx, claims=claims: give_back(tx, claims))  # type: ignore[misc]

    def stop() -> None:
        for job_id in ids:
            try:
                postgres_db.write(lambda tx, job_id=job_id: cancel_in(tx, "a", job_id))  # type: ignore[misc]
            except JobTerminal:
                pytest.fail("it was cancelled, and once more is fine")

    at_once([work, stop, work, stop, work])
    found = [postgres_db.read(partial(jobs.find_job, tenant="a", job_id=one)) for one in ids]
    statuses = {pair[0].status for pair in found if pair}
    assert statuses == {"cancelled"}
    assert deadlocks(postgres_db) == 0


def test_a_job_is_removed_once_however_many_do_it(db: Database) -> None:
    job_id = db.write(lambda tx: job(tx, "a", [PLAN]))

    def remove() -> str:
        try:
            db.write(lambda tx: remove_in(tx, "a", job_id))
        except Gone:
            return "gone"
        return "removed"

    assert sorted(at_once([remove] * HANDS)) == ["gone"] * (HANDS - 1) + ["removed"]
    lines = db.read(lambda conn: events.of_job(conn, "a", job_id, 0, 99))
    assert [line.seq for line in lines] == list(range(1, len(lines) + 1))
    assert [line.type for line in lines].count(EventType.REMOVED) == 1


def test_a_result_that_is_being_used_again_keeps_its_files(postgres_db: PostgresDatabase) -> None:
    first = postgres_db.write(finished)
    postgres_db.write(lambda tx: jobs.mark_removed(tx, TENANT, first))
    found, over = threading.Event(), threading.Event()

    def use_again(tx: Tx) -> str:
        result = results.reusable(tx.conn, TENANT, PRINT)
        assert result is not None
        found.set()
        over.wait(10)
        return finished(tx, result)

    used = postgres_db.submit(use_again)
    assert found.wait(10)
    doomed = postgres_db.submit(lambda tx: cleanup.withdraw_files(tx, TENANT, first))
    time.sleep(0.1)
    assert not doomed.done()
    over.set()
    used.result(10)
    assert doomed.result(10).result_prefixes == ()


def test_a_result_whose_files_go_is_not_used_again(postgres_db: PostgresDatabase) -> None:
    first = postgres_db.write(finished)
    postgres_db.write(lambda tx: jobs.mark_removed(tx, TENANT, first))
    doomed, over = threading.Event(), threading.Event()

    def doom(tx: Tx) -> int:
        gone = cleanup.withdraw_files(tx, TENANT, first)
        doomed.set()
        over.wait(10)
        return len(gone.result_prefixes)

    gone = postgres_db.submit(doom)
    assert doomed.wait(10)
    found = postgres_db.submit(lambda tx: results.reusable(tx.conn, TENANT, PRINT))
    time.sleep(0.1)
    over.set()
    assert (gone.result(10), found.result(10)) == (1, None)


def test_two_sweepers_at_once_do_what_one_does(db: Database) -> None:
    removed = [db.write(finished) for _ in range(12)]
    for job_id in removed:
        db.write(lambda tx, job_id=job_id: jobs.mark_removed(tx, TENANT, job_id))  # type: ignore[misc]

    def sweep() -> None:
        for tenant, job_id in db.read(lambda conn: cleanup.removed_jobs_with_files(conn, 99)):
            with suppress(NotFound):
                gone = db.write(lambda tx, asked=(tenant, job_id): cleanup.withdraw_files(tx, *asked))  # type: ignore[misc]
                db.write(lambda tx, gone=gone: cleanup.forget_files(tx, gone))  # type: ignore[misc]
        db.write(lambda tx: cleanup.forget_tombstones(tx, tx.now + 1, 99))

    at_once([sweep, sweep, sweep])
    assert db.read(lambda conn: cleanup.removed_jobs_with_files(conn, 99)) == []
    assert db.read(lambda conn: results.reusable(conn, TENANT, PRINT)) is None
    assert db.read(lambda conn: [jobs.find_job(conn, TENANT, job_id) for job_id in removed]) == [None] * 12


def test_no_more_permits_are_given_than_there_are(db: Database) -> None:
    for _ in range(HANDS):
        db.write(lambda tx: job(tx, "a", [PLAN]))
    claims = claim_all(db, "worker", HANDS)

    def ask(claim: Claim) -> int:
        return db.write(lambda tx: permits.take(tx, claim, "vlm", 2, 5))

    assert sum(at_once([lambda claim=claim: ask(claim) for claim in claims])) == 5  # type: ignore[misc]


def test_chunks_finished_at_once_are_all_counted(db: Database) -> None:
    job_id = db.write(lambda tx: job(tx, "a", book(64 * HANDS)))
    planned = {"chunks_left": HANDS, "total_pages": 64 * HANDS, "document_pages": 64 * HANDS}
    db.write(lambda tx: jobs.note(tx, "a", job_id, 1, EventType.PLANNED, None, **planned))
    claims = claim_all(db, "worker", 1)

    def finish(claim: Claim) -> int:
        def record(tx: Tx) -> int:
            jobs.lock_jobs(tx, [claim.job_id])
            assert chunks.finish(tx, claim, ChunkState.DONE, output="somewhere")
            return len(progress.settle_pages(tx, claim, (), 0.1))

        return db.write(record)

    # The last of them, and nobody else, calls for the join.
    assert sum(at_once([lambda claim=claim: finish(claim) for claim in claims])) == 1  # type: ignore[misc]
    found = db.read(lambda conn: jobs.find_job(conn, "a", job_id))
    assert found is not None
    assert (found[0].processed_pages, found[0].chunks_left, found[0].stage) == (64 * HANDS, 0, "join")


def test_a_reader_of_the_log_misses_no_line_of_a_late_commit(db: Database) -> None:
    writing = threading.Event()

    def write(writer: int) -> None:
        for number in range(20):

            def late(tx: Tx, number: int = number) -> None:
                events.append(tx, "a", f"{writer}", number, EventType.READ)
                time.sleep(0.002 * (writer + number) % 0.007)

            db.write(late)

    def read() -> list[tuple[str | None, int | None]]:
        seen, after = [], LogPosition()
        while True:
            over = not writing.is_set()
            lines = db.read(lambda conn, after=after: events.of_tenant(conn, "a", after, 7))  # type: ignore[misc]
            seen += [(line.job_id, line.seq) for line in lines]
            after = LogPosition(lines[-1].xid, lines[-1].id) if lines else after
            if over and not lines:
                return seen

    writing.set()
    with ThreadPoolExecutor(2) as readers:
        reading = [readers.submit(read) for _ in range(2)]
        at_once([lambda n=n: write(n) for n in range(6)])  # type: ignore[misc]
        writing.clear()
        seen, again = (one.result(60) for one in reading)
    assert sorted(seen) == sorted((f"{writer}", number) for writer in range(6) for number in range(20))
    assert seen == again
