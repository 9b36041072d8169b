"""Webhooks: endpoints, deliveries with their attempts, and how far the log was read for them.

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

PENDING, SENDING = sa.text("state = 'pending'"), sa.text("state = 'sending'")


def upgrade() -> None:
    """Add the tables; nothing that is there changes."""
    op.create_table(
        "webhook_endpoints",
        sa.Column("id", sa.String(length=36), primary_key=True),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("job_id", sa.String(length=36), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", sa.JSON(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("progress_percent", sa.Integer(), nullable=False),
        sa.Column("progress_pages", sa.Integer(), nullable=True),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("old_secret", sa.LargeBinary(), nullable=True),
        sa.Column("old_secret_until", sa.Float(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("disabled_reason", sa.Text(), nullable=True),
        sa.Column("failing_since", sa.Float(), nullable=True),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("updated_at", sa.Float(), nullable=False),
    )
    op.create_index("ix_webhook_endpoints_tenant", "webhook_endpoints", ["tenant", "job_id"])
    op.create_index("ix_webhook_endpoints_job", "webhook_endpoints", ["job_id"])
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", sa.String(length=36), primary_key=True),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("endpoint_id", sa.String(length=36), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("job_id", sa.String(length=36), nullable=True),
        sa.Column("event_type", sa.Text(), nullable=False),
        sa.Column("event_key", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("worker_id", sa.String(length=36), nullable=True),
        sa.Column("next_at", sa.Float(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("finished_at", sa.Float(), nullable=True),
        sa.Column("last_status", sa.Integer(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
    )
    deliveries = "webhook_deliveries"
    op.create_index("ix_webhook_deliveries_event", deliveries, ["endpoint_id", "event_key"], unique=True)
    op.create_index(
        "ix_webhook_deliveries_due",
        deliveries,
        ["next_at", "target"],
        sqlite_where=PENDING,
        postgresql_where=PENDING,
    )
    op.create_index(
        "ix_webhook_deliveries_sending",
        deliveries,
        ["worker_id", "target"],
        sqlite_where=SENDING,
        postgresql_where=SENDING,
    )
    op.create_index("ix_webhook_deliveries_tenant", deliveries, ["tenant", "id"])
    op.create_index("ix_webhook_deliveries_job", deliveries, ["job_id"])
    op.create_index("ix_webhook_deliveries_created_at", deliveries, ["created_at"])
    op.create_table(
        "webhook_attempts",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True, autoincrement=True
        ),
        sa.Column("delivery_id", sa.String(length=36), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("excerpt", sa.Text(), nullable=False),
    )
    op.create_index("ix_webhook_attempts_delivery", "webhook_attempts", ["delivery_id"])
    op.create_table(
        "log_positions",
        sa.Column("reader", sa.Text(), primary_key=True),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("xid", sa.BigInteger(), nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_events_xid", "events", ["xid", "id"], if_not_exists=True)


def downgrade() -> None:
    """Take them out again."""
    op.drop_index("ix_events_xid", "events")
    for table in ("log_positions", "webhook_attempts", "webhook_deliveries", "webhook_endpoints"):
        op.drop_table(table)
