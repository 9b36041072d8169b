"""The tables of webhooks: endpoints, what is delivered to them, and every attempt at it."""

from sqlalchemy import JSON, BigInteger, Column, Float, Index, Integer, LargeBinary, String, Table, Text, text

from pagemill.db.table_metadata import metadata

webhook_endpoints = Table(
    "webhook_endpoints",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", Text, nullable=False),
    # Set for an address that came with a job or a batch and is notified of that alone; its name in the database is from
    # when only jobs had one.
    Column("job_id", String(36), key="owner_id"),
    Column("url", Text, nullable=False),
    Column("events", JSON, nullable=False),
    Column("description", Text, nullable=False),
    Column("progress_percent", Integer, nullable=False),
    Column("progress_pages", Integer),
    Column("secret", LargeBinary, nullable=False),
    Column("old_secret", LargeBinary),
    Column("old_secret_until", Float),
    Column("status", Text, nullable=False),
    Column("disabled_reason", Text),
    Column("failing_since", Float),
    Column("created_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
)
Index("ix_webhook_endpoints_tenant", webhook_endpoints.c.tenant, webhook_endpoints.c.owner_id)
Index("ix_webhook_endpoints_job", webhook_endpoints.c.owner_id)

webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("endpoint_id", String(36), nullable=False),
    # What the limit on requests at once counts: the endpoint, or the server of an address that came with a job or a batch.
    Column("target", Text, nullable=False),
    Column("job_id", String(36)),
    Column("event_type", Text, nullable=False),
    Column("event_key", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("fence", Integer, nullable=False),
    Column("worker_id", String(36)),
    Column("next_at", Float, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("finished_at", Float),
    Column("last_status", Integer),
    Column("last_error", Text),
)
PENDING = text("state = 'pending'")
SENDING = text("state = 'sending'")
Index(
    "ix_webhook_deliveries_event",
    webhook_deliveries.c.endpoint_id,
    webhook_deliveries.c.event_key,
    unique=True,
)
Index(
    "ix_webhook_deliveries_due",
    webhook_deliveries.c.next_at,
    webhook_deliveries.c.target,
    sqlite_where=PENDING,
    postgresql_where=PENDING,
)
Index(
    "ix_webhook_deliveries_sending",
    webhook_deliveries.c.worker_id,
    webhook_deliveries.c.target,
    sqlite_where=SENDING,
    postgresql_where=SENDING,
)
Index("ix_webhook_deliveries_tenant", webhook_deliveries.c.tenant, webhook_deliveries.c.id)
Index("ix_webhook_deliveries_job", webhook_deliveries.c.job_id)
Index("ix_webhook_deliveries_created_at", webhook_deliveries.c.created_at)

webhook_attempts = Table(
    "webhook_attempts",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("delivery_id", String(36), nullable=False),
    Column("tenant", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("at", Float, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("url", Text, nullable=False),
    Column("status", Integer),
    Column("error", Text),
    Column("excerpt", Text, nullable=False),
)
Index("ix_webhook_attempts_delivery", webhook_attempts.c.delivery_id)
