// What a job's fields mean to people.
import { count, duration, number } from "./ui/format.js";

/** @typedef {import("./types.js").Job} Job */

/** What the pages themselves can help with, in their own words. @type {Record<string, string>} */
const ASKS = {
  password_required: "This document is locked. What is its password?",
  password_incorrect: "That is not its password. Try another one.",
};

/** Whether a document only waits for its password. @param {Job} job */
export function isLocked(job) {
  return job.status === "failed" && (job.error?.code ?? "") in ASKS;
}

/** @param {Job} job */
export function isActive(job) {
  return job.status === "pending" || job.status === "processing";
}

/** Which share of the pages is done; null while nobody knows. @param {Job} job */
export function progressOf(job) {
  if (!isActive(job)) return 1;
  return job.total_pages && job.processed_pages ? job.processed_pages / job.total_pages : null;
}

/** How long a job took from its start to its end, in seconds; null while it has not ended. @param {Job} job */
export function secondsOf(job) {
  if (!job.finished_at || !job.started_at) return null;
  return Math.max(0, (Date.parse(job.finished_at) - Date.parse(job.started_at)) / 1000);
}

/** Where a job stands, in one sentence. @param {Job} job */
export function sentence(job) {
  switch (job.status) {
    case "pending":
      return job.queue_position
        ? `Waiting, ${number(job.queue_position)} in front`
        : "Waiting for a free reader";
    case "processing":
      return reading(job);
    case "completed":
      return completed(job);
    case "cancelled":
      return "Cancelled";
    case "failed":
      return ASKS[job.error?.code ?? ""] ?? job.error?.message ?? "Failed";
  }
}

/** @param {Job} job */
function reading(job) {
  if (job.stage === "join" || job.stage === "publish") return "Writing the result";
  if (!job.total_pages) return "Opening the document";
  const left = job.eta_seconds ? `, about ${duration(Math.max(1, Math.round(job.eta_seconds)))} left` : "";
  return `${number(job.processed_pages)} of ${count(job.total_pages, "page")} read${left}`;
}

/** @param {Job} job */
function completed(job) {
  const seconds = secondsOf(job);
  const pages = count(job.total_pages ?? 0, "page");
  if (job.failed_pages.length) return `${pages}, ${number(job.failed_pages.length)} could not be read`;
  if (job.reused) return `${pages}, already read before`;
  return seconds === null ? pages : `${pages} in ${duration(seconds)}`;
}
