"""Classes of jobs, labelled examples, routing rules, and what is added to every document of a tenant.

Revision ID: 0023
Revises: 0022
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables and the columns."""
    op.add_column("jobs", sa.Column("classification", sa.JSON(), nullable=True))
    op.add_column("tenant_limits", sa.Column("enrich", sa.Text(), nullable=True))
    op.create_table(
        "class_examples",
        sa.Column("job_id", sa.String(36), primary_key=True),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("features", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
    )
    op.create_index("ix_class_examples_tenant", "class_examples", ["tenant", "name"])
    op.create_table(
        "routing_rules",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("stop", sa.Boolean(), nullable=False),
        sa.Column("conditions", sa.JSON(), nullable=False),
        sa.Column("actions", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("updated_at", sa.Float(), nullable=False),
    )
    op.create_index("ix_routing_rules_tenant", "routing_rules", ["tenant", "position"])


def downgrade() -> None:
    """Take them out again."""
    op.drop_table("routing_rules")
    op.drop_table("class_examples")
    op.drop_column("tenant_limits", "enrich")
    op.drop_column("jobs", "classification")
