"""The id of the installation, which its files carry too.

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; its one row is written at the next start."""
    op.create_table(
        "installation",
        sa.Column("id", sa.String(length=36), primary_key=True),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("installation")
