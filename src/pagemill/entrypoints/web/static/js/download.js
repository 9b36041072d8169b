// Downloads of many jobs at once, packed into one ZIP file by the browser.
import { call } from "./api.js";
import { notify } from "./ui/announce.js";
import { html, useState } from "./ui/base.js";
import { count } from "./ui/format.js";
import { Menu } from "./ui/menu.js";
import { zipFile } from "./zip.js";

/** @typedef {import("./types.js").Job} Job */

const RETRY_MS = 1_000;
// A ZIP file without the 64-bit extension ends at 4 GB; browsers keep what is packed in memory or on disk.
const MAX_BYTES = 2_000_000_000;
/** @typedef {{ name: string, suffix: string, text: string }} Format */
/** @type {Format[]} */
const FORMATS = [
  { name: "markdown", suffix: "md", text: "Markdown" },
  { name: "text", suffix: "txt", text: "Plain text" },
  { name: "html", suffix: "html", text: "HTML" },
  { name: "result", suffix: "json", text: "JSON" },
  { name: "archive.zip", suffix: "zip", text: "Everything, one archive each" },
];

/** A menu that downloads one format of many jobs. @param {{ jobs: Job[], label: string, up?: boolean }} props */
export function DownloadMany({ jobs, label, up = false }) {
  const [packed, setPacked] = useState(/** @type {number | null} */ (null));
  /** @param {Format} format */
  async function start(format) {
    setPacked(0);
    try {
      saveBlob(await packJobs(jobs, format, setPacked), `pagemill-${format.name.replace(".zip", "")}.zip`);
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
    }
    setPacked(null);
  }
  if (packed !== null)
    return html`<span class="muted small figures" role="status">Packing ${packed} of ${count(jobs.length, "document")}</span>`;
  return html`<${Menu} label=${label} icon="download" up=${up}>
    ${FORMATS.map(format => html`<li key=${format.name}><button type="button" onClick=${() => start(format)}>${format.text}</button></li>`)}
  <//>`;
}

/** One format of many jobs as a ZIP file. @param {Job[]} jobs @param {Format} format @param {(packed: number) => void} onPacked */
async function packJobs(jobs, format, onPacked) {
  const names = new Set();
  /** @type {{ name: string, bytes: Uint8Array }[]} */
  const files = [];
  let size_bytes = 0;
  for (const job of jobs) {
    const answer = await fetchWhenMade(`/v1/jobs/${job.id}/${format.name}`);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    size_bytes += bytes.length;
    if (size_bytes > MAX_BYTES) throw new Error("This is more than 2 GB. Select fewer documents.");
    files.push({ name: uniqueName(job.document.filename, format.suffix, names), bytes });
    onPacked(files.length);
  }
  return zipFile(files);
}

/** An artifact, once it is made. @param {string} link */
async function fetchWhenMade(link) {
  let answer = await call("GET", link);
  while (answer.status === 202) {
    await new Promise(resolve => setTimeout(resolve, RETRY_MS));
    answer = await call("GET", link);
  }
  return answer;
}

/** A name for a file that none in the ZIP file has yet. @param {string} filename @param {string} suffix @param {Set<string>} names */
function uniqueName(filename, suffix, names) {
  const stem = filename.replace(/\.[^.]*$/, "") || filename;
  let name = `${stem}.${suffix}`;
  for (let copy = 2; names.has(name); copy += 1) name = `${stem} (${copy}).${suffix}`;
  names.add(name);
  return name;
}

/** @param {Blob} blob @param {string} name */
function saveBlob(blob, name) {
  const href = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
