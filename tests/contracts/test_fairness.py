"""Fair shares: between tenants first, then between the jobs of each; priorities count among one's own."""

from collections import Counter

import pytest

from pagemill.db import chunks
from pagemill.db.chunks import NewChunk
from pagemill.db.database import Database, Tx
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
    # A coin decides among equals, so it is even only on average; less than this is one in a million.
    assert served["b"] >= 6


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
