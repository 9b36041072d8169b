// One job in the list, with its timeline below when it is opened.
import { isActive, isLocked, secondsOf } from "../job.js";
import { JobErrorMessage } from "../joberror.js";
import { Timeline } from "../timeline.js";
import { html } from "../ui/base.js";
import { IconButton } from "../ui/controls.js";
import { ago, duration, number, size, when } from "../ui/format.js";
import { JobProgress, StatusBadge } from "../ui/status.js";
import { UnlockForm } from "../unlock.js";
import { ACTIONS } from "./actions.js";

/** @typedef {import("../types.js").Job} Job */

const COLUMNS = 8;

/**
 * @typedef {object} RowProps
 * @property {Job} job
 * @property {boolean} selected
 * @property {boolean} open whether the timeline is shown
 * @property {(selected: boolean) => void} onSelect
 * @property {() => void} onOpen
 * @property {(action: import("./actions.js").Action) => void} onAction
 * @property {() => void} refresh
 */

/** @param {RowProps} props */
export function Row({ job, selected, open, onSelect, onOpen, onAction, refresh }) {
  const name = job.document.filename;
  return html`<tr class=${selected ? "job selected" : "job"} data-job=${job.id}>
      <td class="job-check">
        <input type="checkbox" aria-label=${`Select ${name}`} checked=${selected} onChange=${(/** @type {any} */ event) => onSelect(event.target.checked)} />
      </td>
      <td class="job-name">
        <a href=${`/jobs/${job.id}`} dir="auto">${name}</a>
        ${job.error && html`<span class="error-text"><${JobErrorMessage} job=${job} /></span>`}
        ${isLocked(job) && html`<${UnlockForm} job=${job} onDone=${refresh} />`}
        <${JobProgress} job=${job} />
      </td>
      <td class="job-status"><${StatusBadge} job=${job} /></td>
      <td class="job-size figures">${size(job.document.size_bytes)}</td>
      <td class="job-pages figures">${pages(job)}</td>
      <td class="job-time figures">${time(job)}</td>
      <td class="job-age muted"><time datetime=${job.created_at} title=${ago(job.created_at)}>${when(job.created_at)}</time></td>
      <td class="job-actions">
        <${IconButton} icon="down" label=${`Timeline of ${name}`} aria-expanded=${open} onClick=${onOpen} />
        ${Object.values(ACTIONS).map(action => action.fits(job) && html`<${IconButton} key=${action.verb} icon=${action.icon} label=${`${action.verb} ${name}`} onClick=${() => onAction(action)} />`)}
      </td>
    </tr>
    ${open && html`<tr class="job-below"><td colspan=${COLUMNS}><${Timeline} job=${job} /></td></tr>`}`;
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
  if (job.reused) return html`<span class="muted">stored result</span>`;
  if (seconds !== null) return duration(seconds);
  return job.started_at && isActive(job)
    ? duration(Math.max(0, (Date.now() - Date.parse(job.started_at)) / 1000))
    : "";
}
