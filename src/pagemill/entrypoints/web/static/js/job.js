// The fields of a job in words.
import { session } from "./session.js";
import { count, duration, number } from "./ui/format.js";

/** @typedef {import("./types.js").Job} Job */

/** Messages for errors that can be resolved on these pages. @type {Record<string, string>} */
const PASSWORD_MESSAGES = {
  password_required: "This document needs a password.",
  password_incorrect: "The password was wrong. Try another one.",
};

/** Whether a job failed for want of the right password. @param {Job} job */
export function isLocked(job) {
  return job.status === "failed" && (job.error?.code ?? "") in PASSWORD_MESSAGES;
}

/** Why a job has failed; only an operator, who can change them, reads of settings. @param {Job} job */
export function errorMessage(job) {
  const message = job.error?.message ?? "";
  return session.get()?.operator ? message : withoutSettings(message);
}

/** A message with the operator in place of the settings that can be raised. @param {string} message */
function withoutSettings(message) {
  return message
    .replace(/, or raise PAGEMILL_\w+/, "")
    .replace(/Raise PAGEMILL_[^.]*\./, "The operator of this service can allow more.");
}

/** @param {Job} job */
export function isActive(job) {
  return job.status === "pending" || job.status === "processing";
}

/** The share of the pages that are done; null until it is known. @param {Job} job */
export function progressOf(job) {
  if (!isActive(job)) return 1;
  return job.total_pages && job.processed_pages ? job.processed_pages / job.total_pages : null;
}

/** Seconds from the start of a job to its end; null while it has not ended. @param {Job} job */
export function secondsOf(job) {
  if (!job.finished_at || !job.started_at) return null;
  return Math.max(0, (Date.parse(job.finished_at) - Date.parse(job.started_at)) / 1000);
}

/** The state of a job in one sentence. @param {Job} job */
export function describeStatus(job) {
  switch (job.status) {
    case "pending":
      return job.queue_position ? `Waiting, ${number(job.queue_position)} ahead` : "Waiting to start";
    case "processing":
      return describeProgress(job);
    case "completed":
      return describeResult(job);
    case "cancelled":
      return "Cancelled";
    case "failed":
      return (PASSWORD_MESSAGES[job.error?.code ?? ""] ?? errorMessage(job)) || "Failed";
  }
}

/** @param {Job} job */
function describeProgress(job) {
  if (job.stage === "join" || job.stage === "publish") return "Writing the result";
  if (job.stage === "enrich") return "Adding what was asked for to the result";
  if (!job.total_pages) return "Opening the document";
  const left = job.eta_seconds ? `, about ${duration(Math.max(1, Math.round(job.eta_seconds)))} left` : "";
  return `${number(job.processed_pages)} of ${count(job.total_pages, "page")} read${left}`;
}

/** @param {Job} job */
function describeResult(job) {
  const seconds = secondsOf(job);
  const pages = count(job.total_pages ?? 0, "page");
  if (job.failed_pages.length) return `${pages}, ${number(job.failed_pages.length)} could not be read`;
  if (job.reused) return `${pages}, already read before`;
  return seconds === null ? pages : `${pages} in ${duration(seconds)}`;
}
