"""The full-text index of PostgreSQL knows the segment of each passage, so that the newest can be looked at alone.

The new index has a name of its own, and the old one stays until a later version drops it, though the former version's
searches can use either. To drop an index takes the table from all readers: before the build, for as long as it takes;
after it, against writers that wait for the build and have read the table, which PostgreSQL ends as a deadlock.
On a large table, make the new one before the upgrade with the statement below and `CONCURRENTLY`.

Revision ID: 0024
Revises: 0023
"""

from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None
INDEX = "ix_passages_segments"
# A short list of what is not sorted in yet, for every search reads that.
CREATE = (
    f"CREATE INDEX IF NOT EXISTS {INDEX} ON passages USING gin ((ARRAY[id / 2048]), lexemes)"
    " WITH (gin_pending_list_limit = 1024)"
)


def upgrade() -> None:
    """Make the index of segments and words, unless it was made before."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(CREATE)


def downgrade() -> None:
    """Drop the index of segments and words; that of words alone is still there."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"DROP INDEX IF EXISTS {INDEX}")
