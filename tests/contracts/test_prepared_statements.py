"""Quick sentences do what SQLAlchemy does with them, only quicker."""

import pytest
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    bindparam,
    insert,
    select,
)
from sqlalchemy.exc import IntegrityError

from pagemill.db.database import Database
from pagemill.db.prepared_statements import PreparedStatement

metadata = MetaData()
things = Table(
    "things",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("labels", JSON, nullable=False),
    Column("secret", LargeBinary),
    Column("good", Boolean, nullable=False, default=True),
    Column("count", Integer, nullable=False, default=7),
)
INSERT = PreparedStatement(insert(things))
BY_NAME = select(things).where(things.c.name == bindparam("name"))
ROW = {"name": "a", "labels": {"x": [1, "ä"]}, "secret": b"\x00\xff", "good": False}


@pytest.fixture(autouse=True)
def table(db: Database) -> None:
    """A table of the tests' own."""
    db.write(lambda tx: metadata.create_all(tx.conn))


def test_a_quick_sentence_gives_what_the_slow_one_gives(db: Database) -> None:
    db.write(lambda tx: INSERT.run(tx.conn, ROW))
    slow = db.read(lambda conn: tuple(conn.execute(BY_NAME, {"name": "a"}).one()))
    assert db.read(lambda conn: PreparedStatement(BY_NAME).one(conn, {"name": "a"})) == slow
    assert slow == (1, "a", {"x": [1, "ä"]}, b"\x00\xff", False, 7)
    assert db.read(lambda conn: PreparedStatement(BY_NAME).one(conn, {"name": "b"})) is None


def test_a_quick_sentence_that_fails_takes_nothing_else_with_it(db: Database) -> None:
    db.write(lambda tx: INSERT.run(tx.conn, ROW))
    with pytest.raises(IntegrityError):
        db.write(lambda tx: INSERT.run(tx.conn, ROW))
    db.write(lambda tx: INSERT.run(tx.conn, ROW | {"name": "b"}))
    assert len(db.read(lambda conn: conn.execute(select(things)).all())) == 2
