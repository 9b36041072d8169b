"""Files carry the id of their installation: another database on the same store is refused, and sweeps nothing."""

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from pagemill.adapters.blobs.base import Blobs
from pagemill.db.database import Database
from pagemill.db.migrate import migrate
from pagemill.db.sqlite import SqliteDatabase
from pagemill.desk.installation import adopt_files, claim_files, find_foreign_owner, owns_files
from pagemill.errors import Refused
from pagemill.wiring import prepare_mill
from tests.contracts.test_blobs import blobs, put
from tests.contracts.test_claims import PLAN, job
from tests.mills import small_settings

__all__ = ["blobs"]


@pytest.fixture
def other_db(tmp_path: Path) -> Iterator[Database]:
    """The database of another installation."""
    database = SqliteDatabase(tmp_path / "other.db")
    migrate(database.engine)
    yield database
    database.close()


def test_a_new_installation_claims_an_empty_store_and_knows_it_again(
    sqlite_db: Database, blobs: Blobs
) -> None:
    claim_files(blobs, sqlite_db)
    assert owns_files(blobs, sqlite_db)
    put(blobs, "documents/ab/one.pdf", b"hello")
    claim_files(blobs, sqlite_db)
    blobs.check()
    assert owns_files(blobs, sqlite_db)


def test_files_of_another_installation_are_refused_and_not_swept(
    sqlite_db: Database, other_db: Database, blobs: Blobs
) -> None:
    claim_files(blobs, sqlite_db)
    with pytest.raises(Refused, match="pagemill admin adopt"):
        claim_files(blobs, other_db)
    assert not owns_files(blobs, other_db)
    assert owns_files(blobs, sqlite_db)


def test_an_empty_database_does_not_take_documents_that_say_no_owner(
    sqlite_db: Database, blobs: Blobs
) -> None:
    put(blobs, "documents/ab/one.pdf", b"hello")
    with pytest.raises(Refused, match="knows of none"):
        claim_files(blobs, sqlite_db)


def test_an_installation_from_before_ids_claims_its_own_files(sqlite_db: Database, blobs: Blobs) -> None:
    put(blobs, "documents/ab/one.pdf", b"hello")
    sqlite_db.write(lambda tx: job(tx, "a", [PLAN]))
    claim_files(blobs, sqlite_db)
    assert owns_files(blobs, sqlite_db)


def test_adopted_files_change_hands(sqlite_db: Database, other_db: Database, blobs: Blobs) -> None:
    claim_files(blobs, sqlite_db)
    assert adopt_files(blobs, other_db) is not None
    claim_files(blobs, other_db)
    assert find_foreign_owner(blobs, sqlite_db) is not None


def test_a_process_with_another_key_than_the_others_is_refused(sqlite_db: Database, blobs: Blobs) -> None:
    claim_files(blobs, sqlite_db)
    claim_files(blobs, sqlite_db, "first")
    claim_files(blobs, sqlite_db)
    with pytest.raises(Refused, match="PAGEMILL_SECRET_KEY"):
        claim_files(blobs, sqlite_db, "second")
    adopt_files(blobs, sqlite_db, "second")
    claim_files(blobs, sqlite_db, "second")
    assert owns_files(blobs, sqlite_db)


def test_a_start_that_is_refused_leaves_nothing_open(tmp_path: Path) -> None:
    settings = small_settings(tmp_path / "mill")
    with prepare_mill(settings) as mill:
        put(mill.blobs, "documents/ab/one.pdf", b"hello")
        assert open_below(tmp_path), "what is open is seen"
    (tmp_path / "mill" / "pagemill.db").unlink()
    with pytest.raises(Refused, match="belong to installation") as refused, prepare_mill(settings):
        pass
    # The error is kept until here, and with it whatever its start has opened.
    assert (refused.value.code, open_below(tmp_path)) == (Refused.code, [])


def open_below(folder: Path) -> list[str]:
    """The files below a folder that this process has open; others come and go with what earlier tests have left."""
    return [one.path for one in psutil.Process().open_files() if Path(one.path).is_relative_to(folder)]
