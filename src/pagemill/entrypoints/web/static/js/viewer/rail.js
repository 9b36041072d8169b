// The rail: a thumbnail of every page with its state; pages to check can be filtered.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../ui/base.js";
import { Choices } from "../ui/controls.js";
import { number } from "../ui/format.js";
import { isUncertain, routeWords } from "./confidence.js";
import { useAbortingRef, useImageTurn } from "./imagequeue.js";
import { entryAt } from "./pages.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./types.js").PageEntry} PageEntry */
/** @typedef {import("./pages.js").PageBook} PageBook */

// As in pages.css.
const ROW_PX = 108;
const AHEAD_ROWS = 2;
// The smallest that the service draws.
const THUMBNAIL_DPI = 18;
// Thumbnails of rows that are only scrolled past are not loaded.
const DELAY_MS = 150;

/** @param {{ job: Job, images: boolean, book: PageBook, current: number, onGo: (index: number) => void }} props */
export function Rail({ job, images, book, current, onGo }) {
  const [only, setOnly] = useState("all");
  const uncertain = uncertainPages(book);
  const indexes = only === "check" ? uncertain : null;
  useEffect(() => {
    if (only === "check" && !uncertain.length) setOnly("all");
  }, [uncertain.length]);
  const choices = [
    { value: "all", text: "All" },
    { value: "check", text: `To check ${number(uncertain.length)}` },
  ];
  return html`<nav class="rail" aria-label="Pages of the document">
    ${uncertain.length > 0 && html`<${Choices} label="Which pages" choices=${choices} value=${only} onChange=${setOnly} />`}
    <${Rows} job=${job} images=${images} book=${book} indexes=${indexes} current=${current} onGo=${onGo} />
    <p class="rail-keys"><kbd>n</kbd> <kbd>p</kbd> pages <kbd>j</kbd> <kbd>k</kbd> blocks <kbd>/</kbd> find</p>
  </nav>`;
}

/** The indexes of pages that should be checked. @param {PageBook} book */
export function uncertainPages(book) {
  return book.entries.flatMap((entry, index) => (isUncertain(entry) ? [index] : []));
}

/** @param {{ job: Job, images: boolean, book: PageBook, indexes: number[] | null, current: number, onGo: (index: number) => void }} props */
function Rows({ job, images, book, indexes, current, onGo }) {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const count = indexes ? indexes.length : book.count;
  const row = indexes ? indexes.indexOf(current) : current;
  useLayoutEffect(() => {
    const box = /** @type {HTMLElement} */ (element.current);
    const observer = new ResizeObserver(() => setHeight(box.clientHeight));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  useEffect(() => scrollToRow(element.current, row), [row]);
  const first = Math.max(0, Math.floor(top / ROW_PX) - AHEAD_ROWS);
  const last = Math.min(count, Math.ceil((top + height) / ROW_PX) + AHEAD_ROWS);
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, at) =>
    indexes ? indexes[first + at] : first + at,
  );
  return html`<div class="rail-rows" ref=${element} onScroll=${(/** @type {any} */ event) => setTop(event.target.scrollTop)}>
    <ol style=${{ height: `${count * ROW_PX}px`, paddingTop: `${first * ROW_PX}px` }}>
      ${shown.map(index => html`<${Row} key=${index} job=${job} images=${images} entry=${entryAt(book, index)} here=${index === current} onGo=${() => onGo(index)} />`)}
    </ol>
  </div>`;
}

/** @param {HTMLElement | null} box @param {number} row */
function scrollToRow(box, row) {
  if (!box || row < 0) return;
  const top = row * ROW_PX;
  if (top < box.scrollTop) box.scrollTop = top - ROW_PX / 2;
  else if (top + ROW_PX > box.scrollTop + box.clientHeight)
    box.scrollTop = top + 1.5 * ROW_PX - box.clientHeight;
}

/** @param {{ job: Job, images: boolean, entry: PageEntry, here: boolean, onGo: () => void }} props */
function Row({ job, images, entry, here, onGo }) {
  const uncertain = isUncertain(entry);
  return html`<li>
    <button type="button" class="rail-row" data-go=${entry.number} aria-current=${here ? "page" : undefined} onClick=${onGo}>
      ${images ? html`<${Thumbnail} job=${job} entry=${entry} />` : html`<span class="rail-thumbnail" />`}
      <span class="rail-text">
        <span class="rail-number figures"><span class="visually-hidden">Page </span>${entry.number}</span>
        <span class=${uncertain ? "rail-state uncertain" : "rail-state"}>${stateWords(entry, uncertain)}</span>
      </span>
    </button>
  </li>`;
}

/** @param {PageEntry} entry @param {boolean} uncertain */
function stateWords({ state, facts }, uncertain) {
  if (state === "failed") return "failed";
  if (uncertain) return "check";
  if (state !== "final" || !facts) return state;
  return facts.route === "text" || facts.route === "native" ? "" : routeWords(facts.route);
}

/** @param {{ job: Job, entry: PageEntry }} props */
function Thumbnail({ job, entry }) {
  const [state, setState] = useState("waiting");
  const abortingRef = useAbortingRef();
  const src = `/v1/jobs/${job.id}/pages/${entry.number}/image?dpi=${THUMBNAIL_DPI}&format=jpeg`;
  const started = useImageTurn(src, { wanted: state === "loading", first: false });
  useEffect(() => {
    const timer = setTimeout(() => setState("loading"), DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  return html`<span class="rail-thumbnail">
    ${started && state !== "failed" && html`<img ref=${abortingRef} src=${started} alt="" decoding="async" fetchpriority="low" class=${state} onLoad=${() => setState("loaded")} onError=${() => setState("failed")} />`}
  </span>`;
}
