// The head of the viewer: the document, its progress, and its downloads.
import { call, getJson } from "../api.js";
import { describeStatus, isActive } from "../job.js";
import { JobErrorMessage } from "../joberror.js";
import { saveRequest } from "../lastrequest.js";
import { notify } from "../ui/announce.js";
import { html, useEffect, useState } from "../ui/base.js";
import { Button, CopyButton } from "../ui/controls.js";
import { Icon } from "../ui/icons.js";
import { Menu } from "../ui/menu.js";
import { JobProgress, StatusBadge } from "../ui/status.js";
import { Labels } from "./labels.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {{ name: string, link: string }} Artifact */

const RETRY_MS = 1_000;
/** What the artifacts that are one file are called here. @type {Record<string, string>} */
const WRITTEN = { markdown: "Markdown", text: "Plain text", html: "HTML", json: "JSON" };
/** The same of those that are made on demand. @type {Record<string, string>} */
const ON_DEMAND = {
  docx: "Word document",
  tables: "Tables as XLSX",
  layout: "PDF with the blocks drawn in",
  searchable: "Searchable PDF",
  markdown_det: "Markdown with page and box of each block",
  blocks: "Blocks as JSON Lines",
  entities: "Dates, amounts and numbers (JSON)",
  facts: "Fields, check boxes and barcodes (JSON)",
  parts: "Type and documents of a stack (JSON)",
  chunks: "Chunks for retrieval (JSON lines)",
  line_labels: "Lines with what they are, for training (JSON)",
  archive: "Everything in one archive",
};

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
      <${Labels} job=${job} refresh=${refresh} />
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

/** The artifacts that a job has. @param {Job} job */
function useArtifacts(job) {
  const [artifacts, setArtifacts] = useState(/** @type {Artifact[]} */ ([]));
  useEffect(() => {
    let current = true;
    getJson(`/v1/jobs/${job.id}/artifacts`).then(
      found => current && setArtifacts(/** @type {{ artifacts?: Artifact[] }} */ (found).artifacts ?? []),
      error => current && notify(error.message, "bad"),
    );
    return () => {
      current = false;
    };
  }, [job.id, job.revision]);
  return artifacts;
}

/** A menu of everything that can be downloaded of a job. @param {{ job: Job }} props */
function Downloads({ job }) {
  const artifacts = useArtifacts(job);
  /** @param {string} link */
  const save = link => saveRequest({ method: "GET", path: link });
  return html`<${Menu} label="Download" icon="download">
    ${artifacts
      .filter(one => WRITTEN[one.name])
      .map(
        one =>
          html`<li key=${one.name}><a href=${one.link} download onClick=${() => save(one.link)}>${WRITTEN[one.name]}</a></li>`,
      )}
    <li class="menu-line" aria-hidden="true"></li>
    ${artifacts
      .filter(one => ON_DEMAND[one.name])
      .map(
        one =>
          html`<li key=${one.name}><button type="button" onClick=${() => {
            save(one.link);
            downloadWhenMade(one.link);
          }}>${ON_DEMAND[one.name]}</button></li>`,
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
