"""What a lease guarantees, on every database."""

import threading

from pagemill.db import leases
from pagemill.db.database import Database

TENANT, NAME = "default", "sweeper"


def take(db: Database, holder: str, seconds: float = 60) -> bool:
    """Try to take the lease."""
    return db.write(lambda tx: leases.take(tx, TENANT, NAME, holder, seconds))


def is_free(db: Database, holder: str) -> bool:
    """Whether the lease could be taken."""
    return db.read(lambda conn: leases.is_free(conn, NAME, holder, db.now(conn)))


def test_one_holds_a_lease_and_others_do_not(db: Database) -> None:
    assert is_free(db, "one")
    assert take(db, "one")
    assert not take(db, "other")
    assert not is_free(db, "other")


def test_a_holder_renews_its_lease(db: Database) -> None:
    assert take(db, "one")
    assert is_free(db, "one")
    assert take(db, "one")


def test_a_lease_that_is_over_goes_to_whoever_asks(db: Database) -> None:
    assert take(db, "one", seconds=-1)
    assert is_free(db, "other")
    assert take(db, "other")
    assert not take(db, "one")


def test_a_released_lease_is_free_at_once(db: Database) -> None:
    assert take(db, "one")
    db.write(lambda tx: leases.release(tx, NAME, "one"))
    assert take(db, "other")


def test_nobody_releases_what_another_holds(db: Database) -> None:
    assert take(db, "one")
    db.write(lambda tx: leases.release(tx, NAME, "other"))
    assert not take(db, "other")


def test_of_many_who_ask_at_once_one_gets_it(db: Database) -> None:
    won: list[str] = []
    start = threading.Barrier(8)

    def ask(holder: str) -> None:
        start.wait()
        if take(db, holder):
            won.append(holder)

    threads = [threading.Thread(target=ask, args=(f"holder {number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
