"""What many machines share: leases, paused lanes, drained workers, keys of tenants, direct uploads, and traces.

Nothing is taken away but two indexes, so that workers of the former version can finish what they hold.

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

OF_TRANSACTION = "(pg_current_xact_id()::text)::bigint"
# Rows that change often leave dead ones behind, which every claim would have to step over.
TIDIED_OFTEN = (
    "fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02"
)


def upgrade() -> None:
    """Add the columns and the tables; rows that are there keep their meaning."""
    op.add_column("jobs", sa.Column("traceparent", sa.Text(), nullable=True))
    op.add_column(
        "workers", sa.Column("draining", sa.Boolean(), nullable=False, server_default=sa.text("false"))
    )
    op.add_column("events", sa.Column("xid", sa.BigInteger(), nullable=False, server_default=sa.text("0")))
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"ALTER TABLE events ALTER COLUMN xid SET DEFAULT {OF_TRANSACTION}")
        for table in ("jobs", "chunks", "workers", "permits"):
            op.execute(f"ALTER TABLE {table} SET ({TIDIED_OFTEN})")
    op.create_index("ix_events_tenant_xid", "events", ["tenant", "xid", "id"], if_not_exists=True)
    op.create_index(
        "ix_events_tenant_type_xid", "events", ["tenant", "type", "xid", "id"], if_not_exists=True
    )
    op.drop_index("ix_events_tenant", "events")
    op.drop_index("ix_events_tenant_type", "events")
    op.create_table(
        "leases",
        sa.Column("name", sa.Text(), primary_key=True),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("holder", sa.String(length=36), nullable=False),
        sa.Column("until", sa.Float(), nullable=False),
    )
    op.create_table(
        "paused_lanes",
        sa.Column("lane", sa.Text(), primary_key=True),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("paused_at", sa.Float(), nullable=False),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(length=36), primary_key=True),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("revoked_at", sa.Float(), nullable=True),
    )
    op.create_index("ix_api_keys_sha256", "api_keys", ["sha256"], unique=True)
    op.create_table(
        "uploads",
        sa.Column("id", sa.String(length=36), primary_key=True),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("blob_key", sa.Text(), nullable=False),
        sa.Column("filename", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("expires_at", sa.Float(), nullable=False),
    )
    op.create_index("ix_uploads_expires_at", "uploads", ["expires_at"])


def downgrade() -> None:
    """Take them out again."""
    for table in ("uploads", "api_keys", "paused_lanes", "leases"):
        op.drop_table(table)
    op.create_index("ix_events_tenant", "events", ["tenant", "id"])
    op.create_index("ix_events_tenant_type", "events", ["tenant", "type", "id"])
    op.drop_index("ix_events_tenant_type_xid", "events")
    op.drop_index("ix_events_tenant_xid", "events")
    op.drop_column("events", "xid")
    op.drop_column("workers", "draining")
    op.drop_column("jobs", "traceparent")
