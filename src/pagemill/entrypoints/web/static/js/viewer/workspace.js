// The workspace of the viewer: the rail of pages, the page images and the text, and everything that moves between them.

import { setQuery } from "../router.js";
import { announce, notify } from "../ui/announce.js";
import { html, useEffect, useRef, useState } from "../ui/base.js";
import { Checkbox, IconButton } from "../ui/controls.js";
import { number } from "../ui/format.js";
import { AskPane } from "./askpane.js";
import { Divider, useDivider } from "./divider.js";
import { Figures, Tables } from "./extracts.js";
import { FactsPane } from "./factspane.js";
import { FindBar } from "./findbar.js";
import { FlowView } from "./flowview.js";
import { Highlighter } from "./highlighter.js";
import { JsonPane } from "./jsonpane.js";
import { KeysSwitch, neighbour, useKeys } from "./keys.js";
import { MarkdownPane } from "./markdownpane.js";
import { OriginalPage, originalHeight } from "./original.js";
import { entryAt, hasPageImages, hasSlides, indexOf } from "./pages.js";
import { Pane } from "./pane.js";
import { Rail, uncertainPages } from "./rail.js";
import { ReadingPage } from "./reading.js";
import { ReadAgain } from "./reread.js";
import { Revisions } from "./revisions.js";
import { SlidePage } from "./slides.js";
import { spot } from "./spot.js";
import { Tabs, tabsFor } from "./tabs.js";
import { TextPane } from "./textpane.js";
import { useImageView, ZoomButtons } from "./zoom.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./types.js").PageEntry} PageEntry */
/** @typedef {import("./pages.js").PageBook} PageBook */
/** @typedef {import("./sync.js").Sync} Sync */
/** @typedef {import("./zoom.js").ImageView} ImageView */
/** @typedef {import("./zoom.js").ViewControl} ViewControl */

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

/** The highlighter of the workspace, once it is mounted. @param {{ current: HTMLElement | null }} root @param {Sync} sync @param {(id: string) => void} onSelect */
function useHighlighter(root, sync, onSelect) {
  const latest = useRef(onSelect);
  latest.current = onSelect;
  const highlighter = useRef(/** @type {Highlighter | null} */ (null));
  useEffect(() => {
    highlighter.current = new Highlighter(
      /** @type {HTMLElement} */ (root.current),
      id => latest.current(id),
      () => sync.hold(),
    );
    return () => highlighter.current?.stop();
  }, []);
  return highlighter;
}

/** The number of the page that a block is on. @param {string} id */
function pageOf(id) {
  return Number(/^p(\d+)-/.exec(id)?.[1] ?? 1);
}

/** The tab that is shown, kept in the address; `images` is true if the page images are a tab. @param {Job} job @param {boolean} images @param {URLSearchParams} start */
function useTab(job, images, start) {
  const [wanted, setWanted] = useState(start.get("tab") ?? "reading");
  const tabs = tabsFor({ images, revision: job.revision });
  const tab = tabs.find(one => one.name === wanted)?.name ?? "reading";
  /** @param {string} name */
  function selectTab(name) {
    setWanted(name);
    setQuery({ tab: name === "reading" ? null : name });
  }
  return { tabs, tab, selectTab };
}

/** Says where to look when the document was read again. @param {Job} job */
function useNewRevision(job) {
  const before = useRef(job.revision);
  useEffect(() => {
    if (job.revision > before.current && before.current > 0 && job.status === "completed")
      notify("There is a new revision. The tab Changes compares it with the one before.");
    before.current = job.revision;
  }, [job.revision]);
}

/** @param {{ book: PageBook, sync: Sync, current: number, tab: string, selectTab: (name: string) => void, control: ViewControl }} props */
function useNavigation({ book, sync, current, tab, selectTab, control }) {
  const root = useRef(/** @type {HTMLElement | null} */ (null));
  /** @param {string} id */
  const showBlock = id => sync.showBlock(indexOf(book, pageOf(id)), id);
  const highlighter = useHighlighter(root, sync, showBlock);
  /** @param {number} index */
  function goTo(index) {
    const valid = Math.max(0, Math.min(index, book.count - 1));
    sync.goTo(valid);
    announce(`Page ${entryAt(book, valid).number}`);
  }
  /** @param {string} id */
  function selectBlock(id) {
    highlighter.current?.select(id);
    showBlock(id);
  }
  /** @param {number} step */
  function stepBlock(step) {
    const next = neighbour(root.current, highlighter.current?.selected ?? "", step);
    if (!next?.dataset.block) return;
    next.focus({ preventScroll: true });
    selectBlock(next.dataset.block);
  }
  /** @param {RegExp | null} pattern @param {import("./find.js").Hit | null} hit */
  function onFound(pattern, hit) {
    highlighter.current?.find(pattern, hit);
    if (!hit) return;
    if (tab !== "reading") selectTab("reading");
    selectBlock(hit.id);
  }
  useKeys({
    page: step => goTo(current + step),
    block: stepBlock,
    zoom: control.zoomBy,
    fit: () => control.setFit(control.view.fit === "width" ? "page" : "width"),
    turn: control.turn,
    find: () => document.getElementById("find")?.focus(),
    leave: () => highlighter.current?.select(""),
  });
  return { root, goTo, selectBlock, onFound };
}

/** @param {{ job: Job, book: PageBook, sync: Sync, current: number, start: URLSearchParams, refresh: () => void }} props */
export function Workspace({ job, book, sync, current, start, refresh }) {
  const narrow = useNarrow();
  const drawn = hasPageImages(book);
  const shown = drawn || hasSlides(book);
  const images = shown && !narrow;
  const flows = !shown && !narrow && job.revision > 0 && book.count > 0;
  const rail = !narrow && (drawn || book.count > 1);
  const { tabs, tab, selectTab } = useTab(job, shown && narrow, start);
  useNewRevision(job);
  const control = useImageView();
  const { root, goTo, selectBlock, onFound } = useNavigation({
    book,
    sync,
    current,
    tab,
    selectTab,
    control,
  });
  const [boxes, setBoxes] = useState(true);
  const [share, setShare] = useDivider();
  const [asked, setAsked] = useState(/** @type {PageEntry | null} */ (null));
  const shared = { job, book, sync, boxes, current, view: control.view };
  const columns = [
    rail && "var(--rail)",
    (images || flows) && `minmax(0, ${share}fr) auto minmax(0, ${1 - share}fr)`,
    !images && !flows && "minmax(0, 1fr)",
  ];
  /** @param {string} id */
  function showBlock(id) {
    selectTab("reading");
    selectBlock(id);
  }
  /** Lights the box of a value beside the panel, or instead of it where there is room for one column. @param {import("./spot.js").Spot} place */
  function showSpot(place) {
    spot.set(place);
    if (narrow && shown) selectTab("page");
    if (place.block) selectBlock(place.block);
    else goTo(indexOf(book, place.page));
  }
  useEffect(() => {
    const wanted = start.get("block");
    if (wanted) selectBlock(wanted);
    return () => spot.set(null);
  }, []);
  return html`<div class="workspace" ref=${root}>
    <div class="workspace-bar">
      <${Pager} book=${book} current=${current} onGo=${goTo} />
      ${(images || tab === "page") && html`<${ZoomButtons} control=${control} />`}
      ${images && html`<${Checkbox} checked=${boxes} onChange=${setBoxes}>Boxes<//>`}
      <${KeysSwitch} />
      <${Tabs} tabs=${tabs} tab=${tab} onTab=${selectTab} />
      <${FindBar} job=${job} book=${book} onFound=${onFound} />
    </div>
    <div class="workspace-columns" style=${{ gridTemplateColumns: columns.filter(Boolean).join(" ") }}>
      ${rail && html`<${Rail} job=${job} images=${drawn} book=${book} current=${current} onGo=${goTo} />`}
      ${images && html`<${OriginalColumn} ...${shared} />`}
      ${flows && html`<${FlowView} job=${job} number=${entryAt(book, current).number} />`}
      ${(images || flows) && html`<${Divider} share=${share} onChange=${setShare} />`}
      <div class="side" id="tab-panel" role="tabpanel" aria-labelledby=${`tab-${tab}`}>
        <${Panel} ...${shared} tab=${tab} onReadAgain=${setAsked} onBlock=${showBlock} onSpot=${showSpot} refresh=${refresh} />
      </div>
    </div>
    ${asked && html`<${ReadAgain} job=${job} entry=${asked} onBegun=${refresh} onClose=${() => setAsked(null)} />`}
  </div>`;
}

/** Whether a page has no image because it was never printed. @param {PageEntry} entry */
function isSlide(entry) {
  return entry.facts !== null && !entry.facts.has_image;
}

/** @param {{ job: Job, book: PageBook, sync: Sync, boxes: boolean, view: ImageView }} props */
function OriginalColumn({ job, book, sync, boxes, view }) {
  return html`<${Pane} name="original" label="Page images" count=${book.count} sync=${sync} shape=${book.entries}
    layout=${`${view.fit} ${view.scale} ${view.turns}`}
    estimate=${(/** @type {number} */ index, /** @type {number} */ width, /** @type {number} */ _average, /** @type {number} */ height) => originalHeight(entryAt(book, index), { width, height }, view)}
    draw=${(
      /** @type {number} */ index,
      /** @type {number} */ width,
      /** @type {number} */ height,
    ) => html`<${isSlide(entryAt(book, index)) ? SlidePage : OriginalPage} job=${job} entry=${entryAt(book, index)}
      before=${index > 0 ? entryAt(book, index - 1) : null} room=${{ width, height }} view=${view} boxes=${boxes} />`} />`;
}

/**
 * @param {{ job: Job, book: PageBook, sync: Sync, tab: string, boxes: boolean, current: number, view: ImageView,
 *   onReadAgain: (entry: PageEntry) => void, onBlock: (id: string) => void, onSpot: (place: import("./spot.js").Spot) => void, refresh: () => void }} props
 */
function Panel({ job, book, sync, tab, boxes, current, view, onReadAgain, onBlock, onSpot, refresh }) {
  switch (tab) {
    case "page":
      return html`<${OriginalColumn} job=${job} book=${book} sync=${sync} boxes=${boxes} view=${view} />`;
    case "markdown":
      return html`<${MarkdownPane} job=${job} book=${book} sync=${sync} current=${current} />`;
    case "text":
      return html`<${TextPane} job=${job} book=${book} sync=${sync} />`;
    case "json":
      return html`<${JsonPane} job=${job} book=${book} sync=${sync} current=${current} />`;
    case "changes":
      return html`<${Revisions} job=${job} entry=${entryAt(book, current)} refresh=${refresh} />`;
    case "tables":
      return html`<${Tables} job=${job} onBlock=${onBlock} />`;
    case "figures":
      return html`<${Figures} job=${job} onBlock=${onBlock} />`;
    case "facts":
      return html`<${FactsPane} job=${job} onSpot=${onSpot} refresh=${refresh} />`;
    case "ask":
      return html`<${AskPane} job=${job} onSpot=${onSpot} />`;
    default:
      return html`<${Pane} name="reading" label="Extracted content" count=${book.count} sync=${sync} shape=${null}
        estimate=${(/** @type {number} */ _index, /** @type {number} */ _width, /** @type {number} */ average) => average || GUESSED_READING_PX}
        draw=${(/** @type {number} */ index) => html`<${ReadingPage} job=${job} entry=${entryAt(book, index)} onReadAgain=${onReadAgain} refresh=${refresh} />`} />`;
  }
}

/** The current page, buttons for its neighbours, and a way to the next page that should be checked. @param {{ book: PageBook, current: number, onGo: (index: number) => void }} props */
function Pager({ book, current, onGo }) {
  const here = entryAt(book, current).number;
  const uncertain = uncertainPages(book);
  const next = uncertain.find(index => index > current) ?? uncertain[0];
  // A number being typed survives updates of the job.
  const [draft, setDraft] = useState(/** @type {string | null} */ (null));
  /** @param {any} event */
  const onChange = event => {
    setDraft(null);
    if (Number(event.target.value)) onGo(indexOf(book, Number(event.target.value)));
  };
  return html`<div class="pager" role="group" aria-label="Pages">
    <${IconButton} icon="left" label="Previous page" aria-keyshortcuts="p" disabled=${current <= 0} onClick=${() => onGo(current - 1)} />
    <input class="figures" type="number" aria-label="Page" min="1" value=${draft ?? here}
      onInput=${(/** @type {any} */ event) => setDraft(event.target.value)} onChange=${onChange} />
    <span class="muted small figures">of ${number(book.count)}</span>
    <${IconButton} icon="right" label="Next page" aria-keyshortcuts="n" disabled=${current >= book.count - 1} onClick=${() => onGo(current + 1)} />
    ${next !== undefined && html`<button type="button" class="check-next" onClick=${() => onGo(next)}>${number(uncertain.length)} to check</button>`}
  </div>`;
}
