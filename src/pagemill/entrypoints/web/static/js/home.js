// The start page: documents are uploaded here and followed until they are read.

import { receiveFiles, withoutSystemFiles } from "./home/files.js";
import { DEFAULTS, formFields, Options } from "./home/options.js";
import { UploadList } from "./home/uploadlist.js";
import { submitFiles, submitUrl, uploads, waitForJob } from "./home/uploads.js";
import { navigate } from "./router.js";
import { useStore } from "./store.js";
import { announce, notify } from "./ui/announce.js";
import { html, useEffect, useRef, useState } from "./ui/base.js";
import { Button } from "./ui/controls.js";
import { count } from "./ui/format.js";
import { Icon } from "./ui/icons.js";

const SAMPLE = new URL("../sample.pdf", import.meta.url);

/** The page at `/`. */
export default function Home() {
  const [values, setValues] = useState(DEFAULTS);
  const list = useStore(uploads);
  const active = list.length > 0;
  /** @param {File[]} files */
  function submit(files) {
    if (!files.length) return;
    announce(`${count(files.length, "document")} added`);
    submitFiles(files, formFields(values));
    // With documents in the list everything above it is small, so the top of the page shows both.
    scrollTo(0, 0);
  }
  /** @param {string} url */
  function fetchUrl(url) {
    announce("1 document added");
    submitUrl(url, formFields(values));
    scrollTo(0, 0);
  }
  return html`<div class=${active ? "home home-active" : "home"}>
    <div class="hero">
      <h1>Documents in, clean text out</h1>
      <p class="muted">Every heading, paragraph and table of your PDFs, scans and office files as Markdown, JSON, text or HTML, each with its place on the page.</p>
    </div>
    <${DropZone} onFiles=${submit} />
    <${UrlForm} onUrl=${fetchUrl} />
    <${Options} values=${values} onChange=${setValues} />
    ${active && html`<${UploadList} uploads=${list} />`}
  </div>`;
}

/** Takes dropped files; pasting works anywhere on the page. @param {{ onFiles: (files: File[]) => void }} props */
function DropZone({ onFiles }) {
  const over = useDrops(onFiles);
  return html`<section class=${over ? "drop drop-over" : "drop"} aria-label="Upload documents">
    <span class="drop-icon"><${Icon} name="upload" size=${26} /></span>
    <div class="drop-text">
      <h2>${over ? "Release to upload" : "Drop files or folders here"}</h2>
      <p class="muted">PDFs, images, office files, web pages and e-mail, as many as you like. Pasting works too.</p>
    </div>
    <div class="drop-actions">
      <${FilePicker} kind="primary" onFiles=${onFiles}>Choose files<//>
      <${FilePicker} icon="folder" folder onFiles=${onFiles}>Choose a folder<//>
    </div>
    <${Sample} />
  </section>`;
}

/** Names a document by its address. @param {{ onUrl: (url: string) => void }} props */
function UrlForm({ onUrl }) {
  const [url, setUrl] = useState("");
  /** @param {Event} event */
  function onSubmit(event) {
    event.preventDefault();
    if (!url.trim()) return;
    onUrl(url.trim());
    setUrl("");
  }
  return html`<form class="url-form" onSubmit=${onSubmit}>
    <label class="url-label" for="document-url">Or by address</label>
    <input id="document-url" type="url" inputmode="url" autocomplete="off" placeholder="https://example.org/report.pdf"
      pattern="[hH][tT][tT][pP][sS]?://.+" title="An address that begins with https:// or http://"
      value=${url} onInput=${(/** @type {any} */ event) => setUrl(event.target.value)} />
    <${Button} type="submit" icon="download" disabled=${!url.trim()}>Fetch<//>
  </form>`;
}

/** Whether something is being dragged over the page; dropped and pasted files are passed on. @param {(files: File[]) => void} onFiles */
function useDrops(onFiles) {
  const [over, setOver] = useState(false);
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => receiveFiles(setOver, files => latest.current(files)), []);
  return over;
}

/** A button that opens the file dialog. @param {any} props */
function FilePicker({ onFiles, folder = false, children, ...rest }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  /** @param {any} event */
  function onChange(event) {
    onFiles(withoutSystemFiles(event.target.files));
    event.target.value = "";
  }
  return html`<${Button} ...${rest} onClick=${() => input.current?.click()}>${children}<//>
    <input ref=${input} type="file" hidden multiple webkitdirectory=${folder} data-kind=${folder ? "folder" : "files"} onChange=${onChange} />`;
}

/** Uploads the sample document and opens its result. */
function Sample() {
  const [busy, setBusy] = useState(false);
  async function submitSample() {
    setBusy(true);
    try {
      const bytes = await (await fetch(SAMPLE)).arrayBuffer();
      const [upload] = submitFiles([new File([bytes], "sample.pdf", { type: "application/pdf" })], {});
      const jobId = await waitForJob(upload.key);
      if (jobId) navigate(`/jobs/${jobId}`);
    } catch {
      notify("The sample could not be loaded. Is the service running?", "bad");
    }
    setBusy(false);
  }
  return html`<p class="drop-sample muted">
    No document at hand? <${Button} kind="link" icon="spark" busy=${busy} onClick=${submitSample}>Try the sample<//>
  </p>`;
}
