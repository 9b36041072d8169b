"""The tables of batches and of usage."""

from sqlalchemy import JSON, Column, Float, Index, Integer, String, Table, Text

from pagemill.db.table_metadata import metadata

batches = Table(
    "batches",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("metadata", JSON, nullable=False),
    Column("total", Integer, nullable=False),
    # Items that are no documents and have no job.
    Column("refused", Integer, nullable=False),
    Column("run", Integer, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("started_at", Float, nullable=False),
    Column("cancelled_at", Float),
    Column("finished_at", Float),
    Column("expires_at", Float, nullable=False),
    Column("removed_at", Float),
    # Set for the files inside of a document: the job of that, how deep they are, and how many files each may have.
    Column("parent_job_id", String(36)),
    Column("depth", Integer, nullable=False, server_default="0"),
    Column("budget", Integer, nullable=False, server_default="0"),
)
Index("ix_batches_parent_job_id", batches.c.parent_job_id)
Index("ix_batches_tenant_id", batches.c.tenant, batches.c.id)
Index("ix_batches_finished_at", batches.c.finished_at)
Index("ix_batches_expires_at", batches.c.expires_at)

batch_items = Table(
    "batch_items",
    metadata,
    Column("batch_id", String(36), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("tenant", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("job_id", String(36)),
    Column("error", JSON(none_as_null=True)),
)
Index("ix_batch_items_job", batch_items.c.job_id)

usage = Table(
    "usage",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("jobs", Integer, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("cpu_seconds", Float, nullable=False),
    Column("remote_calls", Integer, nullable=False),
    Column("price", Float, nullable=False),
)
Index("ix_usage_day", usage.c.day)
