"""Fair shares: between tenants first, then between the jobs of each; priorities count among one's own."""

from collections import Counter

import pytest
from sqlalchemy import text

from pagemill.db import chunks
from pagemill.db.chunks import NewChunk
from pagemill.db.database import Database, Tx
from pagemill.db.fairness import WINDOW
from pagemill.model.states import ChunkState, Lane, Step
from pagemill.model.work import Claim
from tests.contracts.test_claims import PLAN, book, job, take

SLOTS = 6
MANY = 200


def waiting(db: Database, tenant: str, count: int, new: NewChunk = PLAN, priority: int = 0) -> list[str]:
    """Jobs of a tenant that wait."""
    return db.write(lambda tx: [job(tx, tenant, [new], priority) for _ in range(count)])


def finish(db: Database, claims: list[Claim]) -> None:
    """Have claims done."""

    def write(tx: Tx) -> None:
        for claim in claims:
            assert chunks.finish(tx, claim, ChunkState.DONE)

    db.write(write)


def test_one_job_does_not_wait_for_hundreds_of_another_tenant(db: Database) -> None:
    waiting(db, "a", MANY)
    assert take(db)[0].tenant == "a"
    [letter] = waiting(db, "b", 1)
    assert take(db)[0].job_id == letter


def test_a_batch_of_small_documents_has_those_of_all_tenants(db: Database) -> None:
    waiting(db, "a", 20)
    [letter] = waiting(db, "b", 1)
    claims = take(db, batch=8)
    assert len(claims) == 8
    assert letter in {claim.job_id for claim in claims[:2]}


def test_a_single_slot_serves_all_tenants_in_turn(db: Database) -> None:
    waiting(db, "a", MANY)
    waiting(db, "b", 30)
    served: Counter[str] = Counter()
    for _ in range(40):
        claims = take(db)
        served[claims[0].tenant] += 1
        finish(db, claims)
    assert served == {"a": 20, "b": 20}


def test_every_tenant_is_served_once_in_a_round_however_many_wait(db: Database) -> None:
    tenants = [f"tenant-{number:03}" for number in range(3 * WINDOW)]
    for tenant in tenants:
        waiting(db, tenant, 2)
    for _ in range(2):
        served = []
        for _ in tenants:
            claims = take(db)
            served.append(claims[0].tenant)
            finish(db, claims)
        assert sorted(served) == tenants


def test_a_tenant_past_the_window_is_found_when_those_before_it_have_to_wait(db: Database) -> None:
    first = [f"tenant-{number:03}" for number in range(2 * WINDOW)]
    for tenant in first:
        waiting(db, tenant, 1)
    held = [take(db)[0] for _ in first]
    db.write(lambda tx: [chunks.finish(tx, one, ChunkState.READY, not_before=tx.now + 60) for one in held])
    [last] = waiting(db, "zebra", 1)
    assert take(db)[0].job_id == last
    assert take(db) == []


def test_a_chunk_of_an_unknown_step_is_left_to_other_workers(db: Database) -> None:
    waiting(db, "a", 1)
    db.write(lambda tx: tx.conn.execute(text("UPDATE chunks SET step = 'translate'")))
    [known] = waiting(db, "a", 1)
    assert [claim.job_id for claim in take(db, batch=8)] == [known]
    assert take(db) == []


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_two_tenants_share_the_slots_evenly(db: Database, order: tuple[str, str]) -> None:
    for tenant in order:
        waiting(db, tenant, 40)
    held = [take(db)[0] for _ in range(SLOTS)]
    for _ in range(30):
        assert Counter(claim.tenant for claim in held) == {"a": SLOTS // 2, "b": SLOTS // 2}
        finish(db, [held.pop(0)])
        held += take(db)


def test_idle_slots_go_to_whoever_has_work(db: Database) -> None:
    waiting(db, "a", SLOTS)
    assert {take(db)[0].tenant for _ in range(SLOTS)} == {"a"}
    assert take(db) == []


def test_a_priority_counts_among_the_jobs_of_its_own_tenant(db: Database) -> None:
    plain = waiting(db, "a", 2)
    urgent = waiting(db, "a", 2, priority=10)
    own = [take(db)[0].job_id for _ in range(3)]
    assert own == [*urgent, plain[0]]
    [other] = waiting(db, "b", 1, priority=-10)
    waiting(db, "a", 5, priority=10)
    assert take(db)[0].job_id == other


def test_a_long_document_does_not_hold_up_a_letter_of_its_own_tenant(db: Database) -> None:
    db.write(lambda tx: job(tx, "a", book(10_000)))
    held = [take(db)[0] for _ in range(SLOTS)]
    [letter] = waiting(db, "a", 1)
    finish(db, [held.pop()])
    assert take(db)[0].job_id == letter


def test_ten_tenants_are_all_served_before_any_is_served_twice(db: Database) -> None:
    tenants = [f"tenant-{number}" for number in range(10)]
    for tenant in tenants:
        waiting(db, tenant, 5, NewChunk(Step.EXTRACT, Lane.BULK, 1, 64))
    assert sorted(take(db)[0].tenant for _ in tenants) == tenants
