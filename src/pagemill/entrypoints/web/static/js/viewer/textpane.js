// The Text tab: the plain text of every page.
import { call } from "../api.js";
import { html } from "../ui/base.js";
import { CopyButton, LinkButton } from "../ui/controls.js";
import { Failure, Loading } from "../ui/states.js";
import { directionOf } from "./direction.js";
import { entryAt, usePageJson } from "./pages.js";
import { Pane } from "./pane.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./types.js").Block} Block */
/** @typedef {import("./types.js").PageEntry} PageEntry */
/** @typedef {import("./pages.js").PageBook} PageBook */
/** @typedef {import("./sync.js").Sync} Sync */

const GUESSED_HEIGHT_PX = 500;

/** @param {{ job: Job, book: PageBook, sync: Sync }} props */
export function TextPane({ job, book, sync }) {
  const link = `/v1/jobs/${job.id}/text`;
  return html`<div class="source">
    <div class="source-bar">
      ${
        job.revision > 0 &&
        html`<${CopyButton} text=${() => call("GET", link).then(answer => answer.text())} />
        <${LinkButton} kind="quiet" icon="download" href=${link} download>Download<//>`
      }
    </div>
    <${Pane} name="text" label="Plain text" count=${book.count} sync=${sync} shape=${null}
      estimate=${(/** @type {number} */ _index, /** @type {number} */ _width, /** @type {number} */ average) => average || GUESSED_HEIGHT_PX}
      draw=${(/** @type {number} */ index) => html`<${PageText} job=${job} entry=${entryAt(book, index)} />`} />
  </div>`;
}

/** @param {{ job: Job, entry: PageEntry }} props */
function PageText({ job, entry }) {
  const { page, error } = usePageJson(job, entry);
  const blocks = (page?.blocks ?? []).map(block => ({
    id: block.id,
    kind: block.kind,
    text: plainText(block),
  }));
  const shown = blocks.filter(block => block.text);
  return html`<section class="source-page" data-page=${entry.number} aria-label=${`Page ${entry.number}`}>
    <p class="source-number">Page ${entry.number}</p>
    ${shown.map(block => html`<div class="source-block" key=${block.id} data-block=${block.id} data-kind=${block.kind} dir=${directionOf(block.text)}><pre>${block.text}</pre></div>`)}
    ${page && !shown.length && html`<p class="muted small">There is no text on this page.</p>`}
    ${!page && (error ? html`<${Failure} error=${error} />` : entry.state === "waiting" ? html`<p class="muted">Page ${entry.number} is not read yet.</p>` : html`<${Loading} lines=${6} label=${`Loading page ${entry.number}`} />`)}
  </section>`;
}

/** The text of a block, with tabs between the cells of a table. @param {Block} block */
function plainText(block) {
  if (block.kind === "table")
    return [...(block.header?.length ? [block.header] : []), ...(block.rows ?? [])]
      .map(cells => cells.map(cell => cell.text.replace(/\s+/g, " ").trim()).join("\t"))
      .join("\n");
  const text = block.text ?? "";
  return block.kind === "list_item" ? `${"  ".repeat(block.level ?? 0)}${block.marker ?? "-"} ${text}` : text;
}
