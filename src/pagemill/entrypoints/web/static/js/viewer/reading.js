// The content of a page, with how it was read and how certain that is.
import { notify } from "../ui/announce.js";
import { html, useState } from "../ui/base.js";
import { Button } from "../ui/controls.js";
import { Loading, Notice } from "../ui/states.js";
import { Blocks } from "./blocks.js";
import { Confidence, routeWords } from "./confidence.js";
import { usePageJson } from "./pages.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./types.js").PageEntry} PageEntry */
/** @typedef {import("./types.js").PageJson} PageJson */
/** @typedef {import("./types.js").Block} Block */

/** @type {Record<string, string>} */
const STATES = { waiting: "waiting", draft: "draft", failed: "failed" };

/** A page as it was read, or as it is corrected. @param {{ job: Job, entry: PageEntry, onReadAgain: (entry: PageEntry) => void, refresh: () => void }} props */
export function ReadingPage({ job, entry, onReadAgain, refresh }) {
  const { page, error } = usePageJson(job, entry);
  // Loaded when it is asked for: most readers correct nothing.
  const [Editor, setEditor] = useState(/** @type {any} */ (null));
  const correct = () =>
    import("./correct.js").then(
      loaded => setEditor(() => loaded.CorrectPage),
      failed => notify(failed.message, "bad"),
    );
  return html`<article class="reading-page" data-page=${entry.number} aria-label=${`Page ${entry.number}`}>
    <${PageHead} job=${job} entry=${entry} page=${page} onReadAgain=${onReadAgain} onCorrect=${Editor ? null : correct} />
    ${Editor && page ? html`<${Editor} job=${job} page=${page} refresh=${refresh} onClose=${() => setEditor(null)} />` : page ? html`<${PageBody} job=${job} page=${page} entry=${entry} />` : html`<${NoBody} job=${job} entry=${entry} error=${error} />`}
  </article>`;
}

/** @param {{ job: Job, entry: PageEntry, page: PageJson | null, onReadAgain: (entry: PageEntry) => void, onCorrect: (() => void) | null }} props */
function PageHead({ job, entry, page, onReadAgain, onCorrect }) {
  const facts = page ?? entry.facts;
  return html`<header class="page-facts">
    <h2>Page ${entry.number}</h2>
    ${STATES[entry.state] && html`<span class=${`chip chip-${entry.state}`}>${STATES[entry.state]}</span>`}
    ${facts?.provider && html`<span class="chip" data-provider=${facts.provider} title=${`Read by ${facts.provider}`}>${routeWords(facts.route)}</span>`}
    ${facts?.provider && html`<${Confidence} value=${facts.confidence} />`}
    ${page?.tries.map(one => html`<span class="chip chip-uncertain" key=${one.provider} title=${[one.provider, one.message].filter(Boolean).join(": ")}>Second try</span>`)}
    ${
      job.revision > 0 &&
      html`<${Button} kind="quiet" icon="retry" data-read-again=${entry.number}
      disabled=${job.status === "processing" || job.status === "pending"} onClick=${() => onReadAgain(entry)}>Read again<//>`
    }
    ${job.status === "completed" && page && !page.error && onCorrect && html`<${Button} kind="quiet" icon="edit" data-correct=${entry.number} onClick=${onCorrect}>Correct<//>`}
  </header>`;
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
    ${!page.blocks.length && !page.fields.length && html`<p class="muted">This page is empty.</p>`}
  </div>`;
}

/** @param {{ page: PageJson }} props */
function Fields({ page }) {
  return html`<dl class="fields">
    ${page.fields.map(
      (field, at) => html`<div key=${at}>
        <dt>${field.label || field.name}</dt>
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
