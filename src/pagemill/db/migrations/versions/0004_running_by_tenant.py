"""What runs of each tenant, found by an index: a claim counts it for the tenants that it looks at.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

RUNNING = sa.text("state = 'running'")


def upgrade() -> None:
    """Add the index."""
    op.create_index(
        "ix_chunks_running_tenant",
        "chunks",
        ["tenant", "job_id"],
        sqlite_where=RUNNING,
        postgresql_where=RUNNING,
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_index("ix_chunks_running_tenant", "chunks")
