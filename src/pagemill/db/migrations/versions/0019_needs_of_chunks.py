"""Chunks say which engines they need, so that a run stays with the engines that it was begun with.

Revision ID: 0019
Revises: 0018
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column that may be empty: workers of the former version take any chunk, and theirs need nothing."""
    op.add_column("chunks", sa.Column("needs", sa.Text(), nullable=True))


def downgrade() -> None:
    """Remove the column."""
    op.drop_column("chunks", "needs")
