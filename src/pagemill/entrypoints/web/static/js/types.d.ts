/** What the pages call the shapes of the API, and the types of their own. */
import type { EndpointShown, Event, Job, Problem } from "./schema.js";

export type {
  FailedPage,
  FoundChunk,
  Health,
  Job,
  JobError,
  JobPage,
  Provider,
  SearchResults,
  UsedLabels,
} from "./schema.js";
export type Endpoint = EndpointShown;
export type Status = Job["status"];
export type JobEvent = Event & { seq: number };
export type ProblemMembers = Problem;

export interface Batch {
  id: string;
  status: string;
  name: string;
  total: number;
  counts: Record<
    "pending" | "processing" | "completed" | "failed" | "cancelled" | "refused" | "removed",
    number
  >;
  eta_seconds: number | null;
  created_at: string;
  links: Record<string, string>;
}

export interface BatchItem {
  number: number;
  name: string;
  job_id: string | null;
  status: string;
  error: { code: string; message: string } | null;
}

export interface Attempt {
  number: number;
  at: string;
  status: number | null;
  error: string | null;
  answer: string;
}

export interface Delivery {
  id: string;
  endpoint_id: string;
  event: string;
  state: string;
  attempts: number;
  next_attempt_at: string | null;
  last_status: number | null;
  last_error: string | null;
  created_at: string;
  payload?: string;
  log?: Attempt[];
}

/** Props of a page: the parts of its address. */
export interface PageProps {
  params: Record<string, string>;
  query: URLSearchParams;
}
