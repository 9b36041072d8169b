"""The index of segments and words in PostgreSQL: made beside readers and the former index, and used by searches."""

import pytest
from sqlalchemy import Connection, text

from pagemill.db.migrate import migrate, newest_revision
from pagemill.db.postgres import PostgresDatabase
from pagemill.db.search_segments import IN_SEGMENTS

NAMES = text("SELECT indexname FROM pg_indexes WHERE tablename = 'passages' AND indexdef LIKE '%USING gin%'")
INDEXES = {"ix_passages_lexemes", "ix_passages_segments"}
PASSAGES = text(
    "INSERT INTO passages (tenant, result_id, number, headings, text, places, words, lexemes)"
    " SELECT 'a', 'result', n, '[]', '', '[]', '', to_tsvector('simple', 'm' || n % 20 || ' w' || n % 500)"
    " FROM generate_series(1, 20000) AS n"
)


def gin_indexes(conn: Connection) -> set[str]:
    """The names of the full-text indexes."""
    return set(conn.scalars(NAMES))


def go_back(database: PostgresDatabase, *statements: str) -> None:
    """Make the tables those of the version before the index."""
    with database.engine.begin() as conn:
        for statement in (*statements, "UPDATE alembic_version SET version_num = '0023'"):
            conn.execute(text(statement))


def test_it_is_made_while_others_read_the_table(postgres_db: PostgresDatabase) -> None:
    go_back(postgres_db, "DROP INDEX ix_passages_segments")
    with postgres_db.engine.connect() as reader:
        reader.execute(text("SELECT count(*) FROM passages"))
        assert migrate(postgres_db.engine) == newest_revision()
    assert postgres_db.read(gin_indexes) == INDEXES


def test_one_that_was_made_before_the_upgrade_is_kept(postgres_db: PostgresDatabase) -> None:
    made = text("SELECT 'ix_passages_segments'::regclass::oid")
    before = postgres_db.read(lambda conn: conn.scalar(made))
    go_back(postgres_db)
    assert migrate(postgres_db.engine) == newest_revision()
    assert postgres_db.read(lambda conn: conn.scalar(made)) == before


@pytest.mark.parametrize("asked", ["m7", "w7", "m7 | w8"])
def test_a_look_at_segments_uses_it_though_the_former_one_is_there(
    postgres_db: PostgresDatabase, asked: str
) -> None:
    with postgres_db.engine.begin() as conn:
        conn.execute(PASSAGES)
        conn.execute(text("ANALYZE passages"))
        given = {"asked": asked, "tenant": "a", "segments": [8, 9], "most": 1_000}

        sql = str(IN_SEGMENTS.compile(conn.engine))
        plan = "\n".join(row[0] for row in conn.exec_driver_sql(f"EXPLAIN {sql}", given))
    assert "ix_passages_segments" in plan, plan
