"""The pages of a job's result that a person should look at.

Revision ID: 0009
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; nothing is known of results that were made before."""
    for table in ("jobs", "results"):
        op.add_column(table, sa.Column("to_check", sa.JSON(), nullable=True))


def downgrade() -> None:
    """Take them out again."""
    for table in ("results", "jobs"):
        op.drop_column(table, "to_check")
