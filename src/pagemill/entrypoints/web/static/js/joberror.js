// Why a job has failed.
import { errorMessage, isLocked } from "./job.js";
import { html } from "./ui/base.js";
import { Message } from "./ui/message.js";

/** @typedef {import("./types.js").Job} Job */

/** The error message of a failed job; nothing for others. @param {{ job: Job }} props */
export function JobErrorMessage({ job }) {
  if (!isLocked(job)) return html`<${Message} text=${errorMessage(job)} />`;
  return job.error?.code === "password_incorrect"
    ? "The password was wrong."
    : "This document needs a password.";
}
