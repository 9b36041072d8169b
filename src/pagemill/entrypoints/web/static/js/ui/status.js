// How far a job is, in a word, a bar and a sentence.
import { isActive, progressOf } from "../job.js";
import { html } from "./base.js";
import { Icon } from "./icons.js";

/** @typedef {import("../types.js").Job} Job */

const ICONS = { pending: "clock", completed: "check", failed: "cross", cancelled: "stop" };

/** The status as a word with a colour. @param {{ job: Job }} props */
export function StatusBadge({ job }) {
  const flawed = job.status === "completed" && job.failed_pages.length > 0;
  return html`<span class=${`status status-${flawed ? "flawed" : job.status}`}>
    ${job.status === "processing" ? html`<span class="pulse" />` : html`<${Icon} name=${flawed ? "warning" : ICONS[job.status]} size=${14} />`}
    ${job.status}
  </span>`;
}

/** A bar that fills with the pages, and moves while nobody knows how many there are. @param {{ job: Job }} props */
export function JobProgress({ job }) {
  const share = progressOf(job);
  if (!isActive(job)) return null;
  return html`<${Bar} share=${share} label=${`Progress of ${job.document.filename}`} />`;
}

/** A bar; without a share it only shows that something happens. @param {{ share: number | null, label: string }} props */
export function Bar({ share, label }) {
  const percent = share === null ? undefined : Math.round(share * 100);
  return html`<div class="bar-track" role="progressbar" aria-label=${label} aria-valuemin="0" aria-valuemax="100" aria-valuenow=${percent}>
    <span class=${share === null ? "bar-fill unsure" : "bar-fill"} style=${share === null ? {} : { width: `${percent}%` }} />
  </div>`;
}
