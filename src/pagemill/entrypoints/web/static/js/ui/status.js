// The status and the progress of a job.
import { isActive, progressOf } from "../job.js";
import { html } from "./base.js";
import { Icon } from "./icons.js";

/** @typedef {import("../types.js").Job} Job */

const ICONS = { pending: "clock", completed: "check", failed: "cross", refused: "cross", cancelled: "stop" };

/** The status as a word with a colour. @param {{ job: Job }} props */
export function StatusBadge({ job }) {
  const partial = job.status === "completed" && job.failed_pages.length > 0;
  return html`<span class=${`status status-${partial ? "partial" : job.status}`}>
    ${job.status === "processing" ? html`<span class="pulse" />` : html`<${Icon} name=${partial ? "warning" : ICONS[job.status]} size=${14} />`}
    ${job.status}
  </span>`;
}

/** A status as a word with a colour, for what is not a job. @param {{ status: string, text?: string }} props */
export function StatusWord({ status, text = status }) {
  return html`<span class=${`status status-${status}`}>
    ${status === "processing" ? html`<span class="pulse" />` : html`<${Icon} name=${ICONS[/** @type {keyof typeof ICONS} */ (status)] ?? "clock"} size=${14} />`}
    ${text}
  </span>`;
}

/** A bar that fills with the pages, and is indeterminate until their number is known. @param {{ job: Job }} props */
export function JobProgress({ job }) {
  const share = progressOf(job);
  if (!isActive(job)) return null;
  return html`<${ProgressBar} share=${share} label=${`Progress of ${job.document.filename}`} />`;
}

/** A progress bar; without a share it is indeterminate. @param {{ share: number | null, label: string }} props */
export function ProgressBar({ share, label }) {
  const percent = share === null ? undefined : Math.round(share * 100);
  return html`<div class="bar-track" role="progressbar" aria-label=${label} aria-valuemin="0" aria-valuemax="100" aria-valuenow=${percent}>
    <span class=${share === null ? "bar-fill indeterminate" : "bar-fill"} style=${share === null ? {} : { width: `${percent}%` }} />
  </div>`;
}
