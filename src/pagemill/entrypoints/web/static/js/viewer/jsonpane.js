// The JSON tab: every page as a tree that folds, highlighted.
import { html, useEffect, useState } from "../ui/base.js";
import { CopyButton, LinkButton } from "../ui/controls.js";
import { count } from "../ui/format.js";
import { Failure, Loading } from "../ui/states.js";
import { FoldButtons } from "./markdownpane.js";
import { entryAt, usePageJson } from "./pages.js";
import { Pane } from "./pane.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./types.js").PageEntry} PageEntry */
/** @typedef {import("./pages.js").PageBook} PageBook */
/** @typedef {import("./sync.js").Sync} Sync */

const GUESSED_HEIGHT_PX = 900;
// Members of the page and its list of blocks are open at first, blocks are folded.
const OPEN_DEPTH = 2;
const PREVIEW_LENGTH = 60;

/** @param {{ job: Job, book: PageBook, sync: Sync, current: number }} props */
export function JsonPane({ job, book, sync, current }) {
  const [depth, setDepth] = useState(OPEN_DEPTH);
  const entry = entryAt(book, current);
  const { page } = usePageJson(job, entry);
  const link = `/v1/jobs/${job.id}/pages/${entry.number}`;
  return html`<div class="source">
    <div class="source-bar">
      <${FoldButtons} folded=${depth <= OPEN_DEPTH} onFold=${() => setDepth(OPEN_DEPTH)} onUnfold=${() => setDepth(99)} />
      <${CopyButton} label=${`Copy page ${entry.number}`} text=${JSON.stringify(page, null, 2)} />
      <${LinkButton} kind="quiet" icon="download" href=${link} download=${`page-${entry.number}.json`}>Page<//>
      ${job.revision > 0 && html`<${LinkButton} kind="quiet" icon="download" href=${`/v1/jobs/${job.id}/result`} download>Document<//>`}
    </div>
    <${Pane} name="json" label="JSON" count=${book.count} sync=${sync} shape=${null} layout=${depth}
      estimate=${(/** @type {number} */ _index, /** @type {number} */ _width, /** @type {number} */ average) => average || GUESSED_HEIGHT_PX}
      draw=${(/** @type {number} */ index) => html`<${PageTree} job=${job} entry=${entryAt(book, index)} depth=${depth} />`} />
  </div>`;
}

/** @param {{ job: Job, entry: PageEntry, depth: number }} props */
function PageTree({ job, entry, depth }) {
  const { page, error } = usePageJson(job, entry);
  return html`<section class="source-page json" data-page=${entry.number} aria-label=${`Page ${entry.number}`}>
    ${page && html`<${Member} value=${page} depth=${0} open=${depth} last />`}
    ${!page && (error ? html`<${Failure} error=${error} />` : entry.state === "waiting" ? html`<p class="muted">Page ${entry.number} is not read yet.</p>` : html`<${Loading} lines=${10} />`)}
  </section>`;
}

/** @param {{ name?: string, value: unknown, depth: number, open: number, last: boolean }} props */
function Member({ name, value, depth, open, last }) {
  if (value !== null && typeof value === "object" && Object.keys(value).length && !isShort(value))
    return html`<${Branch} name=${name} value=${value} depth=${depth} open=${open} last=${last} />`;
  return html`<div class="json-line"><${Name} name=${name} /><${Leaf} value=${value} />${last ? "" : ","}</div>`;
}

/** @param {{ name?: string }} props */
function Name({ name }) {
  return name === undefined ? null : html`<span class="tok-key">${JSON.stringify(name)}</span>: `;
}

/** Whether a list is short and flat enough for one line, as boxes are. @param {object} value */
function isShort(value) {
  return Array.isArray(value) && value.length <= 4 && value.every(one => typeof one === "number");
}

/** @param {{ name?: string, value: object, depth: number, open: number, last: boolean }} props */
function Branch({ name, value, depth, open, last }) {
  const [isOpen, setOpen] = useState(depth < open);
  useEffect(() => setOpen(depth < open), [open]);
  const isList = Array.isArray(value);
  const members = Object.entries(value);
  const [start, end] = isList ? ["[", "]"] : ["{", "}"];
  const block = !isList && "id" in value && "kind" in value ? String(value.id) : undefined;
  return html`<details class="json-branch" open=${isOpen} data-block=${block} onToggle=${(
    /** @type {any} */ event,
  ) => {
    event.stopPropagation();
    setOpen(event.target.open);
  }}>
    <summary><${Name} name=${name} />${start}${!isOpen && html`<span class="json-preview">${preview(value)}</span>${end}${last ? "" : ","}`}</summary>
    ${
      isOpen &&
      html`<div class="json-members">
        ${members.map(([key, one], at) => html`<${Member} key=${key} name=${isList ? undefined : key} value=${one} depth=${depth + 1} open=${open} last=${at === members.length - 1} />`)}
      </div>
      <div class="json-line">${end}${last ? "" : ","}</div>`
    }
  </details>`;
}

/** What a folded branch holds, in a few words. @param {object} value */
function preview(value) {
  if (Array.isArray(value)) return ` ${count(value.length, "item")} `;
  if ("kind" in value) {
    const text = "text" in value && value.text ? `: ${String(value.text).replace(/\s+/g, " ")}` : "";
    return ` ${`${value.kind}${text}`.slice(0, PREVIEW_LENGTH)} … `;
  }
  return " … ";
}

/** @param {{ value: unknown }} props */
function Leaf({ value }) {
  const kind = typeof value === "string" || typeof value === "number" ? typeof value : "literal";
  return html`<span class=${`tok-${kind}`}>${JSON.stringify(value)}</span>`;
}
