"""Behind a pooler of connections, which knows nothing of statements that were prepared on another one."""

import pytest
from sqlalchemy import Connection, text

from pagemill.db.postgres import PostgresDatabase
from tests.cluster.postgres import Postgres

RUNS = 20
PREPARED = text("SELECT count(*) FROM pg_prepared_statements")


def prepared(url: str) -> int:
    """How many statements a connection has prepared after the same one was run again and again."""

    def run(conn: Connection) -> int:
        for number in range(RUNS):
            conn.execute(text("SELECT :number"), {"number": number})
        return int(conn.execute(PREPARED).scalar_one())

    database = PostgresDatabase(url)
    try:
        return database.read(run)
    finally:
        database.close()


@pytest.mark.parametrize(("ending", "count"), [("", 1), ("?prepare_threshold=none", 0)])
def test_the_address_says_whether_statements_are_prepared(
    postgres_server: Postgres, ending: str, count: int
) -> None:
    assert prepared(f"{postgres_server.url}{ending}") == count
