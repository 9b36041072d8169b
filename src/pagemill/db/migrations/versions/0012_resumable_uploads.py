"""Resumable uploads: how much of a document has arrived, and in which parts.

Revision ID: 0012
Revises: 0011
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add columns that are empty for uploads by a signed link."""
    op.add_column("uploads", sa.Column("size_bytes", sa.BigInteger(), nullable=True))
    op.add_column("uploads", sa.Column("offset_bytes", sa.BigInteger(), nullable=True))
    op.add_column("uploads", sa.Column("parts", sa.JSON(), nullable=True))
    op.add_column("uploads", sa.Column("metadata", sa.Text(), nullable=True))


def downgrade() -> None:
    """Remove the columns."""
    for name in ("metadata", "parts", "offset_bytes", "size_bytes"):
        op.drop_column("uploads", name)
