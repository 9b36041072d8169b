"""Limits of single tenants, and an index to find the items of a job.

Revision ID: 0013
Revises: 0012
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of tenants whose limits differ from the settings."""
    op.create_table(
        "tenant_limits",
        sa.Column("tenant", sa.Text(), primary_key=True),
        sa.Column("retention_seconds", sa.Float(), nullable=True),
        sa.Column("max_pending_jobs", sa.Integer(), nullable=True),
        sa.Column("max_tenant_bytes", sa.BigInteger(), nullable=True),
        sa.Column("max_tenant_pages_per_day", sa.Integer(), nullable=True),
        sa.Column("max_requests_per_minute", sa.Integer(), nullable=True),
        sa.Column("max_tenant_uploads", sa.Integer(), nullable=True),
        sa.Column("max_tenant_waiting_requests", sa.Integer(), nullable=True),
    )
    op.create_index("ix_batch_items_job", "batch_items", ["job_id"])


def downgrade() -> None:
    """Remove the table and the index."""
    op.drop_index("ix_batch_items_job", "batch_items")
    op.drop_table("tenant_limits")
