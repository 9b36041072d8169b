"""The SQL that makes the tables of a new SQLite database: what all migrations, one after the other, come to."""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from pagemill.db.migrate import SQLITE_TABLES, newest_revision, upgrade
from pagemill.db.sqlite import SqliteDatabase

HEAD = "-- The tables of a new SQLite database, generated from the migrations by `make docs`."
# FTS5 makes its inner tables by itself, SQLite those of its own.
OBJECTS = """
SELECT sql FROM sqlite_schema
WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
ORDER BY rowid
"""


def source() -> str:
    """The statements with an empty line between them, the version of the tables last."""
    version = f"INSERT INTO alembic_version (version_num) VALUES ('{newest_revision()}')"
    return "\n\n".join([HEAD, *statements(), version]) + "\n"


def statements() -> Iterator[str]:
    """The statements that make the tables and indexes of a database on which all migrations were run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "migrated.db"
        with closing(SqliteDatabase(path)) as database, database.engine.begin() as connection:
            upgrade(connection)
        with closing(sqlite3.connect(path)) as migrated:
            for (statement,) in migrated.execute(OBJECTS):
                yield "\n".join(line.rstrip() for line in statement.expandtabs(2).splitlines())


FILES = {SQLITE_TABLES: source}
