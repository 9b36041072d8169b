// The start page: documents are handed in here and watched on their way.

import { Entries } from "./home/entries.js";
import { receiveFiles, wanted } from "./home/gather.js";
import { fieldsOf, Options, USUAL } from "./home/options.js";
import { handIn, jobOf, uploads } from "./home/uploads.js";
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
  const [wishes, setWishes] = useState(USUAL);
  const list = useStore(uploads);
  /** @param {File[]} files */
  function take(files) {
    if (!files.length) return;
    announce(`${count(files.length, "document")} handed in`);
    handIn(files, fieldsOf(wishes));
  }
  return html`<div class="home">
    <div class="hero">
      <h1>Documents in, clean text out</h1>
      <p class="muted">Every heading, paragraph and table of your PDFs and scans as Markdown, JSON, text or HTML, each with its place on the page.</p>
    </div>
    <${DropZone} onFiles=${take} />
    <${Options} wishes=${wishes} onChange=${setWishes} />
    ${list.length > 0 && html`<${Entries} uploads=${list} />`}
  </div>`;
}

/** Where documents are dropped; pasting works anywhere on the page. @param {{ onFiles: (files: File[]) => void }} props */
function DropZone({ onFiles }) {
  const over = useDrops(onFiles);
  return html`<section class=${over ? "drop drop-over" : "drop"} aria-label="Hand in documents">
    <span class="drop-icon"><${Icon} name="upload" size=${26} /></span>
    <h2>${over ? "Let go to hand them in" : "Drop files or folders here"}</h2>
    <p class="muted">PDFs and images, as many as you like. Pasting works too.</p>
    <div class="drop-actions">
      <${Picker} kind="primary" onFiles=${onFiles}>Choose files<//>
      <${Picker} icon="folder" folder onFiles=${onFiles}>Choose a folder<//>
    </div>
    <${Sample} />
  </section>`;
}

/** Whether something is being dragged over the page; what is dropped or pasted is handed on. @param {(files: File[]) => void} onFiles */
function useDrops(onFiles) {
  const [over, setOver] = useState(false);
  const take = useRef(onFiles);
  take.current = onFiles;
  useEffect(() => receiveFiles(setOver, files => take.current(files)), []);
  return over;
}

/** A button that lets files or a folder be chosen. @param {any} props */
function Picker({ onFiles, folder = false, children, ...rest }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  /** @param {any} event */
  function chosen(event) {
    onFiles(wanted(event.target.files));
    event.target.value = "";
  }
  return html`<${Button} ...${rest} onClick=${() => input.current?.click()}>${children}<//>
    <input ref=${input} type="file" hidden multiple webkitdirectory=${folder} data-kind=${folder ? "folder" : "files"} onChange=${chosen} />`;
}

/** Hands in a document that comes with the pages, and shows what was read. */
function Sample() {
  const [busy, setBusy] = useState(false);
  async function send() {
    setBusy(true);
    try {
      const bytes = await (await fetch(SAMPLE)).arrayBuffer();
      const [upload] = handIn([new File([bytes], "sample.pdf", { type: "application/pdf" })], {});
      const jobId = await jobOf(upload.key);
      if (jobId) navigate(`/jobs/${jobId}`);
    } catch {
      notify("The sample could not be loaded. Is the service running?", "bad");
    }
    setBusy(false);
  }
  return html`<p class="drop-sample muted">
    No document at hand? <${Button} kind="link" icon="spark" busy=${busy} onClick=${send}>Try the sample<//>
  </p>`;
}
