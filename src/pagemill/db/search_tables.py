"""The tables of the search index.

SQLite has a full-text table beside that of the passages, PostgreSQL a column; both hold the words that we normalised.
"""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    String,
    Table,
    Text,
)
from sqlalchemy.dialects.postgresql import TSVECTOR

from pagemill.db.table_metadata import metadata

# What one database has and the other has not, made by the migration: the full-text table of SQLite with what belongs to it,
# and the index of PostgreSQL.
OF_ONE_DATABASE = ("passages_fts", "ix_passages_lexemes")

indexed_results = Table(
    "indexed_results",
    metadata,
    Column("result_id", String(36), primary_key=True),
    Column("tenant", Text, nullable=False),
    # How many of its passages are in the index, and whether these are all.
    Column("passages", Integer, nullable=False),
    Column("complete", Boolean, nullable=False),
)
Index("ix_indexed_results_complete", indexed_results.c.complete)

passages = Table(
    "passages",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("tenant", Text, nullable=False),
    Column("result_id", String(36), nullable=False),
    Column("number", Integer, nullable=False),
    Column("headings", JSON, nullable=False),
    Column("text", Text, nullable=False),
    Column("places", JSON, nullable=False),
    Column("words", Text, nullable=False),
    Column("lexemes", TSVECTOR().with_variant(Text(), "sqlite")),
    sqlite_autoincrement=True,
)
Index("ix_passages_result", passages.c.result_id, passages.c.number)
