// One job in the list, with its timeline folded away below.

import { isActive, secondsOf } from "../job.js";
import { JobErrorMessage } from "../joberror.js";
import { Timeline } from "../timeline.js";
import { html } from "../ui/base.js";
import { IconButton } from "../ui/controls.js";
import { ago, duration, number, when } from "../ui/format.js";
import { JobProgress, StatusBadge } from "../ui/status.js";
import { ACTIONS } from "./actions.js";

/** @typedef {import("../types.js").Job} Job */

const COLUMNS = 9;

/**
 * @typedef {object} RowProps
 * @property {Job} job
 * @property {boolean} chosen
 * @property {boolean} unfolded
 * @property {(chosen: boolean) => void} onChoose
 * @property {() => void} onUnfold
 * @property {(action: import("./actions.js").Action) => void} onAction
 */

/** @param {RowProps} props */
export function Row({ job, chosen, unfolded, onChoose, onUnfold, onAction }) {
  const name = job.document.filename;
  return html`<tr class=${chosen ? "job chosen" : "job"} data-job=${job.id}>
      <td class="job-check">
        <input type="checkbox" aria-label=${`Choose ${name}`} checked=${chosen} onChange=${(/** @type {any} */ event) => onChoose(event.target.checked)} />
      </td>
      <td class="job-name">
        <a href=${`/jobs/${job.id}`}>${name}</a>
        ${job.error && html`<span class="error-text"><${JobErrorMessage} job=${job} /></span>`}
        <${JobProgress} job=${job} />
      </td>
      <td class="job-status"><${StatusBadge} job=${job} /></td>
      <td class="job-stage muted">${isActive(job) ? job.stage : (job.error?.stage ?? "")}</td>
      <td class="job-pages figures">${pages(job)}</td>
      <td class="job-time figures">${time(job)}</td>
      <td class="job-lane muted">${job.lane}${job.tenant !== "default" && html` · ${job.tenant}`}</td>
      <td class="job-age muted"><time datetime=${job.created_at} title=${when(job.created_at)}>${ago(job.created_at)}</time></td>
      <td class="job-actions">
        <${IconButton} icon="down" label=${`Timeline of ${name}`} aria-expanded=${unfolded} onClick=${onUnfold} />
        ${Object.values(ACTIONS).map(action => action.fits(job) && html`<${IconButton} key=${action.verb} icon=${action.icon} label=${`${action.verb} ${name}`} onClick=${() => onAction(action)} />`)}
      </td>
    </tr>
    ${unfolded && html`<tr class="job-below"><td colspan=${COLUMNS}><${Timeline} job=${job} /></td></tr>`}`;
}

/** @param {Job} job */
function pages(job) {
  if (job.total_pages === null) return "";
  if (isActive(job)) return `${number(job.processed_pages)} / ${number(job.total_pages)}`;
  return number(job.total_pages);
}

/** @param {Job} job */
function time(job) {
  const seconds = secondsOf(job);
  if (job.reused) return html`<span class="muted">reused</span>`;
  if (seconds !== null) return duration(seconds);
  return job.started_at && isActive(job)
    ? duration(Math.max(0, (Date.now() - Date.parse(job.started_at)) / 1000))
    : "";
}
