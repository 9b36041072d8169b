"""Documents that are fetched from a URL: where they come from, and what has to be sent there, both encrypted.

Revision ID: 0008
Revises: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add columns that are empty for documents that were uploaded."""
    op.add_column("documents", sa.Column("source_url", sa.Text(), nullable=True))
    op.add_column("jobs", sa.Column("source", sa.LargeBinary(), nullable=True))
    op.add_column("jobs", sa.Column("source_headers", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    """Remove the columns."""
    op.drop_column("jobs", "source_headers")
    op.drop_column("jobs", "source")
    op.drop_column("documents", "source_url")
