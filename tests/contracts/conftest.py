"""A database with all tables and no rows, of either kind: a test that asks for `db` runs once on each."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from pagemill.db.database import Database
from pagemill.db.migrate import migrate
from pagemill.db.postgres import PostgresDatabase
from pagemill.db.sqlite import SqliteDatabase
from pagemill.mill import Mill
from pagemill.wiring import open_mill
from tests.cluster.postgres import Postgres
from tests.mills import small_settings


@pytest.fixture
def rung() -> list[set[str]]:
    """What the database told after commits."""
    return []


@pytest.fixture
def sqlite_db(tmp_path: Path, rung: list[set[str]]) -> Iterator[SqliteDatabase]:
    """SQLite without rows."""
    database = SqliteDatabase(tmp_path / "test.db", lambda jobs: rung.append(set(jobs)))
    migrate(database.engine)
    yield database
    database.close()


@pytest.fixture(scope="session")
def migrated(postgres_server: Postgres) -> str:
    """A migrated database on the server, to make copies of: they take less time than migrations."""
    url = postgres_server.new_database()
    database = PostgresDatabase(url)
    migrate(database.engine)
    database.close()
    return url.rpartition("/")[2]


@pytest.fixture
def postgres_url(postgres_server: Postgres, migrated: str) -> str:
    """The address of a PostgreSQL database without rows."""
    return postgres_server.new_database(migrated)


@pytest.fixture
def postgres_db(postgres_url: str, rung: list[set[str]]) -> Iterator[PostgresDatabase]:
    """PostgreSQL without rows."""
    database = PostgresDatabase(postgres_url, lambda jobs: rung.append(set(jobs)))
    yield database
    database.close()


@pytest.fixture(params=["sqlite", "postgres"])
def db(request: pytest.FixtureRequest) -> Database:
    """A database without rows."""
    database: Database = request.getfixturevalue(f"{request.param}_db")
    return database


@pytest.fixture(params=["sqlite", "postgres"])
def idle_mill(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Mill]:
    """A mill that takes no work, on either database."""
    shared = {"secret_key": Fernet.generate_key().decode()}
    if request.param == "postgres":
        shared["database_url"] = request.getfixturevalue("postgres_url")
    with open_mill(small_settings(tmp_path, slots=1, **shared), workers=False) as mill:
        yield mill
