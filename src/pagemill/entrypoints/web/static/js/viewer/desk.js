// The desk of the viewer: the strip of pages, the printed page, and what was read, with everything that moves between them.

import { setQuery } from "../router.js";
import { announce } from "../ui/announce.js";
import { html, useEffect, useRef, useState } from "../ui/base.js";
import { Checkbox, IconButton } from "../ui/controls.js";
import { number } from "../ui/format.js";
import { ReadAgain } from "./again.js";
import { Figures, Tables } from "./extracts.js";
import { FindBar } from "./findbar.js";
import { KeysSwitch, neighbour, useKeys } from "./keys.js";
import { Lights } from "./lights.js";
import { entryAt, indexOf } from "./pages.js";
import { Pane } from "./pane.js";
import { PaperPage, paperHeight } from "./paper.js";
import { ReadingPage } from "./reading.js";
import { PageSource, Source } from "./sources.js";
import { doubtfulIn, Strip } from "./strip.js";
import { NARROW_TABS, TABS, Tabs } from "./tabs.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./types.js").PageEntry} PageEntry */
/** @typedef {import("./pages.js").PageBook} PageBook */
/** @typedef {import("./sync.js").Sync} Sync */

const NARROW = "(max-width: 52rem)";
const GUESSED_READING_PX = 700;

/** Whether the window is too narrow for two columns. */
function useNarrow() {
  const [narrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const media = matchMedia(NARROW);
    const change = () => setNarrow(media.matches);
    media.addEventListener("change", change);
    return () => media.removeEventListener("change", change);
  }, []);
  return narrow;
}

/** The lights of the desk, once it is there. @param {{ current: HTMLElement | null }} root @param {Sync} sync @param {(id: string) => void} onChoose */
function useLights(root, sync, onChoose) {
  const latest = useRef(onChoose);
  latest.current = onChoose;
  const lights = useRef(/** @type {Lights | null} */ (null));
  useEffect(() => {
    lights.current = new Lights(
      /** @type {HTMLElement} */ (root.current),
      id => latest.current(id),
      () => sync.hold(),
    );
    return () => lights.current?.stop();
  }, []);
  return lights;
}

/** The number of the page that a block stands on. @param {string} id */
function pageOf(id) {
  return Number(/^p(\d+)-/.exec(id)?.[1] ?? 1);
}

/** The tab that is shown, as the address says. @param {boolean} narrow @param {URLSearchParams} start */
function useTab(narrow, start) {
  const [wanted, setWanted] = useState(start.get("tab") ?? "reading");
  const tabs = narrow ? NARROW_TABS : TABS;
  const tab = tabs.find(one => one.name === wanted)?.name ?? "reading";
  /** @param {string} name */
  function chooseTab(name) {
    setWanted(name);
    setQuery({ tab: name === "reading" ? null : name });
  }
  return { tabs, tab, chooseTab };
}

/** The ways to move about. @param {{ book: PageBook, sync: Sync, current: number, tab: string, chooseTab: (name: string) => void }} props */
function useMoves({ book, sync, current, tab, chooseTab }) {
  const root = useRef(/** @type {HTMLElement | null} */ (null));
  /** @param {string} id */
  const showBlock = id => sync.showBlock(indexOf(book, pageOf(id)), id);
  const lights = useLights(root, sync, showBlock);
  /** @param {number} index */
  function go(index) {
    const place = Math.max(0, Math.min(index, book.count - 1));
    sync.goTo(place);
    announce(`Page ${entryAt(book, place).number}`);
  }
  /** @param {string} id */
  function choose(id) {
    lights.current?.choose(id);
    showBlock(id);
  }
  /** @param {number} step */
  function stepBlock(step) {
    const next = neighbour(root.current, lights.current?.chosen ?? "", step);
    if (!next?.dataset.block) return;
    next.focus({ preventScroll: true });
    choose(next.dataset.block);
  }
  /** @param {RegExp | null} pattern @param {import("./find.js").Hit | null} hit */
  function onFound(pattern, hit) {
    lights.current?.find(pattern, hit);
    if (!hit) return;
    if (tab !== "reading") chooseTab("reading");
    choose(hit.id);
  }
  useKeys({
    page: step => go(current + step),
    block: stepBlock,
    find: () => document.getElementById("find")?.focus(),
    leave: () => lights.current?.choose(""),
  });
  return { root, go, choose, onFound };
}

/** @param {{ job: Job, book: PageBook, sync: Sync, current: number, start: URLSearchParams, again: () => void }} props */
export function Desk({ job, book, sync, current, start, again }) {
  const narrow = useNarrow();
  const { tabs, tab, chooseTab } = useTab(narrow, start);
  const { root, go, choose, onFound } = useMoves({ book, sync, current, tab, chooseTab });
  const [boxes, setBoxes] = useState(true);
  const [asked, setAsked] = useState(/** @type {PageEntry | null} */ (null));
  const shared = { job, book, sync, boxes };
  /** @param {string} id */
  function showBlock(id) {
    chooseTab("reading");
    choose(id);
  }
  return html`<div class="desk" ref=${root}>
    <div class="desk-bar">
      <${Pager} book=${book} current=${current} onGo=${go} />
      ${!narrow && html`<${Checkbox} checked=${boxes} onChange=${setBoxes}>Boxes<//>`}
      <${KeysSwitch} />
      <${Tabs} tabs=${tabs} tab=${tab} onTab=${chooseTab} />
      <${FindBar} job=${job} book=${book} onFound=${onFound} />
    </div>
    <div class="desk-columns">
      ${!narrow && html`<${Strip} book=${book} current=${current} onGo=${go} />`}
      ${!narrow && html`<${PaperColumn} ...${shared} />`}
      <div class="side" id="tab-panel" role="tabpanel" aria-labelledby=${`tab-${tab}`}>
        <${Panel} ...${shared} tab=${tab} entry=${entryAt(book, current)} onReadAgain=${setAsked} onBlock=${showBlock} />
      </div>
    </div>
    ${asked && html`<${ReadAgain} job=${job} entry=${asked} onBegun=${again} onClose=${() => setAsked(null)} />`}
  </div>`;
}

/** @param {{ job: Job, book: PageBook, sync: Sync, boxes: boolean }} props */
function PaperColumn({ job, book, sync, boxes }) {
  return html`<${Pane} name="paper" label="The pages as they were printed" count=${book.count} sync=${sync} shape=${book.entries}
    estimate=${(/** @type {number} */ index, /** @type {number} */ width) => paperHeight(entryAt(book, index), width)}
    draw=${(
      /** @type {number} */ index,
      /** @type {number} */ width,
    ) => html`<${PaperPage} job=${job} entry=${entryAt(book, index)}
      before=${index > 0 ? entryAt(book, index - 1) : null} width=${width} boxes=${boxes} />`} />`;
}

/**
 * @param {{ job: Job, book: PageBook, sync: Sync, tab: string, boxes: boolean, entry: PageEntry,
 *   onReadAgain: (entry: PageEntry) => void, onBlock: (id: string) => void }} props
 */
function Panel({ job, book, sync, tab, boxes, entry, onReadAgain, onBlock }) {
  switch (tab) {
    case "page":
      return html`<${PaperColumn} job=${job} book=${book} sync=${sync} boxes=${boxes} />`;
    case "markdown":
      return html`<${Source} key="markdown" job=${job} name="markdown" what="Markdown and other files" />`;
    case "text":
      return html`<${Source} key="text" job=${job} name="text" what="Plain text and other files" />`;
    case "json":
      return html`<${PageSource} job=${job} entry=${entry} />`;
    case "tables":
      return html`<${Tables} job=${job} onBlock=${onBlock} />`;
    case "figures":
      return html`<${Figures} job=${job} onBlock=${onBlock} />`;
    default:
      return html`<${Pane} name="reading" label="What was read" count=${book.count} sync=${sync} shape=${null}
        estimate=${(/** @type {number} */ _index, /** @type {number} */ _width, /** @type {number} */ average) => average || GUESSED_READING_PX}
        draw=${(/** @type {number} */ index) => html`<${ReadingPage} job=${job} entry=${entryAt(book, index)} onReadAgain=${onReadAgain} />`} />`;
  }
}

/** Which page is shown, the steps to its neighbours, and the next one that wants a second look. @param {{ book: PageBook, current: number, onGo: (index: number) => void }} props */
function Pager({ book, current, onGo }) {
  const here = entryAt(book, current).number;
  const doubtful = doubtfulIn(book);
  const next = doubtful.find(index => index > current) ?? doubtful[0];
  // A number being typed outlasts whatever is drawn anew meanwhile.
  const [draft, setDraft] = useState(/** @type {string | null} */ (null));
  /** @param {any} event */
  const typed = event => {
    setDraft(null);
    if (Number(event.target.value)) onGo(indexOf(book, Number(event.target.value)));
  };
  return html`<div class="pager" role="group" aria-label="Pages">
    <${IconButton} icon="left" label="Previous page" aria-keyshortcuts="p" disabled=${current <= 0} onClick=${() => onGo(current - 1)} />
    <input class="figures" type="number" aria-label="Page" min="1" value=${draft ?? here}
      onInput=${(/** @type {any} */ event) => setDraft(event.target.value)} onChange=${typed} />
    <span class="muted small figures">of ${number(book.count)}</span>
    <${IconButton} icon="right" label="Next page" aria-keyshortcuts="n" disabled=${current >= book.count - 1} onClick=${() => onGo(current + 1)} />
    ${next !== undefined && html`<button type="button" class="check-next" onClick=${() => onGo(next)}>${number(doubtful.length)} to check</button>`}
  </div>`;
}
