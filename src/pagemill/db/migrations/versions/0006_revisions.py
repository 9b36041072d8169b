"""The earlier results of jobs that were read again, so that they can be compared and restored.

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; results of runs before this are not in it and can't be restored."""
    op.create_table(
        "revisions",
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("result_id", sa.String(length=36), nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("kept_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name=op.f("fk_revisions_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", "revision"),
    )
    op.create_index("ix_revisions_result_id", "revisions", ["result_id"])


def downgrade() -> None:
    """Remove the table."""
    op.drop_table("revisions")
