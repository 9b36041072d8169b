-- The tables of a new SQLite database, generated from the migrations by `make docs`.

CREATE TABLE alembic_version (
  version_num VARCHAR(32) NOT NULL,
  CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
)

CREATE TABLE documents (
  id VARCHAR(36) NOT NULL,
  tenant TEXT NOT NULL,
  sha256 VARCHAR(64) NOT NULL,
  size_bytes BIGINT NOT NULL,
  media_type TEXT NOT NULL,
  filename TEXT NOT NULL,
  blob_key TEXT NOT NULL,
  created_at FLOAT NOT NULL, source_url TEXT,
  PRIMARY KEY (id)
)

CREATE TABLE events (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  job_id VARCHAR(36),
  seq INTEGER,
  type TEXT NOT NULL,
  at FLOAT NOT NULL,
  facts JSON NOT NULL
, xid BIGINT DEFAULT 0 NOT NULL)

CREATE INDEX ix_events_at ON events (at)

CREATE INDEX ix_events_job ON events (job_id, seq)

CREATE TABLE idempotency_keys (
  tenant TEXT NOT NULL,
  "key" VARCHAR(255) NOT NULL,
  fingerprint VARCHAR(64) NOT NULL,
  job_id VARCHAR(36) NOT NULL,
  answer BLOB NOT NULL,
  created_at FLOAT NOT NULL,
  PRIMARY KEY (tenant, "key")
)

CREATE INDEX ix_idempotency_keys_job ON idempotency_keys (job_id)

CREATE TABLE results (
  id VARCHAR(36) NOT NULL,
  tenant TEXT NOT NULL,
  fingerprint VARCHAR(64) NOT NULL,
  prefix TEXT NOT NULL,
  artifacts JSON NOT NULL,
  document_pages INTEGER NOT NULL,
  pages INTEGER NOT NULL,
  failed_pages JSON NOT NULL,
  warnings JSON NOT NULL,
  complete BOOLEAN NOT NULL,
  created_at FLOAT NOT NULL, to_check JSON, document_facts JSON,
  PRIMARY KEY (id)
)

CREATE INDEX ix_results_prefix ON results (prefix)

CREATE INDEX ix_results_reusable ON results (tenant, fingerprint) WHERE complete = 1

CREATE TABLE workers (
  id VARCHAR(36) NOT NULL,
  tenant TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  slots INTEGER NOT NULL,
  lanes JSON NOT NULL,
  started_at FLOAT NOT NULL,
  seen_at FLOAT NOT NULL,
  pages_per_second FLOAT NOT NULL, draining BOOLEAN DEFAULT false NOT NULL, version TEXT DEFAULT '' NOT NULL, engines JSON DEFAULT '[]' NOT NULL, trouble TEXT,
  PRIMARY KEY (id)
)

CREATE TABLE jobs (
  id VARCHAR(36) NOT NULL,
  tenant TEXT NOT NULL,
  document_id VARCHAR(36) NOT NULL,
  run INTEGER NOT NULL,
  status TEXT NOT NULL,
  stage TEXT NOT NULL,
  lane TEXT NOT NULL,
  priority INTEGER NOT NULL,
  options JSON NOT NULL,
  metadata JSON NOT NULL,
  fingerprint VARCHAR(64) NOT NULL,
  password BLOB,
  document_pages INTEGER,
  total_pages INTEGER,
  processed_pages INTEGER NOT NULL,
  failed_pages JSON NOT NULL,
  warnings JSON NOT NULL,
  error JSON,
  crashes INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  lost INTEGER NOT NULL,
  chunks_left INTEGER NOT NULL,
  result_id VARCHAR(36),
  revision INTEGER NOT NULL,
  reused BOOLEAN NOT NULL,
  seconds JSON NOT NULL,
  version INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  created_at FLOAT NOT NULL,
  started_at FLOAT,
  finished_at FLOAT,
  expires_at FLOAT NOT NULL,
  removed_at FLOAT,
  swept BOOLEAN NOT NULL, traceparent TEXT, source BLOB, source_headers BLOB, to_check JSON, cpu_seconds FLOAT DEFAULT 0 NOT NULL, remote_calls INTEGER DEFAULT 0 NOT NULL, price FLOAT DEFAULT 0 NOT NULL, document_facts JSON, classification JSON,
  PRIMARY KEY (id),
  CONSTRAINT fk_jobs_document_id FOREIGN KEY(document_id) REFERENCES documents (id),
  CONSTRAINT fk_jobs_result_id FOREIGN KEY(result_id) REFERENCES results (id)
)

CREATE INDEX ix_jobs_document_id ON jobs (document_id)

CREATE INDEX ix_jobs_expires_at ON jobs (expires_at) WHERE removed_at IS NULL

CREATE INDEX ix_jobs_result_id ON jobs (result_id)

CREATE INDEX ix_jobs_swept ON jobs (removed_at) WHERE swept

CREATE INDEX ix_jobs_tenant_id ON jobs (tenant, id) WHERE removed_at IS NULL

CREATE INDEX ix_jobs_tenant_status ON jobs (tenant, status, removed_at, id)

CREATE INDEX ix_jobs_unswept ON jobs (removed_at) WHERE removed_at IS NOT NULL AND NOT swept

CREATE TABLE chunks (
  id VARCHAR(36) NOT NULL,
  job_id VARCHAR(36) NOT NULL,
  tenant TEXT NOT NULL,
  run INTEGER NOT NULL,
  step TEXT NOT NULL,
  lane TEXT NOT NULL,
  priority INTEGER NOT NULL,
  first_page INTEGER,
  last_page INTEGER,
  single BOOLEAN NOT NULL,
  small BOOLEAN NOT NULL,
  state TEXT NOT NULL,
  fence INTEGER NOT NULL,
  worker_id VARCHAR(36),
  claimed_at FLOAT,
  not_before FLOAT NOT NULL,
  crashes INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  lost INTEGER NOT NULL,
  output TEXT,
  failed_pages JSON NOT NULL,
  created_at FLOAT NOT NULL,
  finished_at FLOAT, providers JSON, handed_pages JSON DEFAULT '[]' NOT NULL, needs TEXT, lost_by TEXT,
  PRIMARY KEY (id),
  CONSTRAINT fk_chunks_job_id FOREIGN KEY(job_id) REFERENCES jobs (id) ON DELETE CASCADE
)

CREATE INDEX ix_chunks_job ON chunks (job_id, run, first_page)

CREATE INDEX ix_chunks_ready ON chunks (lane, tenant, priority DESC, job_id, id) WHERE state = 'ready'

CREATE INDEX ix_chunks_running ON chunks (worker_id) WHERE state = 'running'

CREATE TABLE permits (
  "key" TEXT NOT NULL,
  provider TEXT NOT NULL,
  tenant TEXT NOT NULL,
  count INTEGER NOT NULL,
  taken_at FLOAT NOT NULL,
  PRIMARY KEY ("key", provider)
)

CREATE INDEX ix_permits_provider ON permits (provider)

CREATE INDEX ix_events_tenant_xid ON events (tenant, xid, id)

CREATE INDEX ix_events_tenant_type_xid ON events (tenant, type, xid, id)

CREATE TABLE leases (
  name TEXT NOT NULL,
  tenant TEXT NOT NULL,
  holder VARCHAR(36) NOT NULL,
  until FLOAT NOT NULL,
  PRIMARY KEY (name)
)

CREATE TABLE paused_lanes (
  lane TEXT NOT NULL,
  tenant TEXT NOT NULL,
  paused_at FLOAT NOT NULL,
  PRIMARY KEY (lane)
)

CREATE TABLE api_keys (
  id VARCHAR(36) NOT NULL,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  sha256 VARCHAR(64) NOT NULL,
  created_at FLOAT NOT NULL,
  revoked_at FLOAT, scopes JSON DEFAULT '["read", "write"]' NOT NULL, expires_at FLOAT, last_used_at FLOAT, hint TEXT DEFAULT '' NOT NULL, subject TEXT,
  PRIMARY KEY (id)
)

CREATE UNIQUE INDEX ix_api_keys_sha256 ON api_keys (sha256)

CREATE TABLE uploads (
  id VARCHAR(36) NOT NULL,
  tenant TEXT NOT NULL,
  blob_key TEXT NOT NULL,
  filename TEXT NOT NULL,
  created_at FLOAT NOT NULL,
  expires_at FLOAT NOT NULL, size_bytes BIGINT, offset_bytes BIGINT, parts JSON, metadata TEXT,
  PRIMARY KEY (id)
)

CREATE INDEX ix_uploads_expires_at ON uploads (expires_at)

CREATE INDEX ix_chunks_running_tenant ON chunks (tenant, job_id) WHERE state = 'running'

CREATE TABLE installation (
  id VARCHAR(36) NOT NULL,
  tenant TEXT NOT NULL,
  created_at FLOAT NOT NULL,
  PRIMARY KEY (id)
)

CREATE TABLE revisions (
  job_id VARCHAR(36) NOT NULL,
  revision INTEGER NOT NULL,
  tenant TEXT NOT NULL,
  result_id VARCHAR(36) NOT NULL,
  run INTEGER NOT NULL,
  options JSON NOT NULL,
  kept_at FLOAT NOT NULL,
  PRIMARY KEY (job_id, revision),
  CONSTRAINT fk_revisions_job_id FOREIGN KEY(job_id) REFERENCES jobs (id) ON DELETE CASCADE
)

CREATE INDEX ix_revisions_result_id ON revisions (result_id)

CREATE TABLE webhook_endpoints (
  id VARCHAR(36) NOT NULL,
  tenant TEXT NOT NULL,
  job_id VARCHAR(36),
  url TEXT NOT NULL,
  events JSON NOT NULL,
  description TEXT NOT NULL,
  progress_percent INTEGER NOT NULL,
  progress_pages INTEGER,
  secret BLOB NOT NULL,
  old_secret BLOB,
  old_secret_until FLOAT,
  status TEXT NOT NULL,
  disabled_reason TEXT,
  failing_since FLOAT,
  created_at FLOAT NOT NULL,
  updated_at FLOAT NOT NULL,
  PRIMARY KEY (id)
)

CREATE INDEX ix_webhook_endpoints_tenant ON webhook_endpoints (tenant, job_id)

CREATE INDEX ix_webhook_endpoints_job ON webhook_endpoints (job_id)

CREATE TABLE webhook_deliveries (
  id VARCHAR(36) NOT NULL,
  tenant TEXT NOT NULL,
  endpoint_id VARCHAR(36) NOT NULL,
  target TEXT NOT NULL,
  job_id VARCHAR(36),
  event_type TEXT NOT NULL,
  event_key TEXT NOT NULL,
  payload TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  worker_id VARCHAR(36),
  next_at FLOAT NOT NULL,
  created_at FLOAT NOT NULL,
  finished_at FLOAT,
  last_status INTEGER,
  last_error TEXT,
  PRIMARY KEY (id)
)

CREATE UNIQUE INDEX ix_webhook_deliveries_event ON webhook_deliveries (endpoint_id, event_key)

CREATE INDEX ix_webhook_deliveries_due ON webhook_deliveries (next_at, target) WHERE state = 'pending'

CREATE INDEX ix_webhook_deliveries_sending ON webhook_deliveries (worker_id, target) WHERE state = 'sending'

CREATE INDEX ix_webhook_deliveries_tenant ON webhook_deliveries (tenant, id)

CREATE INDEX ix_webhook_deliveries_job ON webhook_deliveries (job_id)

CREATE INDEX ix_webhook_deliveries_created_at ON webhook_deliveries (created_at)

CREATE TABLE webhook_attempts (
  id INTEGER NOT NULL,
  delivery_id VARCHAR(36) NOT NULL,
  tenant TEXT NOT NULL,
  number INTEGER NOT NULL,
  at FLOAT NOT NULL,
  seconds FLOAT NOT NULL,
  url TEXT NOT NULL,
  status INTEGER,
  error TEXT,
  excerpt TEXT NOT NULL,
  PRIMARY KEY (id)
)

CREATE INDEX ix_webhook_attempts_delivery ON webhook_attempts (delivery_id)

CREATE TABLE log_positions (
  reader TEXT NOT NULL,
  tenant TEXT NOT NULL,
  xid BIGINT NOT NULL,
  event_id BIGINT NOT NULL,
  PRIMARY KEY (reader)
)

CREATE INDEX ix_events_xid ON events (xid, id)

CREATE TABLE ended_sessions (
  id VARCHAR(64) NOT NULL,
  tenant TEXT NOT NULL,
  expires_at FLOAT NOT NULL,
  PRIMARY KEY (id)
)

CREATE INDEX ix_ended_sessions_expires_at ON ended_sessions (expires_at)

CREATE TABLE audit_log (
  id INTEGER NOT NULL,
  tenant TEXT NOT NULL,
  at FLOAT NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  facts JSON NOT NULL,
  PRIMARY KEY (id)
)

CREATE INDEX ix_audit_log_tenant ON audit_log (tenant, id)

CREATE INDEX ix_audit_log_at ON audit_log (at)

CREATE INDEX ix_documents_tenant ON documents (tenant, created_at)

CREATE TABLE batches (
  id VARCHAR(36) NOT NULL,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  metadata JSON NOT NULL,
  total INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  run INTEGER NOT NULL,
  created_at FLOAT NOT NULL,
  started_at FLOAT NOT NULL,
  cancelled_at FLOAT,
  finished_at FLOAT,
  expires_at FLOAT NOT NULL,
  removed_at FLOAT, parent_job_id VARCHAR(36), depth INTEGER DEFAULT '0' NOT NULL, budget INTEGER DEFAULT '0' NOT NULL,
  PRIMARY KEY (id)
)

CREATE INDEX ix_batches_tenant_id ON batches (tenant, id)

CREATE INDEX ix_batches_finished_at ON batches (finished_at)

CREATE INDEX ix_batches_expires_at ON batches (expires_at)

CREATE TABLE batch_items (
  batch_id VARCHAR(36) NOT NULL,
  number INTEGER NOT NULL,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  job_id VARCHAR(36),
  error JSON,
  PRIMARY KEY (batch_id, number)
)

CREATE TABLE tenant_limits (
  tenant TEXT NOT NULL,
  retention_seconds FLOAT,
  max_pending_jobs INTEGER,
  max_tenant_bytes BIGINT,
  max_tenant_pages_per_day INTEGER,
  max_requests_per_minute INTEGER,
  max_tenant_uploads INTEGER,
  max_tenant_waiting_requests INTEGER, enrich TEXT,
  PRIMARY KEY (tenant)
)

CREATE INDEX ix_batch_items_job ON batch_items (job_id)

CREATE TABLE usage (
  tenant TEXT NOT NULL,
  day VARCHAR(10) NOT NULL,
  jobs INTEGER NOT NULL,
  pages INTEGER NOT NULL,
  cpu_seconds FLOAT NOT NULL,
  remote_calls INTEGER NOT NULL,
  price FLOAT NOT NULL,
  PRIMARY KEY (tenant, day)
)

CREATE INDEX ix_usage_day ON usage (day)

CREATE INDEX ix_batches_parent_job_id ON batches (parent_job_id)

CREATE TABLE indexed_results (
  result_id VARCHAR(36) NOT NULL,
  tenant TEXT NOT NULL,
  passages INTEGER NOT NULL,
  complete BOOLEAN NOT NULL, embedded_by TEXT,
  PRIMARY KEY (result_id)
)

CREATE INDEX ix_indexed_results_complete ON indexed_results (complete)

CREATE TABLE passages (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  result_id VARCHAR(36) NOT NULL,
  number INTEGER NOT NULL,
  headings JSON NOT NULL,
  text TEXT NOT NULL,
  places JSON NOT NULL,
  words TEXT NOT NULL,
  lexemes TEXT
)

CREATE INDEX ix_passages_result ON passages (result_id, number)

CREATE VIRTUAL TABLE passages_fts USING fts5(words, content='passages', content_rowid='id', tokenize='ascii')

CREATE INDEX ix_indexed_results_embedded_by ON indexed_results (embedded_by)

CREATE TABLE passage_vectors (
  passage_id INTEGER NOT NULL,
  tenant TEXT NOT NULL,
  result_id VARCHAR(36) NOT NULL,
  model TEXT NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (passage_id)
)

CREATE INDEX ix_passage_vectors_tenant ON passage_vectors (tenant, model)

CREATE INDEX ix_passage_vectors_result ON passage_vectors (result_id)

CREATE TABLE vector_versions (
  tenant TEXT NOT NULL,
  version BIGINT NOT NULL,
  PRIMARY KEY (tenant)
)

CREATE TABLE class_examples (
  job_id VARCHAR(36) NOT NULL,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  features JSON NOT NULL,
  created_at FLOAT NOT NULL,
  PRIMARY KEY (job_id)
)

CREATE INDEX ix_class_examples_tenant ON class_examples (tenant, name)

CREATE TABLE routing_rules (
  id VARCHAR(36) NOT NULL,
  tenant TEXT NOT NULL,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  enabled BOOLEAN NOT NULL,
  stop BOOLEAN NOT NULL,
  conditions JSON NOT NULL,
  actions JSON NOT NULL,
  created_at FLOAT NOT NULL,
  updated_at FLOAT NOT NULL,
  PRIMARY KEY (id)
)

CREATE INDEX ix_routing_rules_tenant ON routing_rules (tenant, position)

INSERT INTO alembic_version (version_num) VALUES ('0025')
