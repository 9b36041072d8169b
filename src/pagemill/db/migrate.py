"""Bringing a database to the newest shape.

A migration only adds, so that processes of the former version can finish their work beside it; what is not used any
more is taken away by a later version.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, NullPool, create_engine, inspect, text
from sqlalchemy.exc import DBAPIError, OperationalError

from pagemill.db import events, pgvector
from pagemill.errors import DatabaseUnavailable, Refused

log = logging.getLogger("pagemill.db")
MIGRATIONS = Path(__file__).parent / "migrations"
# What the migrations come to in SQLite; `make docs` writes it.
SQLITE_TABLES = MIGRATIONS / "sqlite_tables.sql"
# As Alembic keeps it.
VERSION_TABLE, REVISION_DIGITS = "alembic_version", 4
# Any number that no other caller uses: several processes may start at once, and one of them migrates.
LOCK = text("SELECT pg_advisory_xact_lock(7246351)")
# A process that waits for a table keeps all others from it, so it is not waited for long; the next start tries again.
PATIENCE = text("SET LOCAL lock_timeout = '10s'")


# What PostgreSQL refuses, and what to do about it.
ADVICE = {
    "42501": (
        "The user in PAGEMILL_DATABASE_URL may not change tables. Run `pagemill admin migrate` as one who may; "
        "the others need no more than to read and write rows."
    ),
    "55P03": "Another transaction has locked a table that has to be changed. Nothing was changed; run it again.",
}


def migrate(engine: Engine) -> str:
    """Run the migrations that the database has not seen yet; one that is newer is left as it is. Returns its version."""
    with explain_failures(), connect(patient_engine(engine)) as conn, conn.begin():
        if conn.dialect.name == "postgresql":
            conn.execute(LOCK)
            conn.execute(PATIENCE)
        found = revision_of(conn)
        if found is not None and found > newest_revision():
            log.warning("the tables are of the later version %s; they are left as they are", found)
            return found
        if found is None and conn.dialect.name == "sqlite":
            create_tables(conn)
        elif found != newest_revision():
            upgrade(conn)
        pgvector.prepare_table(conn)
    return newest_revision()


def create_tables(conn: Connection) -> None:
    """Make the tables of a new SQLite database at once, without the time that Alembic and all migrations take."""
    for statement in SQLITE_TABLES.read_text(encoding="utf-8").split("\n\n"):
        conn.exec_driver_sql(statement)
    if revision_of(conn) != newest_revision():
        upgrade(conn)


def upgrade(conn: Connection) -> None:
    """Have Alembic run what is missing; it is imported here only, for most starts find nothing to do."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = conn
    command.upgrade(config, "head")


@contextmanager
def explain_failures() -> Iterator[None]:
    """Refused with advice instead of what PostgreSQL says, where there is something to do about it."""
    try:
        yield
    except DBAPIError as error:
        advice = ADVICE.get(getattr(error.orig, "sqlstate", ""))
        if advice is None:
            raise
        raise Refused(advice) from error


def settle_log(engine: Engine) -> None:
    """Have the log of all jobs read on after a restore from a dump, which brings no count of transactions with it."""
    if engine.dialect.name == "postgresql":
        with connect(patient_engine(engine)) as conn, conn.begin():
            restored = events.settle_restored(conn)
        if restored:
            log.warning("%d events came from another server and are now before all others", restored)


def connect(engine: Engine) -> Connection:
    """A connection; DatabaseUnavailable says which database it is that does not answer."""
    try:
        return engine.connect()
    except OperationalError as error:
        name = engine.url.render_as_string(hide_password=True)
        raise DatabaseUnavailable(f"The database {name} does not answer: {error.orig}") from error


def check(engine: Engine) -> None:
    """Refused if the tables are older than this version needs."""
    with connect(engine) as conn:
        found = revision_of(conn)
    if found is None or found < newest_revision():
        raise Refused(
            f"The database has the tables of version {found or 'none'}, and this pagemill needs {newest_revision()}. "
            "Run `pagemill admin migrate`."
        )


def revision_of(conn: Connection) -> str | None:
    """The version of the tables that are there."""
    if not inspect(conn).has_table(VERSION_TABLE):
        return None
    found: str | None = conn.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))
    return found


def newest_revision() -> str:
    """The version of the tables that we know, from the names of the migrations; those of later ones are greater."""
    return max(path.name for path in MIGRATIONS.glob("versions/[0-9]*.py"))[:REVISION_DIGITS]


def patient_engine(engine: Engine) -> Engine:
    """An engine whose statements may take their time; those of SQLite always may."""
    if engine.dialect.name == "sqlite":
        return engine
    return create_engine(engine.url, poolclass=NullPool)
