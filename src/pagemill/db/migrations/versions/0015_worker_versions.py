"""Workers say which version and engines they run, and what keeps them from working.

Revision ID: 0015
Revises: 0014
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add columns with defaults, so that workers of the former version can go on writing their rows."""
    op.add_column("workers", sa.Column("version", sa.Text(), nullable=False, server_default=sa.text("''")))
    op.add_column("workers", sa.Column("engines", sa.JSON(), nullable=False, server_default=sa.text("'[]'")))
    op.add_column("workers", sa.Column("trouble", sa.Text(), nullable=True))


def downgrade() -> None:
    """Remove the columns."""
    for name in ("trouble", "engines", "version"):
        op.drop_column("workers", name)
