/** The shapes of the API, generated from its OpenAPI document by `make docs`. */

export interface Artifact {
  name: string;
  media_type: string;
  size_bytes: number | null;
  link: string;
}

export interface ArtifactLink {
  url: string;
  expires_at: string;
  filename: string;
  media_type: string;
  size_bytes: number;
  sha256: string;
}

export interface Artifacts {
  artifacts: Artifact[];
}

export interface AttachmentView {
  name: string;
  size_bytes: number;
}

export interface AttemptShown {
  number: number;
  at: string;
  seconds: number;
  url: string;
  status: number | null;
  error: string | null;
  answer: string;
}

export interface AuditEntry {
  event: "upload_received" | "validation_failed" | "stored" | "processing_started" | "worker_completed" | "worker_failed";
  file_id: string | null;
  at: string;
  detail: Record<string, unknown>;
}

export interface AuditLogEntry {
  id: number;
  tenant: string;
  at: string;
  actor: string;
  action: string;
  subject: string;
  facts: Record<string, unknown>;
}

export interface AuditLogPage {
  lines: AuditLogEntry[];
  next_before: number | null;
}

export interface AuditPage {
  events: AuditEntry[];
  next_cursor: string;
}

export interface AuditTrail {
  events: AuditEntry[];
}

export interface Batch {
  id: string;
  status: "pending" | "processing" | "completed" | "failed" | "cancelled";
  name: string;
  metadata: Record<string, string>;
  total: number;
  counts: Record<string, number>;
  total_pages: number;
  processed_pages: number;
  eta_seconds: number | null;
  cost: CostView;
  run: number;
  created_at: string;
  finished_at: string | null;
  expires_at: string;
  parent_job_id?: string | null;
  links: Record<string, string>;
}

export interface BatchEntries {
  items: BatchEntry[];
}

export interface BatchEntry {
  number: number;
  name: string;
  job_id: string | null;
  status: string;
  error: Record<string, unknown> | null;
  total_pages: number | null;
  processed_pages: number;
  link: string | null;
}

export interface BatchPage {
  batches: Batch[];
  next_cursor: string | null;
}

export interface CeleryError {
  code: string;
  message: string;
  retryable: boolean;
}

export interface CeleryJob {
  task_id: string;
  task_status: "PENDING" | "STARTED" | "RETRY" | "SUCCESS" | "FAILURE";
  task_result: CeleryResult | null;
}

export interface CeleryJobs {
  jobs: CeleryJob[];
  next_cursor: string | null;
}

export interface CeleryResult {
  page_count?: number | null;
  failed_pages?: number[] | null;
  summary?: string | null;
  links?: Record<string, string> | null;
  error?: CeleryError | null;
}

export interface CelerySubmitted {
  job_id: string;
}

export interface ClassCount {
  name: string;
  examples: number;
}

export interface ClassExample {
  job_id: string;
  labelled_at: string;
}

export interface ClassList {
  classes: ClassCount[];
}

export interface ClassView {
  name: string;
  examples: ClassExample[];
}

export interface CostView {
  cpu_seconds: number;
  remote_calls: number;
  price: number;
}

export interface Counters {
  crashes: number;
  errors: number;
  lost: number;
}

export interface DeliveryPage {
  deliveries: DeliveryShown[];
  next_cursor: string | null;
}

export interface DeliveryShown {
  id: string;
  endpoint_id: string;
  job_id: string | null;
  event: string;
  state: "pending" | "sending" | "delivered" | "failed" | "cancelled";
  attempts: number;
  next_attempt_at: string | null;
  last_status: number | null;
  last_error: string | null;
  created_at: string;
  finished_at: string | null;
  payload?: string | null;
  log?: AttemptShown[] | null;
}

export interface Document {
  id: string;
  filename: string;
  size_bytes: number;
  sha256: string;
  media_type: string;
  source_url: string | null;
  facts: FactsView | null;
}

export interface EndpointList {
  webhooks: EndpointShown[];
}

export interface EndpointMade {
  id: string;
  url: string;
  events: string[];
  description: string;
  progress_percent: number;
  progress_pages: number | null;
  status: "active" | "disabled";
  disabled_reason: string | null;
  failing_since: string | null;
  old_secret_until: string | null;
  created_at: string;
  updated_at: string;
  deliveries?: Record<string, number> | null;
  secret: string;
}

export interface EndpointShown {
  id: string;
  url: string;
  events: string[];
  description: string;
  progress_percent: number;
  progress_pages: number | null;
  status: "active" | "disabled";
  disabled_reason: string | null;
  failing_since: string | null;
  old_secret_until: string | null;
  created_at: string;
  updated_at: string;
  deliveries?: Record<string, number> | null;
}

export interface EntityWish {
  type: string;
  value?: string | null;
  at_least?: number | null;
  at_most?: number | null;
}

export interface Event {
  id: number;
  type: string;
  job_id: string | null;
  seq: number | null;
  at: string;
  facts: Record<string, unknown>;
}

export interface EventPage {
  events: Event[];
  next_cursor: string;
}

export type EventType =
  | "job.accepted"
  | "job.started"
  | "job.fetched"
  | "job.scanned"
  | "job.planned"
  | "chunk.read"
  | "chunk.set_back"
  | "chunk.split"
  | "job.joining"
  | "job.enriching"
  | "job.enriched"
  | "job.published"
  | "job.completed"
  | "job.failed"
  | "job.cancelled"
  | "job.retried"
  | "job.restored"
  | "job.labelled"
  | "job.corrected"
  | "job.classified"
  | "job.routed"
  | "job.removed"
  | "batch.accepted"
  | "batch.completed"
  | "batch.failed"
  | "batch.cancelled"
  | "request.refused"
  | "webhook.disabled";

export interface ExpandedJob {
  id: string;
  status: "pending" | "processing" | "completed" | "failed" | "cancelled";
  stage: string;
  lane: string;
  tenant: string;
  priority: number;
  document: Document;
  options: JobOptions;
  metadata: Record<string, string>;
  classification: Classification | null;
  document_pages: number | null;
  total_pages: number | null;
  processed_pages: number;
  failed_pages: FailedPage[];
  warnings: string[];
  to_check: number[];
  lacks_text: boolean;
  error: JobError | null;
  counters: Counters;
  run: number;
  revision: number;
  reused: boolean;
  queue_position: number | null;
  eta_seconds: number | null;
  seconds: Record<string, number>;
  cost: CostView;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  expires_at: string;
  version: number;
  links: Record<string, string>;
  expanded?: Record<string, unknown> | null;
}

export interface Extracted {
  engine: string;
  record: Record<string, unknown>;
  values: ExtractedField[];
  valid: boolean;
  errors: string[];
  not_supported: string[];
  cost: ExtractionCost;
}

export interface ExtractedField {
  pointer: string;
  value: string | number | number | boolean;
  quote: string | null;
  grounded: boolean;
  page: number | null;
  block: string | null;
  box: number[] | null;
}

export interface ExtractionCost {
  calls: number;
  prompt_tokens: number;
  completion_tokens: number;
  price: number;
}

export interface FactsView {
  title: string | null;
  authors: string[];
  subject: string | null;
  keywords: string | null;
  creator: string | null;
  producer: string | null;
  created_at: string | null;
  modified_at: string | null;
  language: string | null;
  outline: OutlineView[];
  page_labels: string[] | null;
  attachments: AttachmentView[];
  tagged: boolean;
  signed: boolean;
  pdf_a: string | null;
  shortened: boolean;
}

export interface FilePageText {
  page: number;
  text: string;
  tables: string[][][];
}

export interface FileText {
  file_id: string;
  status: "pending" | "processing" | "completed" | "failed" | "cancelled";
  filename: string;
  total_pages: number | null;
  processed_pages: number;
  failed_pages: number[];
  error_message: string | null;
  created_at: string;
  finished_at: string | null;
  pages: FilePageText[];
  full_text: string | null;
}

export interface FoundBox {
  page: number;
  block: string | null;
  box: number[] | null;
}

export interface FoundChunk {
  job_id: string;
  filename: string;
  media_type: string;
  created_at: string;
  metadata: Record<string, string>;
  chunk: string;
  headings: string[];
  page: number;
  boxes: FoundBox[];
  snippet: string;
  highlights: number[][];
  score: number;
}

export interface Health {
  status: "ok";
  version: string;
  uptime_seconds: number;
  sandbox?: string | null;
  providers?: Provider[] | null;
  models?: string[] | null;
}

export interface Image {
  name: string;
  page: number;
  caption: string;
  box: [number, number, number, number];
  link: string;
}

export interface Images {
  images: Image[];
}

export interface JobChildren {
  parent_job_id: string | null;
  batch_id: string | null;
  children: BatchEntry[];
}

export interface JobPage {
  jobs: Job[];
  next_cursor: string | null;
  counts?: Record<string, number> | null;
}

export interface JobSecret {
  secret: string;
}

export interface Job {
  id: string;
  status: "pending" | "processing" | "completed" | "failed" | "cancelled";
  stage: string;
  lane: string;
  tenant: string;
  priority: number;
  document: Document;
  options: JobOptions;
  metadata: Record<string, string>;
  classification: Classification | null;
  document_pages: number | null;
  total_pages: number | null;
  processed_pages: number;
  failed_pages: FailedPage[];
  warnings: string[];
  to_check: number[];
  lacks_text: boolean;
  error: JobError | null;
  counters: Counters;
  run: number;
  revision: number;
  reused: boolean;
  queue_position: number | null;
  eta_seconds: number | null;
  seconds: Record<string, number>;
  cost: CostView;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  expires_at: string;
  version: number;
  links: Record<string, string>;
}

export interface KeyList {
  keys: KeyShown[];
}

export interface KeyMade {
  id: string;
  tenant: string;
  name: string;
  scopes: Scope[];
  hint: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  key: string;
}

export interface KeyShown {
  id: string;
  tenant: string;
  name: string;
  scopes: Scope[];
  hint: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

export interface LaneState {
  lane: string;
  ready: number;
  running: number;
  oldest_seconds: number;
}

export interface MadeCorrection {
  revision: number;
  based_on: number;
  created_at: string;
  author: string;
  key_id: string;
  note: string;
  blocks: Record<string, unknown>[];
  facts: Record<string, unknown>[];
}

export interface MadeCorrections {
  corrections: MadeCorrection[];
}

export interface MinutePages {
  at: string;
  pages: number;
}

export interface OcrDeleted {
  job_id: string;
  status: "deleted";
}

export interface OcrImage {
  filename: string;
  page: number;
  figure: number;
  url: string;
}

export interface OcrImages {
  job_id: string;
  images: OcrImage[];
}

export interface OcrJob {
  job_id: string;
  status: "pending" | "processing" | "completed" | "failed" | "cancelled";
  filename: string;
  total_pages: number | null;
  processed_pages: number;
  created_at: string;
  updated_at: string;
  error_message: string | null;
}

export interface OcrJobs {
  tasks: OcrJob[];
  next_cursor: string | null;
}

export interface OcrSubmitted {
  job_id: string;
  status: "pending" | "processing" | "completed" | "failed" | "cancelled";
  filename: string;
  message: string;
}

export interface OperationsView {
  at: string;
  lanes: LaneState[];
  pages_per_minute: number;
  minutes: MinutePages[];
  pages: Share[];
  jobs: Share[];
  steps: StepTime[];
  providers: Share[];
  failures: Share[];
  set_backs: Share[];
  refusals: Share[];
  workers: WorkerState[];
  slots: SlotState[];
  storage: Storage;
  usage: UsageOfDay[];
}

export interface OutlineView {
  title: string;
  level: number;
  page: number | null;
}

export interface PageFacts {
  width: number;
  height: number;
  provider: string;
  route: Route;
  confidence: number;
  fell_back: boolean;
  to_check: boolean;
  has_image: boolean;
}

export interface PageState {
  number: number;
  state: "waiting" | "draft" | "final" | "failed";
  facts: PageFacts | null;
}

export interface PageStates {
  pages: PageState[];
  total: number | null;
}

export interface Provider {
  name: string;
  version: string | null;
  unavailable: string | null;
  models: string[];
}

export interface Ready {
  status: "ready";
}

export interface Replayed {
  replayed: number;
}

export interface ResumableUploadState {
  upload_id: string;
  filename: string;
  size_bytes: number | null;
  offset_bytes: number;
  complete: boolean;
  expires_at: string;
}

export interface Revision {
  revision: number;
  current: boolean;
  run: number;
  created_at: string;
  options: JobOptions;
  pages: number;
  failed_pages: FailedPage[];
}

export interface Revisions {
  revisions: Revision[];
}

export interface Root {
  name: "pagemill";
  version: string;
  links: Record<string, string>;
}

export type Route = "text" | "ocr" | "mixed" | "blank" | "native";

export interface RuleList {
  rules: RuleShown[];
}

export interface RuleMade {
  name: string;
  when: RuleWhen;
  then: RuleThen;
  position: number;
  enabled?: boolean;
  stop?: boolean;
  id: string;
  created_at: string;
  updated_at: string;
  warnings: string[];
}

export interface RuleOptions {
  ocr?: "auto" | "force" | "off" | null;
  mode?: "fast" | "accurate" | null;
  languages?: string[] | null;
  render?: boolean | null;
  enrich?: string[] | null;
  keep_running_headers?: boolean | null;
  typography?: "printed" | "ascii" | null;
  tracked_changes?: "final" | "original" | "both" | null;
  split?: "off" | "suggest" | "auto" | null;
}

export interface RuleShown {
  name: string;
  when: RuleWhen;
  then: RuleThen;
  position: number;
  enabled?: boolean;
  stop?: boolean;
  id: string;
  created_at: string;
  updated_at: string;
}

export interface RuleThen {
  options?: RuleOptions;
  lane?: "fast" | "bulk" | null;
  priority?: number | null;
  webhook_url?: string | null;
  push_to?: string | null;
  tags?: string[];
  collection?: string | null;
}

export interface RuleTrial {
  id: string;
  name: string;
  decided_by: string;
  matches: boolean;
  acts: boolean;
  unmet: string[];
  warnings: string[];
  then: Record<string, unknown>;
}

export interface RuleTrials {
  job_id: string;
  classification: Classification | null;
  rules: RuleTrial[];
}

export interface RuleWhen {
  class?: string[];
  tags?: string[];
  filename?: string | null;
  media_type?: string | null;
  collection?: string | null;
  metadata?: Record<string, string>;
  entities?: EntityWish[];
}

export type Scope = "read" | "write" | "admin";

export interface SearchResults {
  total: number;
  total_is_exact: boolean;
  matched: string;
  hits: FoundChunk[];
}

export interface Share {
  name: string;
  count: number;
}

export interface SlotState {
  slot: number;
  kept: boolean;
  phase: "starting" | "idle" | "busy" | "backing_off" | "stopped";
  pid: number | null;
  visits: number;
  rss_bytes: number;
  failed_starts: number;
  starts: number;
}

export interface SocketToken {
  token: string;
  expires_in_seconds: number;
}

export interface StepTime {
  step: string;
  count: number;
  mean_seconds: number;
  p95_seconds: number;
}

export interface Storage {
  documents: number;
  documents_bytes: number;
  free_bytes: number | null;
}

export interface Classification {
  name: string;
  by: string;
  score: number;
  type: string;
  reasons: string[];
}

export interface JobError {
  code: string;
  message: string;
  stage: string;
  retryable: boolean;
  page: number | null;
}

export interface FailedPage {
  page: number;
  code: string;
  message: string;
}

export interface JobOptions {
  pages: string | null;
  formats: string[];
  providers: string[];
  keep_running_headers: boolean;
  ocr?: string;
  mode?: string;
  languages?: string[];
  tracked_changes?: string;
  typography?: string;
  embedded_files?: string;
  render?: boolean;
  enrich?: string[];
  extract?: Record<string, unknown>;
  split?: string;
}

export interface Table {
  name: string;
  page: number;
  caption: string;
  rows: number;
  columns: number;
  size_bytes: number;
  link: string;
}

export interface Tables {
  tables: Table[];
}

export interface Upload {
  upload_id: string;
  url: string;
  method: "PUT";
  headers: Record<string, string>;
  expires_at: string;
}

export interface UploadedFile {
  file_id: string;
  status: "pending" | "processing" | "completed" | "failed" | "cancelled";
  message: string;
}

export interface UsageList {
  usage: UsageOfDay[];
}

export interface UsageOfDay {
  tenant: string;
  day: string;
  jobs: number;
  pages: number;
  cpu_seconds: number;
  remote_calls: number;
  price: number;
}

export interface UsedLabel {
  name: string;
  jobs: number;
}

export interface UsedLabels {
  collections: UsedLabel[];
  tags: UsedLabel[];
}

export interface Version {
  name: "pagemill";
  version: string;
  api: "v1";
}

export interface WorkerState {
  id: string;
  host: string;
  pid: number;
  lanes: string[];
  slots: number;
  state: "alive" | "silent";
  uptime_seconds: number;
  silent_seconds: number;
  pages_per_minute: number;
  version: string;
  engines: string[];
  trouble: string | null;
}

export interface Fault {
  pointer: string;
  detail: string;
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  retryable: boolean;
  errors?: Fault[];
  [member: string]: unknown;
}

export interface RetryRequest {
  ocr?: "auto" | "force" | "off" | null;
  mode?: "fast" | "accurate" | null;
  languages?: string[] | null;
  render?: boolean | null;
  only?: "all" | "failed";
  password?: string | null;
}

export interface LabelsRequest {
  collection?: string | null;
  tags?: string[] | null;
  metadata?: Record<string, string | null>;
}

export interface CorrectedBlock {
  block: string;
  text?: string | null;
  kind?: "heading" | "paragraph" | "list_item" | "code" | "caption" | "footnote" | "formula" | "header" | "footer" | null;
  level?: number | null;
  cells?: CorrectedCell[];
  after?: string | null;
  remove?: boolean;
}

export interface CorrectedCell {
  row: number;
  column: number;
  text: string;
}

export interface CorrectedValue {
  page: number;
  type: string;
  text: string;
  value?: string | null;
  block?: string | null;
  remove?: boolean;
}

export interface CorrectRequest {
  revision: number;
  author?: string;
  note?: string;
  blocks?: CorrectedBlock[];
  facts?: CorrectedValue[];
}

export interface PageReadRequest {
  ocr?: "auto" | "force" | "off" | null;
  mode?: "fast" | "accurate" | null;
  languages?: string[] | null;
  render?: boolean | null;
  provider?: string | null;
  password?: string | null;
}

export interface EnrichAgainRequest {
  enrich: string[];
  password?: string | null;
}

export interface ExtractRequest {
  schema: Record<string, unknown>;
  instructions?: string;
}

export interface UploadRequest {
  filename?: string | null;
  size_bytes?: number | null;
}

export interface JobEvents {
  events: Event[];
}

export interface JsonSubmission {
  pages?: string | null;
  formats?: string | string[] | null;
  providers?: string | string[] | null;
  keep_running_headers?: boolean | null;
  ocr?: "auto" | "force" | "off" | null;
  mode?: "fast" | "accurate" | null;
  languages?: string | string[] | null;
  tracked_changes?: "final" | "original" | "both" | null;
  typography?: "printed" | "ascii" | null;
  embedded_files?: "list" | "process" | null;
  render?: boolean | null;
  enrich?: string | string[] | null;
  extract?: Record<string, unknown> | null;
  split?: "off" | "suggest" | "auto" | null;
  metadata?: Record<string, string> | null;
  tags?: string | string[] | null;
  collection?: string | null;
  priority?: number | null;
  password?: string | null;
  expires_in?: number | null;
  reuse?: boolean | null;
  filename?: string | null;
  push_to?: string | null;
  webhook_url?: string | null;
  webhook_events?: string | string[] | null;
  webhook_secret?: string | null;
  url: string;
  headers?: Record<string, string>;
}

export interface BatchUrl {
  pages?: string | null;
  formats?: string | string[] | null;
  providers?: string | string[] | null;
  keep_running_headers?: boolean | null;
  ocr?: "auto" | "force" | "off" | null;
  mode?: "fast" | "accurate" | null;
  languages?: string | string[] | null;
  tracked_changes?: "final" | "original" | "both" | null;
  typography?: "printed" | "ascii" | null;
  embedded_files?: "list" | "process" | null;
  render?: boolean | null;
  enrich?: string | string[] | null;
  extract?: Record<string, unknown> | null;
  split?: "off" | "suggest" | "auto" | null;
  metadata?: Record<string, string> | null;
  tags?: string | string[] | null;
  collection?: string | null;
  priority?: number | null;
  password?: string | null;
  expires_in?: number | null;
  reuse?: boolean | null;
  filename?: string | null;
  push_to?: string | null;
  webhook_url?: string | null;
  webhook_events?: string | string[] | null;
  webhook_secret?: string | null;
  url: string;
  headers?: Record<string, string>;
}

export interface RequestedOptions {
  pages?: string | null;
  formats?: string | string[] | null;
  providers?: string | string[] | null;
  keep_running_headers?: boolean | null;
  ocr?: "auto" | "force" | "off" | null;
  mode?: "fast" | "accurate" | null;
  languages?: string | string[] | null;
  tracked_changes?: "final" | "original" | "both" | null;
  typography?: "printed" | "ascii" | null;
  embedded_files?: "list" | "process" | null;
  render?: boolean | null;
  enrich?: string | string[] | null;
  extract?: Record<string, unknown> | null;
  split?: "off" | "suggest" | "auto" | null;
  metadata?: Record<string, string> | null;
  tags?: string | string[] | null;
  collection?: string | null;
  priority?: number | null;
  password?: string | null;
  expires_in?: number | null;
  reuse?: boolean | null;
  filename?: string | null;
  push_to?: string | null;
  webhook_url?: string | null;
  webhook_events?: string | string[] | null;
  webhook_secret?: string | null;
}

export interface BatchRequest {
  items?: BatchUrl[];
  prefix?: string | null;
  options?: RequestedOptions;
  name?: string;
  metadata?: Record<string, string>;
}

export interface BatchRetryRequest {
  only?: "all" | "failed";
}

export interface EndpointRequest {
  url: string;
  events?: ("job.accepted" | "job.started" | "job.fetched" | "job.scanned" | "job.planned" | "chunk.read" | "chunk.set_back" | "chunk.split" | "job.joining" | "job.enriching" | "job.enriched" | "job.published" | "job.completed" | "job.failed" | "job.cancelled" | "job.retried" | "job.restored" | "job.labelled" | "job.corrected" | "job.classified" | "job.routed" | "job.removed" | "batch.accepted" | "batch.completed" | "batch.failed" | "batch.cancelled" | "job.progress" | "job.page" | "webhook.test" | "job.*" | "chunk.*" | "batch.*" | "*")[];
  description?: string;
  progress_percent?: number;
  progress_pages?: number | null;
}

export interface EndpointChange {
  url?: string | null;
  events?: ("job.accepted" | "job.started" | "job.fetched" | "job.scanned" | "job.planned" | "chunk.read" | "chunk.set_back" | "chunk.split" | "job.joining" | "job.enriching" | "job.enriched" | "job.published" | "job.completed" | "job.failed" | "job.cancelled" | "job.retried" | "job.restored" | "job.labelled" | "job.corrected" | "job.classified" | "job.routed" | "job.removed" | "batch.accepted" | "batch.completed" | "batch.failed" | "batch.cancelled" | "job.progress" | "job.page" | "webhook.test" | "job.*" | "chunk.*" | "batch.*" | "*")[] | null;
  description?: string | null;
  progress_percent?: number | null;
  progress_pages?: number | null;
  enabled?: boolean | null;
}

export interface RotateRequest {
  overlap_seconds?: number;
}

export interface ReplayRequest {
  since: string;
}

export interface KeyRequest {
  name: string;
  scopes?: Scope[];
  expires_in?: number | null;
  tenant?: string | null;
}

export interface AskRequest {
  collection?: string | null;
  class?: string | null;
  type?: string | null;
  created_after?: string | null;
  created_before?: string | null;
  tag?: string | string[] | null;
  metadata?: Record<string, string>;
  question: string;
  job_id?: string | null;
}

export interface ExamplesRequest {
  job_ids: string[];
}

export interface RuleRequest {
  name: string;
  when: RuleWhen;
  then: RuleThen;
  position?: number | null;
  enabled?: boolean;
  stop?: boolean;
}

export interface TrialRequest {
  rules?: RuleRequest[];
}

export interface Citation {
  number: number;
  job_id: string;
  filename: string;
  page: number;
  quote: string;
  boxes: HitBox[];
}

export interface HitBox {
  page: number;
  block: string | null;
  box: number[] | null;
}

export interface ModelCost {
  calls: number;
  prompt_tokens: number;
  completion_tokens: number;
  price: number;
}

export interface AskAnswer {
  answered: boolean;
  answer: string | null;
  reason: string | null;
  citations: Citation[];
  unverified_quotes: string[];
  unsupported_numbers: string[];
  uncited_numbers: number[];
  engine: string;
  cost: ModelCost;
}
