/** What the pages call the shapes of the API, and the types of their own. */
import type { Event, Job, Problem } from "./schema.js";

export type { FailedPage, Health, Job, JobError, JobPage, Provider } from "./schema.js";
export type Status = Job["status"];
export type JobEvent = Event & { seq: number };
export type ProblemMembers = Problem;

/** Props of a page: the parts of its address. */
export interface PageProps {
  params: Record<string, string>;
  query: URLSearchParams;
}
