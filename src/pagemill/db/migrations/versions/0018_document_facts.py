"""What the document of a job says of itself.

Revision ID: 0018
Revises: 0017
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; of results that were made before, only their JSON has it."""
    for table in ("jobs", "results"):
        op.add_column(table, sa.Column("document_facts", sa.JSON(), nullable=True))


def downgrade() -> None:
    """Take them out again."""
    for table in ("results", "jobs"):
        op.drop_column(table, "document_facts")
