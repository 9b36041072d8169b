// The Markdown tab: the source of the document page by page, highlighted, with sections that fold.
import { call } from "../api.js";
import { isActive } from "../job.js";
import { html, useMemo, useState } from "../ui/base.js";
import { CopyButton, LinkButton } from "../ui/controls.js";
import { Icon } from "../ui/icons.js";
import { Empty, Failure, Loading } from "../ui/states.js";
import { useMarkdown } from "./marked.js";
import { entryAt } from "./pages.js";
import { Pane } from "./pane.js";
import { NotYet } from "./sources.js";
import { tokensOf } from "./tokens.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./pages.js").PageBook} PageBook */
/** @typedef {import("./sync.js").Sync} Sync */
/** @typedef {import("./marked.js").MarkdownPage} MarkdownPage */
/** @typedef {import("./marked.js").MarkdownBlock} MarkdownBlock */

const GUESSED_HEIGHT_PX = 500;

/** The ids of blocks below folded headings. @param {Map<number, MarkdownPage>} pages @param {ReadonlySet<string>} folded */
export function hiddenBlocks(pages, folded) {
  const hidden = new Set();
  let level = 0;
  for (const page of pages.values()) {
    for (const block of page.blocks) {
      if (block.level && level && block.level <= level) level = 0;
      if (level) hidden.add(block);
      else if (block.level && folded.has(block.id)) level = block.level;
    }
  }
  return hidden;
}

/** @param {{ job: Job, book: PageBook, sync: Sync, current: number }} props */
export function MarkdownPane({ job, book, sync, current }) {
  const { pages, done, error } = useMarkdown(job, entryAt(book, current).number);
  const [folded, setFolded] = useState(/** @type {ReadonlySet<string>} */ (new Set()));
  const hidden = useMemo(() => hiddenBlocks(pages, folded), [pages, folded]);
  if (!job.revision)
    return isActive(job)
      ? html`<${NotYet} what="Markdown" />`
      : html`<${Empty} title="There is no result" />`;
  if (error) return html`<${Failure} error=${error} />`;
  if (done && [...pages.values()].every(page => !page.blocks.length))
    return html`<${Empty} title="Nothing to read">There is no text in this document.<//>`;
  const link = `/v1/jobs/${job.id}/markdown`;
  /** @param {string} id */
  function toggle(id) {
    const next = new Set(folded);
    if (!next.delete(id)) next.add(id);
    setFolded(next);
  }
  const headings = [...pages.values()].flatMap(page => page.blocks.filter(block => block.level));
  return html`<div class="source">
    <div class="source-bar">
      <${FoldButtons} folded=${folded.size > 0} disabled=${!headings.length}
        onFold=${() => setFolded(new Set(headings.map(block => block.id)))} onUnfold=${() => setFolded(new Set())} />
      <${CopyButton} text=${() => call("GET", link).then(answer => answer.text())} />
      <${LinkButton} kind="quiet" icon="download" href=${link} download>Download<//>
    </div>
    <${Pane} name="markdown" label="Markdown" count=${book.count} sync=${sync} shape=${pages}
      estimate=${(/** @type {number} */ _index, /** @type {number} */ _width, /** @type {number} */ average) => average || GUESSED_HEIGHT_PX}
      draw=${(/** @type {number} */ index) => {
        const { number } = entryAt(book, index);
        return html`<${PageSource} number=${number} page=${pages.get(number)} done=${done} hidden=${hidden} folded=${folded} onToggle=${toggle} />`;
      }} />
  </div>`;
}

/** @param {{ folded: boolean, disabled?: boolean, onFold: () => void, onUnfold: () => void }} props */
export function FoldButtons({ folded, disabled = false, onFold, onUnfold }) {
  return html`<button type="button" class="button button-quiet fold-all" disabled=${disabled} onClick=${folded ? onUnfold : onFold}>
    ${folded ? "Unfold all" : "Fold all"}
  </button>`;
}

/**
 * @param {{ number: number, page: MarkdownPage | undefined, done: boolean, hidden: Set<unknown>, folded: ReadonlySet<string>,
 *   onToggle: (id: string) => void }} props
 */
function PageSource({ number, page, done, hidden, folded, onToggle }) {
  if (!page && !done)
    return html`<div class="source-page"><${Loading} lines=${6} label=${`Loading page ${number}`} /></div>`;
  const blocks = (page?.blocks ?? []).filter(block => !hidden.has(block));
  return html`<section class="source-page" data-page=${number} aria-label=${`Page ${number}`}>
    <p class="source-number">Page ${number}</p>
    ${blocks.map((block, at) => html`<${BlockSource} key=${block.id || at} block=${block} folded=${folded.has(block.id)} onToggle=${onToggle} />`)}
    ${!blocks.length && html`<p class="muted small">${page?.blocks.length ? "Folded" : "No text"}</p>`}
  </section>`;
}

/** @param {{ block: MarkdownBlock, folded: boolean, onToggle: (id: string) => void }} props */
function BlockSource({ block, folded, onToggle }) {
  const fenced = block.text.startsWith("```");
  const label = folded ? "Unfold this section" : "Fold this section";
  return html`<div class="source-block" data-block=${block.id || undefined} data-kind=${block.kind}>
    ${
      block.level > 0 &&
      html`<button type="button" class="fold" aria-expanded=${!folded} aria-label=${label} title=${label} onClick=${() => onToggle(block.id)}>
        <${Icon} name=${folded ? "right" : "down"} size=${14} />
      </button>`
    }
    <pre>${block.text
      .split("\n")
      .map(
        (line, at) =>
          html`<span class="source-line" key=${at}>${tokensOf(line, fenced).map(({ kind, text }) =>
            kind ? html`<span class=${`tok-${kind}`}>${text}</span>` : text,
          )}${"\n"}</span>`,
      )}</pre>
  </div>`;
}
