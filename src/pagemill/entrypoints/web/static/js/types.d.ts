/** The shapes that the API answers with, as far as the pages look at them. */

export type Status = "pending" | "processing" | "completed" | "failed" | "cancelled";

export interface ProblemMembers {
  status: number;
  code: string;
  title: string;
  detail: string;
  retryable: boolean;
  errors?: { pointer: string; detail: string }[];
  [detail: string]: unknown;
}

export interface FailedPage {
  page: number;
  code: string;
  message: string;
}

export interface JobError {
  code: string;
  message: string;
  stage: string;
  retryable: boolean;
  page: number | null;
}

export interface Job {
  id: string;
  status: Status;
  stage: string;
  lane: string;
  tenant: string;
  priority: number;
  document: { id: string; filename: string; size_bytes: number; sha256: string; media_type: string };
  options: Record<string, unknown> & { formats: string[]; providers: string[]; pages: string | null };
  metadata: Record<string, string>;
  document_pages: number | null;
  total_pages: number | null;
  processed_pages: number;
  failed_pages: FailedPage[];
  warnings: string[];
  error: JobError | null;
  counters: { crashes: number; errors: number; lost: number };
  run: number;
  revision: number;
  reused: boolean;
  queue_position: number | null;
  eta_seconds: number | null;
  seconds: Record<string, number>;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  expires_at: string;
  version: number;
  links: Record<string, string>;
}

export interface JobPage {
  jobs: Job[];
  next_cursor: string | null;
  counts?: Record<string, number>;
}

export interface JobEvent {
  id: number;
  type: string;
  job_id: string | null;
  seq: number;
  at: string;
  facts: Record<string, unknown>;
}

export interface Provider {
  name: string;
  version?: string;
  unavailable: string | null;
}

export interface Health {
  status: string;
  version: string;
  uptime_seconds: number;
  providers: Provider[];
}

/** Props of a page: the parts of its address. */
export interface PageProps {
  params: Record<string, string>;
  query: URLSearchParams;
}
