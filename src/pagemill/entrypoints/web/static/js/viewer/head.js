// The head of the viewer: what the document is, how far it is, and everything that can be had of it.
import { call } from "../api.js";
import { Fault } from "../fault.js";
import { isActive, sentence } from "../job.js";
import { remember } from "../recent.js";
import { notify } from "../ui/announce.js";
import { html, useEffect, useRef } from "../ui/base.js";
import { CopyButton } from "../ui/controls.js";
import { Icon } from "../ui/icons.js";
import { JobProgress, StatusBadge } from "../ui/status.js";

/** @typedef {import("../types.js").Job} Job */

const LOOK_MS = 1_000;
const WRITTEN = [
  { name: "markdown", text: "Markdown" },
  { name: "text", text: "Plain text" },
  { name: "html", text: "HTML" },
  { name: "result", text: "JSON" },
];
const ON_DEMAND = [
  { name: "tables.xlsx", text: "Tables as a workbook" },
  { name: "layout.pdf", text: "PDF with the blocks drawn in" },
  { name: "searchable.pdf", text: "PDF that can be searched" },
  { name: "markdown_det", text: "Markdown with places" },
  { name: "archive.zip", text: "Everything in one file" },
];

/** @param {{ job: Job }} props */
export function Head({ job }) {
  return html`<header class="viewer-head">
    <a class="back" href="/jobs" aria-label="Back to all jobs"><${Icon} name="left" size=${18} /></a>
    <div class="viewer-title">
      <h1 title=${job.document.filename}>${job.document.filename}</h1>
      <${StatusBadge} job=${job} />
      ${job.status !== "failed" && html`<span class="muted small viewer-sentence" aria-live="polite">${sentence(job)}</span>`}
      ${job.status === "failed" && job.revision > 0 && html`<span class="fault small viewer-sentence" role="status"><${Fault} job=${job} /></span>`}
    </div>
    ${
      job.revision > 0 &&
      html`<div class="viewer-actions">
      <${CopyButton} label="Copy Markdown" text=${() => call("GET", `/v1/jobs/${job.id}/markdown`).then(answer => answer.text())} />
      <${Downloads} job=${job} />
    </div>`
    }
    ${isActive(job) && html`<div class="viewer-progress"><${JobProgress} job=${job} /></div>`}
  </header>`;
}

/** A menu of everything that can be had of a job. @param {{ job: Job }} props */
function Downloads({ job }) {
  const menu = useRef(/** @type {HTMLDetailsElement | null} */ (null));
  useEffect(() => closedFromOutside(menu), []);
  const base = `/v1/jobs/${job.id}`;
  /** @param {string} name */
  const keep = name => remember({ method: "GET", path: `${base}/${name}` });
  return html`<details class="menu" ref=${menu}>
    <summary class="button button-plain"><${Icon} name="download" size=${18} />Download</summary>
    <ul>
      ${WRITTEN.map(one => html`<li key=${one.name}><a href=${`${base}/${one.name}`} download onClick=${() => keep(one.name)}>${one.text}</a></li>`)}
      <li class="menu-line" role="separator"></li>
      ${ON_DEMAND.map(
        one =>
          html`<li key=${one.name}><button type="button" onClick=${() => {
            keep(one.name);
            fetchMade(`${base}/${one.name}`);
          }}>${one.text}</button></li>`,
      )}
    </ul>
  </details>`;
}

/** Closes a menu when the reader goes on elsewhere. @param {{ current: HTMLDetailsElement | null }} menu */
function closedFromOutside(menu) {
  /** @param {Event} event */
  const close = event => {
    const isKey = event instanceof KeyboardEvent;
    const inside = event.target instanceof Node && menu.current?.contains(event.target);
    if (menu.current && (isKey ? event.key === "Escape" : !inside)) menu.current.open = false;
  };
  document.addEventListener("click", close);
  document.addEventListener("keydown", close);
  return () => {
    document.removeEventListener("click", close);
    document.removeEventListener("keydown", close);
  };
}

/** Have something made, and save it when it is there. @param {string} link */
async function fetchMade(link) {
  notify("Being made; the download begins by itself.");
  try {
    // One byte is enough to know that it is there; the browser then fetches it to the disk, not to memory.
    while ((await call("GET", link, { headers: { Range: "bytes=0-0" } })).status === 202) {
      await new Promise(resolve => setTimeout(resolve, LOOK_MS));
    }
    Object.assign(document.createElement("a"), { href: link, download: "" }).click();
  } catch (error) {
    notify(/** @type {Error} */ (error).message, "bad");
  }
}
