// Why a job has failed.
import { isLocked } from "./job.js";
import { html } from "./ui/base.js";
import { Message } from "./ui/message.js";

/** @typedef {import("./types.js").Job} Job */

/** The error message of a failed job; nothing for others. @param {{ job: Job }} props */
export function JobErrorMessage({ job }) {
  if (!isLocked(job)) return html`<${Message} text=${job.error?.message ?? ""} />`;
  return job.error?.code === "password_incorrect"
    ? "The password was wrong."
    : "This document needs a password.";
}
