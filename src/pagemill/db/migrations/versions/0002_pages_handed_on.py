"""Pages that are handed on to be recognised, and the permits of providers that may not run everywhere at once.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and the table; rows that are there keep their meaning."""
    op.add_column("chunks", sa.Column("providers", sa.JSON(), nullable=True))
    op.add_column(
        "chunks", sa.Column("handed_pages", sa.JSON(), nullable=False, server_default=sa.text("'[]'"))
    )
    op.create_table(
        "permits",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("taken_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("key", "provider"),
    )
    with op.batch_alter_table("permits", schema=None) as batch_op:
        batch_op.create_index("ix_permits_provider", ["provider"], unique=False)


def downgrade() -> None:
    """Take them out again."""
    op.drop_table("permits")
    op.drop_column("chunks", "handed_pages")
    op.drop_column("chunks", "providers")
