"""A database with all tables and no rows."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagemill.db.database import Database
from pagemill.db.migrate import migrate


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A database without rows."""
    database = Database(tmp_path / "test.db")
    migrate(database.engine)
    yield database
    database.close()
