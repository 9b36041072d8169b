"""The full-text index of PostgreSQL knows the segment of each passage, so that the newest can be looked at alone.

Revision ID: 0024
Revises: 0023
"""

from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None
INDEX = "ix_passages_lexemes"


def upgrade() -> None:
    """Make the index of segments and words; a short list of what is not sorted in yet, for every search reads that."""
    replace_index("(ARRAY[id / 2048]), lexemes", " WITH (gin_pending_list_limit = 1024)")


def downgrade() -> None:
    """Make the index of words alone."""
    replace_index("lexemes", "")


def replace_index(columns: str, options: str) -> None:
    """Make the index anew, where there is one."""
    if op.get_bind().dialect.name == "postgresql":
        op.drop_index(INDEX, "passages")
        op.execute(f"CREATE INDEX {INDEX} ON passages USING gin ({columns}){options}")
