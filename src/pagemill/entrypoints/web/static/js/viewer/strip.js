// The strip of pages: how far each is, who read it and how surely; those that want a second look are one press away.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../ui/base.js";
import { Choices } from "../ui/controls.js";
import { number } from "../ui/format.js";
import { entryAt, isDoubtful } from "./pages.js";
import { routeWords } from "./reading.js";

/** @typedef {import("./types.js").PageEntry} PageEntry */
/** @typedef {import("./pages.js").PageBook} PageBook */

const ROW_PX = 46;
const AHEAD_ROWS = 6;

/** @param {{ book: PageBook, current: number, onGo: (index: number) => void }} props */
export function Strip({ book, current, onGo }) {
  const [only, setOnly] = useState("all");
  const doubtful = doubtfulIn(book);
  const indexes = only === "check" ? doubtful : null;
  useEffect(() => {
    if (only === "check" && !doubtful.length) setOnly("all");
  }, [doubtful.length]);
  const choices = [
    { value: "all", text: "All pages" },
    { value: "check", text: `To check ${number(doubtful.length)}` },
  ];
  return html`<nav class="strip" aria-label="Pages of the document">
    ${doubtful.length > 0 && html`<${Choices} label="Which pages" choices=${choices} value=${only} onChange=${setOnly} />`}
    <${Rows} book=${book} indexes=${indexes} current=${current} onGo=${onGo} />
    <p class="strip-keys"><kbd>n</kbd> <kbd>p</kbd> pages <kbd>j</kbd> <kbd>k</kbd> blocks <kbd>/</kbd> find</p>
  </nav>`;
}

/** The places of pages that want a second look. @param {PageBook} book */
export function doubtfulIn(book) {
  return book.entries.flatMap((entry, index) => (isDoubtful(entry) ? [index] : []));
}

/** @param {{ book: PageBook, indexes: number[] | null, current: number, onGo: (index: number) => void }} props */
function Rows({ book, indexes, current, onGo }) {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const count = indexes ? indexes.length : book.count;
  const row = indexes ? indexes.indexOf(current) : current;
  useLayoutEffect(() => {
    const box = /** @type {HTMLElement} */ (element.current);
    const watching = new ResizeObserver(() => setHeight(box.clientHeight));
    watching.observe(box);
    return () => watching.disconnect();
  }, []);
  useEffect(() => keepInSight(element.current, row), [row]);
  const first = Math.max(0, Math.floor(top / ROW_PX) - AHEAD_ROWS);
  const last = Math.min(count, Math.ceil((top + height) / ROW_PX) + AHEAD_ROWS);
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, at) =>
    indexes ? indexes[first + at] : first + at,
  );
  return html`<div class="strip-rows" ref=${element} onScroll=${(/** @type {any} */ event) => setTop(event.target.scrollTop)}>
    <ol style=${{ height: `${count * ROW_PX}px`, paddingTop: `${first * ROW_PX}px` }}>
      ${shown.map(index => html`<${Row} key=${index} entry=${entryAt(book, index)} here=${index === current} onGo=${() => onGo(index)} />`)}
    </ol>
  </div>`;
}

/** @param {HTMLElement | null} box @param {number} row */
function keepInSight(box, row) {
  if (!box || row < 0) return;
  const top = row * ROW_PX;
  if (top < box.scrollTop) box.scrollTop = top - ROW_PX;
  else if (top + ROW_PX > box.scrollTop + box.clientHeight)
    box.scrollTop = top + 2 * ROW_PX - box.clientHeight;
}

/** @param {{ entry: PageEntry, here: boolean, onGo: () => void }} props */
function Row({ entry, here, onGo }) {
  const state = isDoubtful(entry) && entry.state !== "failed" ? "doubtful" : entry.state;
  const facts = entry.state === "failed" ? null : entry.facts;
  return html`<li>
    <button type="button" class="strip-row" data-go=${entry.number} aria-current=${here ? "page" : undefined} onClick=${onGo}>
      <span class=${`dot dot-${state}`} />
      <span class="strip-number figures"><span class="unseen">Page </span>${entry.number}</span>
      ${facts ? html`<${Facts} state=${entry.state} facts=${facts} doubtful=${state === "doubtful"} />` : html`<span class="strip-facts">${entry.state}</span>`}
    </button>
  </li>`;
}

/** @param {{ state: string, facts: import("./types.js").PageFacts, doubtful: boolean }} props */
function Facts({ state, facts, doubtful }) {
  return html`
    <span class="strip-facts"><span class="unseen">${state} </span>${facts.provider}<br />${routeWords(facts.route)}</span>
    <span class=${`strip-sure figures ${doubtful ? "doubtful" : ""}`}>${Math.round(facts.confidence * 100)} %<span class="unseen"> sure</span></span>`;
}
