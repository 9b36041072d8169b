// The documents that were handed in, each with its way through the mill.
import { call, Problem } from "../api.js";
import { isActive, isLocked, sentence } from "../job.js";
import { remember } from "../recent.js";
import { announce, notify } from "../ui/announce.js";
import { html, useEffect, useState } from "../ui/base.js";
import { Button, IconButton, LinkButton } from "../ui/controls.js";
import { count, size } from "../ui/format.js";
import { Icon } from "../ui/icons.js";
import { Said } from "../ui/said.js";
import { Bar, JobProgress, StatusBadge } from "../ui/status.js";
import { useJob } from "../watch.js";
import { dismiss, sendAgain } from "./uploads.js";

/** @typedef {import("../ui/base.js").Children} Children */
/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./uploads.js").Upload} Upload */

const MOST_SHOWN = 100;

/** The list, newest first. @param {{ uploads: Upload[] }} props */
export function Entries({ uploads }) {
  const hidden = uploads.length - MOST_SHOWN;
  return html`<section class="entries" aria-label="Documents handed in">
    <div class="entries-head">
      <h2>${count(uploads.length, "document")}</h2>
      <a href="/jobs">All jobs</a>
    </div>
    <ul class="card entry-list">
      ${uploads.slice(0, MOST_SHOWN).map(upload => html`<${Entry} key=${upload.key} upload=${upload} />`)}
    </ul>
    ${hidden > 0 && html`<p class="muted">and ${count(hidden, "more document")}, to be found among <a href="/jobs">all jobs</a></p>`}
  </section>`;
}

/** @param {{ upload: Upload }} props */
function Entry({ upload }) {
  if (upload.jobId) return html`<${JobEntry} upload=${upload} jobId=${upload.jobId} />`;
  const { file, phase, share, problem } = upload;
  const retry =
    (problem?.members.retryable || problem?.status === 401) &&
    html`<${Button} kind="quiet" icon="retry" onClick=${() => sendAgain(upload.key)}>Try again<//>`;
  return html`<${Line} name=${file.name} words=${problem?.message ?? sendingWords(upload)} bad=${problem !== null}
    actions=${[retry, problem && html`<${Dismiss} upload=${upload} />`]}>
    ${phase === "sending" && html`<${Bar} share=${share} label=${`Upload of ${file.name}`} />`}
  <//>`;
}

/**
 * How every document looks, wherever it is on its way.
 * @param {{ name: string, href?: string, words: string, bad?: boolean, actions?: Children, children?: Children }} props
 */
function Line({ name, href, words, bad = false, actions, children }) {
  return html`<li class="entry">
    <span class="entry-icon"><${Icon} name="file" /></span>
    <div class="entry-text">
      ${href ? html`<a class="entry-name" href=${href}>${name}</a>` : html`<span class="entry-name">${name}</span>`}
      <span class=${bad ? "fault" : "muted small"}><${Said} text=${words} /></span>
      ${children}
    </div>
    <div class="entry-actions">${actions}</div>
  </li>`;
}

/** @param {{ upload: Upload }} props */
function Dismiss({ upload }) {
  const label = `Take ${upload.file.name} off the list`;
  return html`<${IconButton} icon="cross" label=${label} onClick=${() => dismiss(upload.key)} />`;
}

/** @param {Upload} upload */
function sendingWords({ phase, share, file }) {
  if (phase === "waiting") return `Waits to be sent, ${size(file.size)}`;
  if (phase === "away") return `Waiting for the service, ${size(file.size)}`;
  return `Sending, ${Math.round(share * 100)} % of ${size(file.size)}`;
}

/** @param {{ upload: Upload, jobId: string }} props */
function JobEntry({ upload, jobId }) {
  const { job, error, again } = useJob(jobId);
  useOutcome(job);
  if (isGone(error)) {
    const words = "Deleted, or kept long enough";
    return html`<${Line} name=${upload.file.name} words=${words} actions=${html`<${Dismiss} upload=${upload} />`} />`;
  }
  if (!job) return html`<${Line} name=${upload.file.name} words="Handed in" />`;
  const actions = [
    html`<${StatusBadge} job=${job} />`,
    html`<${EntryAction} job=${job} upload=${upload} again=${again} />`,
  ];
  return html`<${Line} name=${job.document.filename} href=${`/jobs/${job.id}`} words=${sentence(job)}
    bad=${job.status === "failed"} actions=${actions}>
    <${JobProgress} job=${job} />
    ${isLocked(job) && html`<${Unlock} job=${job} onDone=${again} />`}
  <//>`;
}

/** Whether a job is no longer there. @param {Error | null} error */
function isGone(error) {
  return error instanceof Problem && (error.code === "gone" || error.code === "not_found");
}

/** What can be done with a job now. @param {{ job: Job, upload: Upload, again: () => void }} props */
function EntryAction({ job, upload, again }) {
  if (job.status === "completed") {
    return html`<${LinkButton} kind="primary" href=${`/jobs/${job.id}`}>Open<//>`;
  }
  if (isActive(job)) {
    const label = `Cancel ${job.document.filename}`;
    return html`<${IconButton} icon="cross" label=${label} onClick=${() => act(job, "cancel", again)} />`;
  }
  if (job.error && !job.error.retryable) return html`<${Dismiss} upload=${upload} />`;
  const retry = () => act(job, "retry", again, { only: "all" });
  return html`<${Button} kind="quiet" icon="retry" onClick=${retry}>Try again<//>`;
}

/** Tells screen readers how a job ended. @param {Job | null} job */
function useOutcome(job) {
  useEffect(() => {
    if (job && !isActive(job)) announce(`${job.document.filename}: ${job.status}`);
  }, [job?.status]);
}

/** Asks for the password of a document, and has it read with that. @param {{ job: Job, onDone: () => void }} props */
function Unlock({ job, onDone }) {
  const [password, setPassword] = useState("");
  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    act(job, "retry", onDone, { only: "all", password });
  }
  return html`<form class="unlock" onSubmit=${submit}>
    <input type="password" aria-label=${`Password of ${job.document.filename}`} placeholder="Password" required
      autocomplete="off" value=${password} onInput=${(/** @type {any} */ event) => setPassword(event.target.value)} />
    <${Button} type="submit">Open with password<//>
  </form>`;
}

/** Do something with a job, and look at it again. @param {Job} job @param {string} deed @param {() => void} again @param {object} [json] */
async function act(job, deed, again, json) {
  try {
    const path = `/v1/jobs/${job.id}/${deed}`;
    await call("POST", path, { json });
    remember({ method: "POST", path, json });
  } catch (error) {
    notify(/** @type {Error} */ (error).message, "bad");
  }
  again();
}
