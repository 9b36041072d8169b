"""Vectors of passages, for search by meaning.

Revision ID: 0022
Revises: 0021
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables, and the model that a result has vectors of; it may be empty, and is then filled by the upkeep."""
    op.add_column("indexed_results", sa.Column("embedded_by", sa.Text(), nullable=True))
    op.create_index("ix_indexed_results_embedded_by", "indexed_results", ["embedded_by"])
    op.create_table(
        "passage_vectors",
        sa.Column(
            "passage_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("result_id", sa.String(length=36), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
    )
    op.create_index("ix_passage_vectors_tenant", "passage_vectors", ["tenant", "model"])
    op.create_index("ix_passage_vectors_result", "passage_vectors", ["result_id"])
    op.create_table(
        "vector_versions",
        sa.Column("tenant", sa.Text(), primary_key=True),
        sa.Column("version", sa.BigInteger(), nullable=False),
    )


def downgrade() -> None:
    """Remove the tables and the column."""
    op.drop_table("vector_versions")
    op.drop_table("passage_vectors")
    op.drop_index("ix_indexed_results_embedded_by", "indexed_results")
    op.drop_column("indexed_results", "embedded_by")
