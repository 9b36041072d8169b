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
    LargeBinary,
    String,
    Table,
    Text,
    func,
    literal_column,
)
from sqlalchemy.dialects.postgresql import TSVECTOR

from pagemill.db.table_metadata import metadata
from pagemill.model.search_ranking import LOOKED_AT_CHARACTERS

# What one database has and the other has not, made by the migration: the full-text table of SQLite with what belongs to it,
# and the indexes of PostgreSQL; that of lexemes alone is not used any more, and a later version drops it. Where pgvector
# is there, its table is made at a start.
OF_ONE_DATABASE = (
    "passages_fts",
    "ix_passages_lexemes",
    "ix_passages_segments",
    "passage_halfvecs",
    "passage_halfvecs_pkey",
    "ix_passage_halfvecs_tenant",
    "ix_passage_halfvecs_result",
)

indexed_results = Table(
    "indexed_results",
    metadata,
    Column("result_id", String(36), primary_key=True),
    Column("tenant", Text, nullable=False),
    # How many of its passages are in the index, and whether these are all.
    Column("passages", Integer, nullable=False),
    Column("complete", Boolean, nullable=False),
    # The model that all of its passages have vectors of, with their dimension.
    Column("embedded_by", Text),
)
Index("ix_indexed_results_complete", indexed_results.c.complete)
Index("ix_indexed_results_embedded_by", indexed_results.c.embedded_by)

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
# What passages are ranked by and what is shown of them: as a rule all that they have.
LOOKED_AT = (literal_column("1", Integer), literal_column(str(LOOKED_AT_CHARACTERS), Integer))
FIRST_WORDS = func.substr(passages.c.words, *LOOKED_AT).label("words")
FIRST_TEXT = func.substr(passages.c.text, *LOOKED_AT).label("text")

passage_vectors = Table(
    "passage_vectors",
    metadata,
    Column("passage_id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False),
    Column("tenant", Text, nullable=False),
    Column("result_id", String(36), nullable=False),
    Column("model", Text, nullable=False),
    # Numbers of two bytes each, the lower first, of a vector of length 1.
    Column("vector", LargeBinary, nullable=False),
)
Index("ix_passage_vectors_tenant", passage_vectors.c.tenant, passage_vectors.c.model)
Index("ix_passage_vectors_result", passage_vectors.c.result_id)

# Changes whenever vectors of a tenant are added or removed, so that those in memory can be brought up to date.
vector_versions = Table(
    "vector_versions",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("version", BigInteger, nullable=False),
)
