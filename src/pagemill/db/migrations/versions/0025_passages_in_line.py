"""PostgreSQL keeps passages whole in their rows, as far as a page has room.

Their words as a vector take about two kilobytes, which PostgreSQL would compress and move to another table with every row,
and fetch from there for every row that a phrase may be in. Rows that are there already stay as they are until
`pagemill admin reindex`.

Revision ID: 0025
Revises: 0024
"""

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Let rows grow to almost a page before parts of them are moved."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE passages SET (toast_tuple_target = 8160)")


def downgrade() -> None:
    """Move parts of rows from two kilobytes on, as PostgreSQL does by itself."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE passages RESET (toast_tuple_target)")
