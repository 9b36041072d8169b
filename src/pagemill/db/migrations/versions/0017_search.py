"""The search index: passages of results, and what has been indexed.

Revision ID: 0017
Revises: 0016
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables, and for SQLite the full-text table over the passages."""
    op.create_table(
        "indexed_results",
        sa.Column("result_id", sa.String(length=36), primary_key=True),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("passages", sa.Integer(), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
    )
    op.create_index("ix_indexed_results_complete", "indexed_results", ["complete"])
    op.create_table(
        "passages",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True, autoincrement=True
        ),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("result_id", sa.String(length=36), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("headings", sa.JSON(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("places", sa.JSON(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("lexemes", TSVECTOR().with_variant(sa.Text(), "sqlite"), nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_passages_result", "passages", ["result_id", "number"])
    if op.get_bind().dialect.name == "postgresql":
        op.create_index("ix_passages_lexemes", "passages", ["lexemes"], postgresql_using="gin")
    else:
        # The words are separated by spaces already, and have no signs that this tokeniser would cut at.
        op.execute(
            "CREATE VIRTUAL TABLE passages_fts USING fts5(words, content='passages', content_rowid='id', tokenize='ascii')"
        )


def downgrade() -> None:
    """Remove the tables."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE passages_fts")
    op.drop_table("passages")
    op.drop_table("indexed_results")
