"""How many pages a provider may have at once, whoever asks."""

from pagemill.db import chunks, permits
from pagemill.db.chunks import NewChunk
from pagemill.db.database import Database
from pagemill.db.fairness import Turns
from pagemill.model.states import ChunkState, Lane, Step
from pagemill.model.work import Claim
from tests.contracts.test_claims import job

PAGES = [NewChunk(Step.RECOGNISE, Lane.REMOTE, page, page, single=True) for page in (1, 2)]


def two_claims(db: Database) -> tuple[Claim, Claim]:
    """Two chunks that are being read."""
    db.write(lambda tx: job(tx, "a", PAGES))
    [one], [other] = [
        db.write(lambda tx: chunks.claim(tx, "worker", (Lane.REMOTE,), 1, Turns())) for _ in PAGES
    ]
    return one, other


def take(db: Database, claim: Claim, wanted: int, provider: str = "vlm") -> int:
    """Ask for permits of which there are four."""
    return db.write(lambda tx: permits.take(tx, claim, provider, wanted, 4))


def test_there_are_no_more_permits_than_the_provider_allows(db: Database) -> None:
    one, other = two_claims(db)
    assert [take(db, one, 3), take(db, other, 3)] == [3, 1]


def test_who_finds_none_gets_some_when_they_are_given_back(db: Database) -> None:
    one, other = two_claims(db)
    assert [take(db, one, 9), take(db, other, 2)] == [4, 0]
    db.write(lambda tx: permits.give_back(tx, one, "vlm"))
    assert take(db, other, 2) == 2


def test_every_provider_has_its_own(db: Database) -> None:
    one, other = two_claims(db)
    assert [take(db, one, 4), take(db, other, 4, "mistral")] == [4, 4]


def test_a_claim_that_has_ended_holds_no_permits(db: Database) -> None:
    one, other = two_claims(db)
    take(db, one, 4)
    db.write(lambda tx: chunks.finish(tx, one, ChunkState.READY))
    assert take(db, other, 4) == 4
