"""Who is served next: fair between tenants and jobs, and never two at once."""

from dataclasses import replace
from weakref import WeakKeyDictionary

from pagemill.db import chunks
from pagemill.db.chunks import NewChunk
from pagemill.db.database import Database, Tx
from pagemill.db.fairness import Turns
from pagemill.db.new_jobs import NewJob, create
from pagemill.db.results import add_documents
from pagemill.model.ids import new_id
from pagemill.model.jobs import DocumentRow
from pagemill.model.options import ReadingOptions
from pagemill.model.states import ChunkState, Lane, Step
from pagemill.model.work import Claim

TURNS: WeakKeyDictionary[Database, Turns] = WeakKeyDictionary()
BOTH = (Lane.FAST, Lane.BULK)
PLAN = NewChunk(Step.PLAN, Lane.FAST, small=True)


def job(tx: Tx, tenant: str, new: list[NewChunk], priority: int = 0) -> str:
    """A job with its chunks."""
    document = DocumentRow(new_id(), tenant, "sha", 1, "application/pdf", "f.pdf", "key", tx.now)
    add_documents(tx, [document])
    made = NewJob(
        new_id(),
        tenant,
        document.id,
        Lane.FAST,
        priority,
        ReadingOptions(),
        {},
        "print",
        None,
        tx.now + 99,
        0.0,
    )
    chunks.create(tx, create(tx, made), new)
    return made.id


def book(pages: int) -> list[NewChunk]:
    """The chunks of a long document."""
    return [NewChunk(Step.EXTRACT, Lane.BULK, first, first + 63) for first in range(1, pages, 64)]


def take(db: Database, lanes: tuple[Lane, ...] = BOTH, batch: int = 1, worker: str = "worker") -> list[Claim]:
    """Claim once, in the turns of one process."""
    turns = TURNS.setdefault(db, Turns())
    return db.write(lambda tx: chunks.claim(tx, worker, lanes, batch, turns))


def test_nothing_ready_is_nothing_claimed(db: Database) -> None:
    assert take(db) == []


def test_a_chunk_is_claimed_once_and_its_fence_goes_up(db: Database) -> None:
    db.write(lambda tx: job(tx, "a", [PLAN]))
    [claim] = take(db)
    assert claim.fence == 1
    assert take(db) == []


def test_older_jobs_go_first(db: Database) -> None:
    ids = [db.write(lambda tx: job(tx, "a", [PLAN])) for _ in range(3)]
    assert [take(db)[0].job_id for _ in range(3)] == ids


def test_a_higher_priority_goes_first(db: Database) -> None:
    db.write(lambda tx: job(tx, "a", [PLAN]))
    urgent = db.write(lambda tx: job(tx, "a", [PLAN], priority=5))
    assert take(db)[0].job_id == urgent


def test_a_letter_does_not_wait_for_a_book(db: Database) -> None:
    long = db.write(lambda tx: job(tx, "a", book(10_000)))
    assert take(db)[0].job_id == long
    letter = db.write(lambda tx: job(tx, "a", [PLAN]))
    assert take(db)[0].job_id == letter


def test_idle_slots_take_more_of_the_same_book(db: Database) -> None:
    long = db.write(lambda tx: job(tx, "a", book(300)))
    claims = [take(db)[0] for _ in range(3)]
    assert {claim.job_id for claim in claims} == {long}
    assert [claim.first_page for claim in claims] == [1, 65, 129]


def test_the_tenant_with_the_least_running_is_served_next(db: Database) -> None:
    for _ in range(3):
        db.write(lambda tx: job(tx, "busy", [PLAN]))
    assert take(db)[0].tenant == "busy"
    quiet = db.write(lambda tx: job(tx, "quiet", [PLAN]))
    assert take(db)[0].job_id == quiet


def test_small_documents_are_claimed_together(db: Database) -> None:
    ids = [db.write(lambda tx: job(tx, "a", [PLAN])) for _ in range(5)]
    assert [claim.job_id for claim in take(db, batch=3)] == ids[:3]
    assert [claim.job_id for claim in take(db, batch=3)] == ids[3:]


def test_a_kept_slot_leaves_books_alone(db: Database) -> None:
    db.write(lambda tx: job(tx, "a", book(64)))
    assert take(db, (Lane.FAST,)) == []


def test_a_chunk_that_has_to_wait_is_not_claimed(db: Database) -> None:
    db.write(lambda tx: job(tx, "a", [PLAN]))
    [claim] = take(db)
    assert db.write(lambda tx: chunks.finish(tx, claim, ChunkState.READY, not_before=tx.now + 60))
    assert take(db) == []


def test_a_write_with_an_old_fence_changes_nothing(db: Database) -> None:
    db.write(lambda tx: job(tx, "a", [PLAN]))
    [old] = take(db)
    assert db.write(lambda tx: chunks.finish(tx, old, ChunkState.READY))
    [new] = take(db, worker="other")
    assert new.fence == old.fence + 1
    assert not db.write(lambda tx: chunks.finish(tx, old, ChunkState.DONE, output="stale"))
    assert not db.write(lambda tx: chunks.finish(tx, replace(new, fence=99), ChunkState.DONE))
    assert db.write(lambda tx: chunks.finish(tx, new, ChunkState.DONE, output="fresh"))
    assert not db.write(lambda tx: chunks.finish(tx, new, ChunkState.DONE, output="again"))


def test_a_voided_chunk_can_not_be_finished(db: Database) -> None:
    job_id = db.write(lambda tx: job(tx, "a", [PLAN]))
    [claim] = take(db)
    db.write(lambda tx: chunks.void(tx, "a", job_id))
    assert not db.write(lambda tx: chunks.finish(tx, claim, ChunkState.DONE))
    assert db.read(lambda conn: chunks.running_claim_keys(conn, "worker")) == set()
