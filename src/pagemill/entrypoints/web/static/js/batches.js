// The page of batches: many documents handed in together, with one progress bar for all.
import { call, getJson, parseProblem, WEB_HEADERS } from "./api.js";
import { notify } from "./ui/announce.js";
import { html, useEffect, useRef, useState } from "./ui/base.js";
import { Button, LinkButton } from "./ui/controls.js";
import { Confirm } from "./ui/dialog.js";
import { ago, count, duration, number } from "./ui/format.js";
import { usePolled } from "./ui/poll.js";
import { Empty, Failure, Loading } from "./ui/states.js";
import { ProgressBar, StatusWord } from "./ui/status.js";

/** @typedef {import("./types.js").Batch} Batch */
/** @typedef {import("./types.js").BatchItem} BatchItem */

const POLL_MS = 1_000;
const MAX_SHOWN = 50;
const MAX_ITEMS = 1_000;
const ACTIVE = ["pending", "processing"];
const ARCHIVE = /\.(zip|tar|tar\.gz|tgz)$/i;

/** The page at `/batches`. */
export default function Page() {
  const { data, error, refresh } = usePolled(
    () => /** @type {Promise<{ batches: Batch[] }>} */ (getJson(`/v1/batches?limit=${MAX_SHOWN}`)),
    POLL_MS,
  );
  return html`<div class="lists">
    <header class="page-head">
      <h1>Batches</h1>
      <${NewBatch} onDone=${refresh} />
    </header>
    ${!data && (error ? html`<${Failure} error=${error} onRetry=${refresh} />` : html`<${Loading} lines=${6} />`)}
    ${
      data &&
      !data.batches.length &&
      html`<${Empty} icon="folder" title="No batches yet">Hand in up to 1,000 files at once, or one ZIP or TAR archive of them. Each becomes a job, and their results come in one file.<//>`
    }
    ${data && data.batches.length > 0 && html`<ul class="card list">${data.batches.map(batch => html`<${BatchRow} key=${batch.id} batch=${batch} onChange=${refresh} />`)}</ul>`}
  </div>`;
}

/** Uploads files as one batch. @param {{ onDone: () => Promise<void> }} props */
function NewBatch({ onDone }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [busy, setBusy] = useState(false);
  /** @param {any} event */
  async function submit(event) {
    const files = /** @type {File[]} */ ([...event.target.files]);
    event.target.value = "";
    if (!files.length) return;
    setBusy(true);
    try {
      await postFiles(files);
      notify(`${count(files.length, "file")} handed in.`);
      await onDone();
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
    }
    setBusy(false);
  }
  return html`<${Button} kind="primary" icon="upload" busy=${busy} onClick=${() => input.current?.click()}>New batch<//>
    <input ref=${input} type="file" hidden multiple data-kind="batch" onChange=${submit} />`;
}

/** Send files, or one archive of them, in one request. @param {File[]} files */
async function postFiles(files) {
  const form = new FormData();
  const isArchive = files.length === 1 && ARCHIVE.test(files[0].name);
  if (isArchive) form.append("name", files[0].name.replace(ARCHIVE, ""));
  for (const file of files) form.append(isArchive ? "archive" : "files", file, file.name);
  const answer = await fetch("/v1/batches", { method: "POST", body: form, headers: WEB_HEADERS });
  if (!answer.ok) throw parseProblem(answer.status, await answer.text());
}

/** @param {{ batch: Batch, onChange: () => Promise<void> }} props */
function BatchRow({ batch, onChange }) {
  const [open, setOpen] = useState(false);
  const active = ACTIVE.includes(batch.status);
  const ended = batch.total - batch.counts.pending - batch.counts.processing;
  const name = batch.name || `Batch of ${count(batch.total, "document")}`;
  return html`<li class="list-row">
    <div class="list-text">
      <span class="list-name">${name} <${StatusWord} status=${batch.status} /></span>
      <span class="muted small figures">${describe(batch)}</span>
      ${active && html`<${ProgressBar} share=${batch.total ? ended / batch.total : 1} label=${`Progress of ${name}`} />`}
    </div>
    <div class="list-actions">
      ${batch.counts.completed > 0 && !active && html`<${LinkButton} icon="download" href=${`${batch.links.archive}?format=markdown`} download>Results<//>`}
      <${BatchActions} batch=${batch} active=${active} onChange=${onChange} />
      <${Button} kind="quiet" aria-expanded=${open} onClick=${() => setOpen(!open)}>${open ? "Hide items" : "Show items"}<//>
    </div>
    ${open && html`<${Items} batch=${batch} />`}
  </li>`;
}

/** How a batch stands, in a few words. @param {Batch} batch */
function describe({ counts, total, eta_seconds, created_at }) {
  const parts = [`${number(counts.completed)} of ${count(total, "document")} read`];
  if (counts.failed) parts.push(`${number(counts.failed)} failed`);
  if (counts.refused) parts.push(`${number(counts.refused)} refused`);
  if (counts.cancelled) parts.push(`${number(counts.cancelled)} cancelled`);
  if (counts.removed) parts.push(`${number(counts.removed)} deleted`);
  if (eta_seconds) parts.push(`about ${duration(eta_seconds)} left`);
  return `${parts.join(", ")} · ${ago(created_at)}`;
}

/** @param {{ batch: Batch, active: boolean, onChange: () => Promise<void> }} props */
function BatchActions({ batch, active, onChange }) {
  const [asking, setAsking] = useState(false);
  /** @param {string} method @param {string} path @param {string} done */
  async function act(method, path, done) {
    try {
      await call(method, path);
      notify(done);
      await onChange();
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
    }
  }
  const { failed, cancelled } = batch.counts;
  return html`
    ${active && html`<${Button} icon="stop" onClick=${() => act("POST", batch.links.cancel, "The batch was cancelled.")}>Cancel<//>`}
    ${!active && failed + cancelled > 0 && html`<${Button} icon="retry" onClick=${() => act("POST", batch.links.retry, "What failed is read again.")}>Retry failed<//>`}
    ${!active && html`<${Button} kind="quiet" onClick=${() => setAsking(true)}>Delete<//>`}
    ${
      asking &&
      html`<${Confirm} title="Delete this batch?" confirm="Delete" kind="danger" onClose=${() => setAsking(false)}
        onConfirm=${() => act("DELETE", batch.links.self, "The batch was deleted.")}>All ${count(batch.total, "document")} of it and their results are removed.<//>`
    }`;
}

/** The items of a batch. @param {{ batch: Batch }} props */
function Items({ batch }) {
  const [items, setItems] = useState(/** @type {BatchItem[] | null} */ (null));
  useEffect(() => {
    let current = true;
    getJson(`${batch.links.items}?limit=${MAX_ITEMS}`).then(
      answer => current && setItems(/** @type {{ items: BatchItem[] }} */ (answer).items),
      error => notify(error.message, "bad"),
    );
    return () => {
      current = false;
    };
  }, [batch.id, JSON.stringify(batch.counts)]);
  if (!items) return html`<${Loading} lines=${3} />`;
  return html`<ol class="sub-list" aria-label="Items">
    ${items.map(
      item => html`<li key=${item.number} class="sub-row">
        <span class="muted figures">${item.number}</span>
        ${item.job_id ? html`<a href=${`/jobs/${item.job_id}`}>${item.name}</a>` : html`<span>${item.name}</span>`}
        <${StatusWord} status=${item.status} />
        <span class="muted small">${item.error?.message ?? ""}</span>
      </li>`,
    )}
  </ol>`;
}
