"""The tables of keys, sessions, limits of tenants and the audit log."""

from sqlalchemy import JSON, BigInteger, Column, Float, Index, Integer, String, Table, Text, text

from pagemill.db.table_metadata import metadata

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("revoked_at", Float),
    Column("scopes", JSON, nullable=False, server_default=text("""'["read", "write"]'""")),
    Column("expires_at", Float),
    Column("last_used_at", Float),
    Column("hint", Text, nullable=False, server_default=text("''")),
    # Of the rows of log-ins, which end by themselves and are no keys.
    Column("subject", Text),
)
Index("ix_api_keys_sha256", api_keys.c.sha256, unique=True)

# Sessions of web pages that were ended before their time; the others have no row.
ended_sessions = Table(
    "ended_sessions",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("expires_at", Float, nullable=False),
)
Index("ix_ended_sessions_expires_at", ended_sessions.c.expires_at)

audit_log = Table(
    "audit_log",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("tenant", Text, nullable=False),
    Column("at", Float, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("facts", JSON, nullable=False),
)
Index("ix_audit_log_tenant", audit_log.c.tenant, audit_log.c.id)
Index("ix_audit_log_at", audit_log.c.at)

# Tenants whose limits differ from the settings; what is empty is as the settings say.
tenant_limits = Table(
    "tenant_limits",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("retention_seconds", Float),
    Column("max_pending_jobs", Integer),
    Column("max_tenant_bytes", BigInteger),
    Column("max_tenant_pages_per_day", Integer),
    Column("max_requests_per_minute", Integer),
    Column("max_tenant_uploads", Integer),
    Column("max_tenant_waiting_requests", Integer),
    # What is added to every document, beside what its submission asks for.
    Column("enrich", Text),
)
