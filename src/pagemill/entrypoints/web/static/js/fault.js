// Why a job has failed, and what can be done about it here.
import { isLocked } from "./job.js";
import { html } from "./ui/base.js";
import { Said } from "./ui/said.js";

/** @typedef {import("./types.js").Job} Job */

/** The reason of a failed job; nothing for others. @param {{ job: Job }} props */
export function Fault({ job }) {
  if (!isLocked(job)) return html`<${Said} text=${job.error?.message ?? ""} />`;
  const reason =
    job.error?.code === "password_incorrect" ? "Its password was another one." : "This document is locked.";
  return html`${reason} <a href="/">Hand it in again with its password</a>`;
}
