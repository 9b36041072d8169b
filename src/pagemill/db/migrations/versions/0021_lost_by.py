"""Chunks say which workers have vanished with them, so that one sick worker does not use up their tries.

Revision ID: 0021
Revises: 0020
"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column that may be empty: workers of the former version count each loss, and don't fill it."""
    op.add_column("chunks", sa.Column("lost_by", sa.Text(), nullable=True))


def downgrade() -> None:
    """Remove the column."""
    op.drop_column("chunks", "lost_by")
