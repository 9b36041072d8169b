// What was read on a page, with who read it and how surely.
import { html } from "../ui/base.js";
import { Button } from "../ui/controls.js";
import { Loading, Notice } from "../ui/states.js";
import { Blocks } from "./blocks.js";
import { LOW_CONFIDENCE, usePageJson } from "./pages.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./types.js").PageEntry} PageEntry */
/** @typedef {import("./types.js").PageJson} PageJson */
/** @typedef {import("./types.js").Block} Block */

/** @type {Record<string, string>} */
const ROUTES = { text: "text layer", ocr: "recognised", mixed: "text and recognised", blank: "blank" };
/** @type {Record<string, string>} */
const STATES = { waiting: "waiting", draft: "draft", failed: "failed" };

/** The words for a way of reading. @param {string} route */
export function routeWords(route) {
  return ROUTES[route] ?? route;
}

/** A page as it was read. @param {{ job: Job, entry: PageEntry, onReadAgain: (entry: PageEntry) => void }} props */
export function ReadingPage({ job, entry, onReadAgain }) {
  const { page, error } = usePageJson(job, entry);
  return html`<article class="reading-page" data-page=${entry.number} aria-label=${`Page ${entry.number}`}>
    <${PageHead} job=${job} entry=${entry} page=${page} onReadAgain=${onReadAgain} />
    ${page ? html`<${PageBody} job=${job} page=${page} entry=${entry} />` : html`<${NoBody} job=${job} entry=${entry} error=${error} />`}
  </article>`;
}

/** @param {{ job: Job, entry: PageEntry, page: PageJson | null, onReadAgain: (entry: PageEntry) => void }} props */
function PageHead({ job, entry, page, onReadAgain }) {
  const facts = page ?? entry.facts;
  return html`<header class="page-facts">
    <h2>Page ${entry.number}</h2>
    ${STATES[entry.state] && html`<span class=${`chip chip-${entry.state}`}>${STATES[entry.state]}</span>`}
    ${facts?.provider && html`<span class="chip">${facts.provider}</span>`}
    ${facts?.provider && html`<span class="chip">${routeWords(facts.route)}</span>`}
    ${facts?.provider && html`<${Confidence} value=${facts.confidence} />`}
    ${page?.tries.map(one => html`<span class="chip chip-doubtful" key=${one.provider} title=${one.message ?? undefined}>not ${one.provider}</span>`)}
    ${
      job.revision > 0 &&
      html`<${Button} kind="quiet" icon="retry" data-read-again=${entry.number}
      disabled=${job.status === "processing" || job.status === "pending"} onClick=${() => onReadAgain(entry)}>Read again<//>`
    }
  </header>`;
}

/** @param {{ value: number }} props */
export function Confidence({ value }) {
  const percent = Math.round(value * 100);
  return html`<span class=${`chip ${value < LOW_CONFIDENCE ? "chip-doubtful" : "chip-sure"}`} title="How sure the reader is">${percent} % sure</span>`;
}

/** @param {{ job: Job, page: PageJson, entry: PageEntry }} props */
function PageBody({ job, page, entry }) {
  const links = {
    /** @param {Block} block */
    figure: block =>
      entry.state === "final" && job.revision
        ? `/v1/jobs/${job.id}/images/${block.id}.png?revision=${job.revision}`
        : null,
  };
  if (page.error)
    return html`<${Notice} kind="bad"><p>${page.error.message}</p><p class="small">${page.error.code}</p><//>`;
  return html`<div class="document">
    <${Blocks} blocks=${page.blocks} links=${links} />
    ${page.fields.length > 0 && html`<${Fields} page=${page} />`}
    ${!page.blocks.length && !page.fields.length && html`<p class="muted">There is nothing on this page.</p>`}
  </div>`;
}

/** @param {{ page: PageJson }} props */
function Fields({ page }) {
  return html`<dl class="fields">
    ${page.fields.map(
      (field, at) => html`<div key=${at}>
        <dt>${field.name}</dt>
        <dd>${field.checked === null ? field.value || "—" : field.checked ? "yes" : "no"}</dd>
      </div>`,
    )}
  </dl>`;
}

/** @param {{ job: Job, entry: PageEntry, error: Error | null }} props */
function NoBody({ job, entry, error }) {
  const failure = job.failed_pages.find(one => one.page === entry.number);
  if (failure)
    return html`<${Notice} kind="bad"><p>${failure.message}</p><p class="small">${failure.code}</p><//>`;
  if (error) return html`<${Notice} kind="bad"><p>${error.message}</p><//>`;
  if (entry.state === "waiting" && job.revision === 0)
    return html`<p class="muted waiting">Not read yet.</p>`;
  return html`<${Loading} lines=${8} label=${`Loading page ${entry.number}`} />`;
}
