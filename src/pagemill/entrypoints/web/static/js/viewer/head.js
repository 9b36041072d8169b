// The head of the viewer: the document, its progress, and its downloads.
import { call } from "../api.js";
import { describeStatus, isActive } from "../job.js";
import { JobErrorMessage } from "../joberror.js";
import { saveRequest } from "../lastrequest.js";
import { notify } from "../ui/announce.js";
import { html, useState } from "../ui/base.js";
import { Button, CopyButton } from "../ui/controls.js";
import { Icon } from "../ui/icons.js";
import { Menu } from "../ui/menu.js";
import { JobProgress, StatusBadge } from "../ui/status.js";

/** @typedef {import("../types.js").Job} Job */

const RETRY_MS = 1_000;
const WRITTEN = [
  { name: "markdown", text: "Markdown" },
  { name: "text", text: "Plain text" },
  { name: "html", text: "HTML" },
  { name: "result", text: "JSON" },
];
const ON_DEMAND = [
  { name: "tables.xlsx", text: "Tables as XLSX" },
  { name: "layout.pdf", text: "PDF with the blocks drawn in" },
  { name: "searchable.pdf", text: "Searchable PDF" },
  { name: "markdown_det", text: "Markdown with page and box of each block" },
  { name: "archive.zip", text: "Everything in one archive" },
];

/** @param {{ job: Job, refresh: () => void }} props */
export function Head({ job, refresh }) {
  return html`<header class="viewer-head">
    <a class="back" href="/jobs" aria-label="Back to all jobs"><${Icon} name="left" size=${18} /></a>
    <div class="viewer-title">
      <h1 dir="auto" title=${job.document.filename}>${job.document.filename}</h1>
      <${StatusBadge} job=${job} />
      ${job.status !== "failed" && html`<span class="muted small viewer-sentence" aria-live="polite">${describeStatus(job)}</span>`}
      ${job.status === "failed" && job.revision > 0 && html`<span class="error-text small viewer-sentence" role="status"><${JobErrorMessage} job=${job} /></span>`}
    </div>
    <div class="viewer-actions">
      ${isActive(job) && html`<${CancelButton} job=${job} refresh=${refresh} />`}
      ${
        job.revision > 0 &&
        html`<${CopyButton} label="Copy Markdown" text=${() => call("GET", `/v1/jobs/${job.id}/markdown`).then(answer => answer.text())} />
        <${Downloads} job=${job} />`
      }
    </div>
    ${isActive(job) && html`<div class="viewer-progress"><${JobProgress} job=${job} /></div>`}
  </header>`;
}

/** @param {{ job: Job, refresh: () => void }} props */
function CancelButton({ job, refresh }) {
  const [busy, setBusy] = useState(false);
  async function cancel() {
    setBusy(true);
    try {
      const path = `/v1/jobs/${job.id}/cancel`;
      await call("POST", path);
      saveRequest({ method: "POST", path });
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
    }
    setBusy(false);
    refresh();
  }
  return html`<${Button} icon="stop" busy=${busy} onClick=${cancel}>Cancel<//>`;
}

/** A menu of everything that can be downloaded of a job. @param {{ job: Job }} props */
function Downloads({ job }) {
  const base = `/v1/jobs/${job.id}`;
  /** @param {string} name */
  const save = name => saveRequest({ method: "GET", path: `${base}/${name}` });
  return html`<${Menu} label="Download" icon="download">
    ${WRITTEN.map(one => html`<li key=${one.name}><a href=${`${base}/${one.name}`} download onClick=${() => save(one.name)}>${one.text}</a></li>`)}
    <li class="menu-line" role="separator"></li>
    ${ON_DEMAND.map(
      one =>
        html`<li key=${one.name}><button type="button" onClick=${() => {
          save(one.name);
          downloadWhenMade(`${base}/${one.name}`);
        }}>${one.text}</button></li>`,
    )}
  <//>`;
}

/** Request an artifact and download it as soon as it is made. @param {string} link */
async function downloadWhenMade(link) {
  notify("Preparing the file. The download starts by itself.");
  try {
    // One byte is enough to know that it is there; the browser then fetches it to the disk, not to memory.
    while ((await call("GET", link, { headers: { Range: "bytes=0-0" } })).status === 202) {
      await new Promise(resolve => setTimeout(resolve, RETRY_MS));
    }
    Object.assign(document.createElement("a"), { href: link, download: "" }).click();
  } catch (error) {
    notify(/** @type {Error} */ (error).message, "bad");
  }
}
