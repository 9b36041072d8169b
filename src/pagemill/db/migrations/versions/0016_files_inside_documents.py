"""Files inside of documents: the batch of a job's children names the job.

Revision ID: 0016
Revises: 0015
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and their indexes."""
    op.add_column("batches", sa.Column("parent_job_id", sa.String(length=36), nullable=True))
    op.add_column("batches", sa.Column("depth", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("batches", sa.Column("budget", sa.Integer(), nullable=False, server_default="0"))
    op.create_index("ix_batches_parent_job_id", "batches", ["parent_job_id"])


def downgrade() -> None:
    """Remove them."""
    op.drop_index("ix_batches_parent_job_id", table_name="batches")
    for name in ("budget", "depth", "parent_job_id"):
        op.drop_column("batches", name)
