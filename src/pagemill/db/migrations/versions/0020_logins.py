"""Log-ins with an OpenID Connect provider are rows among the keys, with the account that they are of.

Revision ID: 0020
Revises: 0019
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column that may be empty: the former version takes the rows of log-ins for keys that no client has."""
    op.add_column("api_keys", sa.Column("subject", sa.Text(), nullable=True))


def downgrade() -> None:
    """Remove the column."""
    op.drop_column("api_keys", "subject")
