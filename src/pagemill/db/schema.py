"""The tables. Every row carries its tenant; times are seconds since 1970 by the database's clock."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    text,
)

from pagemill.db.access_tables import api_keys, audit_log, ended_sessions, tenant_limits
from pagemill.db.batch_tables import batch_items, batches, usage
from pagemill.db.search_tables import indexed_results, passage_vectors, passages, vector_versions
from pagemill.db.table_metadata import metadata
from pagemill.db.understanding_tables import class_examples, routing_rules
from pagemill.db.webhook_tables import webhook_attempts, webhook_deliveries, webhook_endpoints

# What other modules take from here beside the tables below.
__all__ = ["api_keys", "audit_log", "batch_items", "batches", "ended_sessions", "indexed_results"]
__all__ += ["metadata", "passage_vectors", "passages", "tenant_limits", "usage", "vector_versions"]
__all__ += ["class_examples", "routing_rules", "webhook_attempts", "webhook_deliveries", "webhook_endpoints"]

documents = Table(
    "documents",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("filename", Text, nullable=False),
    Column("blob_key", Text, nullable=False),
    Column("created_at", Float, nullable=False),
    # Set for a document that was fetched, without what may be secret in it.
    Column("source_url", Text),
)
Index("ix_documents_tenant", documents.c.tenant, documents.c.created_at)

results = Table(
    "results",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("prefix", Text, nullable=False),
    Column("artifacts", JSON, nullable=False),
    Column("document_pages", Integer, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("failed_pages", JSON, nullable=False),
    Column("warnings", JSON, nullable=False),
    Column("complete", Boolean, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("to_check", JSON(none_as_null=True)),
    Column("document_facts", JSON(none_as_null=True)),
)
# Written as a condition on the column is compiled for each database: SQLite has no booleans of its own.
Index(
    "ix_results_reusable",
    results.c.tenant,
    results.c.fingerprint,
    sqlite_where=text("complete = 1"),
    postgresql_where=text("complete"),
)
Index("ix_results_prefix", results.c.prefix)

jobs = Table(
    "jobs",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("document_id", String(36), ForeignKey("documents.id"), nullable=False),
    Column("run", Integer, nullable=False, default=1),
    Column("status", Text, nullable=False),
    Column("stage", Text, nullable=False),
    Column("lane", Text, nullable=False),
    Column("priority", Integer, nullable=False, default=0),
    Column("options", JSON, nullable=False),
    Column("metadata", JSON, nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("password", LargeBinary),
    Column("document_pages", Integer),
    Column("total_pages", Integer),
    Column("processed_pages", Integer, nullable=False, default=0),
    Column("failed_pages", JSON, nullable=False),
    Column("warnings", JSON, nullable=False),
    Column("error", JSON(none_as_null=True)),
    Column("crashes", Integer, nullable=False, default=0),
    Column("errors", Integer, nullable=False, default=0),
    Column("lost", Integer, nullable=False, default=0),
    Column("chunks_left", Integer, nullable=False, default=0),
    Column("result_id", String(36), ForeignKey("results.id")),
    Column("revision", Integer, nullable=False, default=0),
    Column("reused", Boolean, nullable=False, default=False),
    Column("seconds", JSON, nullable=False),
    Column("version", Integer, nullable=False, default=1),
    Column("last_seq", Integer, nullable=False, default=0),
    Column("created_at", Float, nullable=False),
    Column("started_at", Float),
    Column("finished_at", Float),
    Column("expires_at", Float, nullable=False),
    Column("removed_at", Float),
    Column("swept", Boolean, nullable=False, default=False),
    Column("traceparent", Text),
    # Where the document is fetched from, and the headers for that server; both encrypted.
    Column("source", LargeBinary),
    Column("source_headers", LargeBinary),
    Column("to_check", JSON(none_as_null=True)),
    Column("document_facts", JSON(none_as_null=True)),
    Column("cpu_seconds", Float, nullable=False, server_default=text("0")),
    Column("remote_calls", Integer, nullable=False, server_default=text("0")),
    Column("price", Float, nullable=False, server_default=text("0")),
    Column("classification", JSON(none_as_null=True)),
)
# SQLite uses an index on some rows only for a statement that holds these very words.
LIVING = text("removed_at IS NULL")
UNSWEPT = text("removed_at IS NOT NULL AND NOT swept")
SWEPT = text("swept")
Index("ix_jobs_tenant_id", jobs.c.tenant, jobs.c.id, sqlite_where=LIVING, postgresql_where=LIVING)
# Over all jobs, because active ones are counted without a look at whether they were removed.
Index("ix_jobs_tenant_status", jobs.c.tenant, jobs.c.status, jobs.c.removed_at, jobs.c.id)
Index("ix_jobs_expires_at", jobs.c.expires_at, sqlite_where=LIVING, postgresql_where=LIVING)
Index("ix_jobs_result_id", jobs.c.result_id)
Index("ix_jobs_document_id", jobs.c.document_id)
Index("ix_jobs_unswept", jobs.c.removed_at, sqlite_where=UNSWEPT, postgresql_where=UNSWEPT)
Index("ix_jobs_swept", jobs.c.removed_at, sqlite_where=SWEPT, postgresql_where=SWEPT)

revisions = Table(
    "revisions",
    metadata,
    Column("job_id", String(36), ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("revision", Integer, primary_key=True, autoincrement=False),
    Column("tenant", Text, nullable=False),
    Column("result_id", String(36), nullable=False),
    Column("run", Integer, nullable=False),
    Column("options", JSON, nullable=False),
    Column("kept_at", Float, nullable=False),
)
Index("ix_revisions_result_id", revisions.c.result_id)

chunks = Table(
    "chunks",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("job_id", String(36), ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("tenant", Text, nullable=False),
    Column("run", Integer, nullable=False),
    Column("step", Text, nullable=False),
    Column("lane", Text, nullable=False),
    Column("priority", Integer, nullable=False, default=0),
    Column("first_page", Integer),
    Column("last_page", Integer),
    Column("single", Boolean, nullable=False, default=False),
    Column("providers", JSON(none_as_null=True)),
    Column("handed_pages", JSON, nullable=False, server_default=text("'[]'")),
    Column("small", Boolean, nullable=False, default=False),
    Column("state", Text, nullable=False),
    Column("fence", Integer, nullable=False, default=0),
    Column("worker_id", String(36)),
    Column("claimed_at", Float),
    Column("not_before", Float, nullable=False, default=0),
    Column("crashes", Integer, nullable=False, default=0),
    Column("errors", Integer, nullable=False, default=0),
    Column("lost", Integer, nullable=False, default=0),
    Column("output", Text),
    Column("failed_pages", JSON, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("finished_at", Float),
    # The providers or engines that a worker must have to take it; any worker may if it is empty.
    Column("needs", Text),
    # The workers that have vanished with it, separated by spaces.
    Column("lost_by", Text),
)
READY = text("state = 'ready'")
RUNNING = text("state = 'running'")
Index(
    "ix_chunks_ready",
    chunks.c.lane,
    chunks.c.tenant,
    chunks.c.priority.desc(),
    chunks.c.job_id,
    chunks.c.id,
    sqlite_where=READY,
    postgresql_where=READY,
)
Index("ix_chunks_running", chunks.c.worker_id, sqlite_where=RUNNING, postgresql_where=RUNNING)
Index(
    "ix_chunks_running_tenant",
    chunks.c.tenant,
    chunks.c.job_id,
    sqlite_where=RUNNING,
    postgresql_where=RUNNING,
)
Index("ix_chunks_job", chunks.c.job_id, chunks.c.run, chunks.c.first_page)

events = Table(
    "events",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("tenant", Text, nullable=False),
    Column("job_id", String(36)),
    Column("seq", Integer),
    Column("type", Text, nullable=False),
    Column("at", Float, nullable=False),
    Column("facts", JSON, nullable=False),
    # The transaction that wrote the line, where several can be under way; the order of a log that all can read.
    Column("xid", BigInteger, nullable=False, server_default=text("0"), info={"left_to_database": True}),
    sqlite_autoincrement=True,
)
Index("ix_events_job", events.c.job_id, events.c.seq)
Index("ix_events_tenant_xid", events.c.tenant, events.c.xid, events.c.id)
Index("ix_events_tenant_type_xid", events.c.tenant, events.c.type, events.c.xid, events.c.id)
Index("ix_events_at", events.c.at)
Index("ix_events_xid", events.c.xid, events.c.id)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("job_id", String(36), nullable=False),
    Column("answer", LargeBinary, nullable=False),
    Column("created_at", Float, nullable=False),
)
Index("ix_idempotency_keys_job", idempotency_keys.c.job_id)

permits = Table(
    "permits",
    metadata,
    Column("key", Text, primary_key=True),
    Column("provider", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("count", Integer, nullable=False),
    Column("taken_at", Float, nullable=False),
)
Index("ix_permits_provider", permits.c.provider)

workers = Table(
    "workers",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("slots", Integer, nullable=False),
    Column("lanes", JSON, nullable=False),
    Column("started_at", Float, nullable=False),
    Column("seen_at", Float, nullable=False),
    Column("pages_per_second", Float, nullable=False, default=0.0),
    Column("draining", Boolean, nullable=False, default=False, server_default=text("false")),
    Column("version", Text, nullable=False, default="", server_default=text("''")),
    Column("engines", JSON, nullable=False, default=list, server_default=text("'[]'")),
    Column("trouble", Text, nullable=True),
)

installation = Table(
    "installation",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("created_at", Float, nullable=False),
)

leases = Table(
    "leases",
    metadata,
    Column("name", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("holder", String(36), nullable=False),
    Column("until", Float, nullable=False),
)

paused_lanes = Table(
    "paused_lanes",
    metadata,
    Column("lane", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("paused_at", Float, nullable=False),
)

uploads = Table(
    "uploads",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("blob_key", Text, nullable=False),
    Column("filename", Text, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("expires_at", Float, nullable=False),
    # Of an upload that arrives in parts: its whole size, how far it has come, the keys of its parts, and the words of its client.
    Column("size_bytes", BigInteger),
    Column("offset_bytes", BigInteger),
    Column("parts", JSON),
    Column("metadata", Text),
)
Index("ix_uploads_expires_at", uploads.c.expires_at)

# How far each reader of the whole log has come.
log_positions = Table(
    "log_positions",
    metadata,
    Column("reader", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("xid", BigInteger, nullable=False),
    Column("event_id", BigInteger, nullable=False),
)
