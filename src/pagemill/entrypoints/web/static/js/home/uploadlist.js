// The list of uploads, each followed until it is read.
import { call, Problem } from "../api.js";
import { DownloadMany } from "../download.js";
import { describeStatus, isActive, isLocked } from "../job.js";
import { saveRequest } from "../lastrequest.js";
import { announce, notify } from "../ui/announce.js";
import { html, useEffect } from "../ui/base.js";
import { Button, IconButton, LinkButton } from "../ui/controls.js";
import { count, number, size } from "../ui/format.js";
import { Icon } from "../ui/icons.js";
import { Message } from "../ui/message.js";
import { JobProgress, ProgressBar, StatusBadge } from "../ui/status.js";
import { UnlockForm } from "../unlock.js";
import { useJob } from "../watch.js";
import { removeUpload, sendAgain, updateUpload } from "./uploads.js";

/** @typedef {import("../ui/base.js").Children} Children */
/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./uploads.js").Upload} Upload */

const MAX_SHOWN = 100;

/** The list, newest first. @param {{ uploads: Upload[] }} props */
export function UploadList({ uploads }) {
  const hidden = uploads.length - MAX_SHOWN;
  const completed = uploads.flatMap(({ job }) => (job?.status === "completed" ? [job] : []));
  return html`<section class="uploads" aria-label="Uploaded documents">
    <div class="uploads-head">
      <h2>${count(uploads.length, "document")}</h2>
      <span class="muted small">${completed.length === uploads.length ? "all read" : `${number(completed.length)} read`}</span>
      ${completed.length > 1 && html`<${DownloadMany} jobs=${completed} label="Download all" />`}
      <a href="/jobs">All jobs</a>
    </div>
    <ul class="card upload-list">
      ${uploads.slice(0, MAX_SHOWN).map(upload => html`<${UploadRow} key=${upload.key} upload=${upload} />`)}
    </ul>
    ${hidden > 0 && html`<p class="muted">and ${count(hidden, "more document")} in the list of <a href="/jobs">all jobs</a></p>`}
  </section>`;
}

/** @param {{ upload: Upload }} props */
function UploadRow({ upload }) {
  if (upload.jobId) return html`<${JobRow} upload=${upload} jobId=${upload.jobId} />`;
  const { file, phase, sent_bytes, problem } = upload;
  const retry =
    (problem?.members.retryable || problem?.status === 401) &&
    html`<${Button} kind="quiet" icon="retry" onClick=${() => sendAgain(upload.key)}>Try again<//>`;
  return html`<${Row} name=${file.name} text=${problem?.message ?? describeUpload(upload)} bad=${problem !== null}
    actions=${[retry, problem && html`<${RemoveButton} upload=${upload} />`]}>
    ${phase === "sending" && html`<${ProgressBar} share=${file.size ? sent_bytes / file.size : 1} label=${`Upload of ${file.name}`} />`}
  <//>`;
}

/**
 * A row of the list, whatever the state of the document.
 * @param {{ name: string, href?: string, text: string, bad?: boolean, actions?: Children, children?: Children }} props
 */
function Row({ name, href, text, bad = false, actions, children }) {
  return html`<li class="upload">
    <span class="upload-icon"><${Icon} name="file" /></span>
    <div class="upload-text">
      ${href ? html`<a class="upload-name" href=${href}>${name}</a>` : html`<span class="upload-name">${name}</span>`}
      <span class=${bad ? "error-text" : "muted small"}><${Message} text=${text} /></span>
      ${children}
    </div>
    <div class="upload-actions">${actions}</div>
  </li>`;
}

/** @param {{ upload: Upload }} props */
function RemoveButton({ upload }) {
  const label = `Remove ${upload.file.name} from the list`;
  return html`<${IconButton} icon="cross" label=${label} onClick=${() => removeUpload(upload.key)} />`;
}

/** @param {Upload} upload */
function describeUpload({ phase, sent_bytes, file, url }) {
  if (url !== null) return phase === "offline" ? "Waiting for the service" : "To be fetched by the service";
  if (phase === "waiting") return `Waiting to be sent, ${size(file.size)}`;
  if (phase === "offline") return `Waiting for the service, ${size(file.size)}`;
  return `Uploading, ${size(sent_bytes)} of ${size(file.size)}`;
}

/** @param {{ upload: Upload, jobId: string }} props */
function JobRow({ upload, jobId }) {
  const { job, error, refresh } = useJob(jobId);
  useOutcome(job, upload.key);
  const name = upload.file.name;
  if (isGone(error)) {
    return html`<${Row} name=${name} text="Deleted or expired" actions=${html`<${RemoveButton} upload=${upload} />`} />`;
  }
  if (!job) return html`<${Row} name=${name} text="Uploaded" />`;
  const actions = [
    html`<${StatusBadge} job=${job} />`,
    html`<${JobAction} job=${job} upload=${upload} refresh=${refresh} />`,
  ];
  return html`<${Row} name=${job.document.filename} href=${`/jobs/${job.id}`} text=${describeStatus(job)}
    bad=${job.status === "failed"} actions=${actions}>
    <${JobProgress} job=${job} />
    ${isLocked(job) && html`<${UnlockForm} job=${job} onDone=${refresh} />`}
  <//>`;
}

/** Whether a job was deleted. @param {Error | null} error */
function isGone(error) {
  return error instanceof Problem && (error.code === "gone" || error.code === "not_found");
}

/** The action that fits the state of a job. @param {{ job: Job, upload: Upload, refresh: () => void }} props */
function JobAction({ job, upload, refresh }) {
  if (job.status === "completed") {
    return html`<${LinkButton} kind="primary" href=${`/jobs/${job.id}`}>Open<//>`;
  }
  if (isActive(job)) {
    const label = `Cancel ${job.document.filename}`;
    return html`<${IconButton} icon="cross" label=${label} onClick=${() => postAction(job, "cancel", refresh)} />`;
  }
  if (job.error && !job.error.retryable) return html`<${RemoveButton} upload=${upload} />`;
  const retry = () => postAction(job, "retry", refresh, { only: "all" });
  return html`<${Button} kind="quiet" icon="retry" onClick=${retry}>Try again<//>`;
}

/** Announces how a job ended, and keeps the job with its upload. @param {Job | null} job @param {string} key */
function useOutcome(job, key) {
  useEffect(() => {
    if (job) updateUpload(key, { job });
  }, [job?.version]);
  useEffect(() => {
    if (job && !isActive(job)) announce(`${job.document.filename}: ${job.status}`);
  }, [job?.status]);
}

/** Post an action of a job, and load the job again. @param {Job} job @param {string} action @param {() => void} refresh @param {object} [json] */
async function postAction(job, action, refresh, json) {
  try {
    const path = `/v1/jobs/${job.id}/${action}`;
    await call("POST", path, { json });
    saveRequest({ method: "POST", path, json });
  } catch (error) {
    notify(/** @type {Error} */ (error).message, "bad");
  }
  refresh();
}
