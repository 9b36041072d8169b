"""What jobs cost, and what each tenant had done on each day.

Revision ID: 0014
Revises: 0013
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

COSTS = (("cpu_seconds", sa.Float()), ("remote_calls", sa.Integer()), ("price", sa.Float()))


def upgrade() -> None:
    """Add the columns, at 0 for jobs that were there before, and the table."""
    for name, kind in COSTS:
        op.add_column("jobs", sa.Column(name, kind, nullable=False, server_default=sa.text("0")))
    op.create_table(
        "usage",
        sa.Column("tenant", sa.Text(), primary_key=True),
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("jobs", sa.Integer(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("cpu_seconds", sa.Float(), nullable=False),
        sa.Column("remote_calls", sa.Integer(), nullable=False),
        sa.Column("price", sa.Float(), nullable=False),
    )
    op.create_index("ix_usage_day", "usage", ["day"])


def downgrade() -> None:
    """Take them out again."""
    op.drop_table("usage")
    for name, _ in reversed(COSTS):
        op.drop_column("jobs", name)
