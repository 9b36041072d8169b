// A virtualised column of pages: only the visible ones are rendered.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../ui/base.js";
import { PageHeights } from "./pageheights.js";

/** @typedef {import("./sync.js").Position} Position */
/** @typedef {import("./sync.js").Sync} Sync */

// How much is rendered above and below the visible part, in heights of the pane.
const AHEAD = 0.6;
// Where in the pane a block is put that was asked for.
const BLOCK_PLACE = 0.3;
// Browsers round what they scroll to.
const SLACK_PX = 2;

/**
 * @typedef {object} PaneProps
 * @property {string} name
 * @property {string} label read out for the whole column
 * @property {number} count
 * @property {Sync} sync
 * @property {(index: number, width: number, average: number, height: number) => number} estimate the height of a page that was not drawn yet
 * @property {unknown} shape changes with the estimates
 * @property {unknown} [layout] changes when all heights do
 * @property {(index: number, width: number, height: number) => unknown} draw the content of a page
 */

/** The interface of a pane for the synchronisation of panes. */
export class PaneHandle {
  /** @param {string} name @param {Sync} sync */
  constructor(name, sync) {
    this.name = name;
    this.sync = sync;
    this.heights = new PageHeights();
    /** @type {HTMLElement | null} */
    this.element = null;
    /** Where the pane was last put, even if it can't scroll that far; -1 once the reader has scrolled. */
    this.aim = -1;
    /** What of that it could reach then. */
    this.reached = 0;
    /** Whether the reader has scrolled to the very end, which stays visible while heights are measured. */
    this.atEnd = false;
    /** How much pages above the visible ones have grown since the last rendering. */
    this.above_px = 0;
    /** The place that was shown before the reader scrolled. @type {Position} */
    this.last = { index: 0, fraction: 0 };
    /** The place to show again after all heights have changed. @type {Position | null} */
    this.restore = null;
    this.onRange = () => {};
  }

  get room() {
    const element = /** @type {HTMLElement} */ (this.element);
    return { height: element.clientHeight, most: Math.max(0, this.heights.total - element.clientHeight) };
  }

  /** The position of the current scroll offset, from the very top to the very end. @returns {Position} */
  where() {
    const { most } = this.room;
    const share = most ? Math.min(1, (this.element?.scrollTop ?? 0) / most) : 0;
    return this.heights.at(share * this.heights.total);
  }

  /** How far the pane can be scrolled as it is drawn now. */
  get end() {
    return this.element ? this.element.scrollHeight - this.element.clientHeight : 0;
  }

  /** The page in the upper part of the pane; at the very top the first one, at the very end the last. */
  pageInSight() {
    if (this.atEnd) return this.heights.count - 1;
    const top = this.element?.scrollTop ?? 0;
    return this.heights.at(top + Math.min(top, this.room.height * BLOCK_PLACE)).index;
  }

  /** The scroll offset of a position. @param {Position} position */
  scrollFor({ index, fraction }) {
    const y = this.heights.top(index) + fraction * (this.heights.heights[index] ?? 0);
    return (y * this.room.most) / (this.heights.total || 1);
  }

  /** Show a place. @param {Position} position @param {number} slip_px */
  moveTo(position, slip_px) {
    if (this.element && this.heights.count) this.scroll(this.scrollFor(position) + slip_px);
  }

  /** How far the pane is from showing a place; nothing if that is out of sight. @param {Position} position */
  distanceFrom(position) {
    const distance = this.element ? this.element.scrollTop - this.scrollFor(position) : 0;
    return Math.abs(distance) < this.room.height ? distance : 0;
  }

  /** @param {number} distance_px */
  shift(distance_px) {
    if (this.element && distance_px) this.scroll(this.element.scrollTop + distance_px);
  }

  /** Show the beginning of a page. @param {number} index */
  showTop(index) {
    this.scroll(this.heights.top(index));
  }

  /** @param {number} top */
  scroll(top) {
    if (!this.element) return;
    this.aim = Math.round(Math.max(0, top));
    this.reached = Math.min(this.aim, Math.round(this.room.most));
    if (Math.abs(this.element.scrollTop - this.reached) < 1) return;
    this.element.scrollTop = this.reached;
    this.onRange();
  }

  /** Show the same again although pages above have grown by so much. @param {number} above_px */
  keepPlace(above_px) {
    if (this.atEnd) this.scroll(this.heights.total);
    else this.shift(above_px);
  }

  /** Take the present place for the right one. */
  stay() {
    this.aim = this.element?.scrollTop ?? 0;
    this.reached = this.aim;
  }

  /** Whether the last scroll was ours, or the browser's because pages have shrunk, and not the reader's. */
  isOwnScroll() {
    const top = this.element?.scrollTop ?? 0;
    // What is rendered may be higher or lower than the measured heights.
    const nearest = [this.reached, this.end, this.room.most].map(most => Math.min(this.aim, most));
    return this.aim >= 0 && nearest.some(place => Math.abs(top - place) <= SLACK_PX);
  }

  /** Note that the reader has scrolled. */
  leave() {
    this.aim = -1;
    this.atEnd = this.end > 0 && (this.element?.scrollTop ?? 0) >= this.end - SLACK_PX;
  }

  /** Scroll to the right position once the heights are known. */
  settle() {
    if (!this.heights.count) return;
    if (this.restore && !this.sync.anchor) this.moveTo(this.restore, 0);
    else this.sync.settled(this, this.above_px);
    this.restore = null;
    this.above_px = 0;
    this.onRange();
  }

  /** Which pages must be there. @returns {[number, number]} */
  range() {
    if (!this.element || !this.heights.count) return [0, -1];
    const { scrollTop, clientHeight } = this.element;
    const ahead = clientHeight * AHEAD;
    return [
      this.heights.at(scrollTop - ahead).index,
      this.heights.at(scrollTop + clientHeight + ahead).index,
    ];
  }

  /** Whether a part of a page is visible. @param {number} index */
  shows(index) {
    if (!this.element) return false;
    const { scrollTop, clientHeight } = this.element;
    return this.heights.top(index) < scrollTop + clientHeight && this.heights.top(index + 1) > scrollTop;
  }

  /** The element of a block; null while its page is not there. @param {string} id @returns {HTMLElement | null} */
  find(id) {
    return this.element?.querySelector(`[data-block="${CSS.escape(id)}"]`) ?? null;
  }

  /** Scroll until an element is visible. @param {HTMLElement} element */
  bringIntoView(element) {
    const pane = /** @type {HTMLElement} */ (this.element);
    const place = element.getBoundingClientRect();
    const frame = pane.getBoundingClientRect();
    if (place.top >= frame.top + 8 && place.bottom <= frame.bottom - 8) this.stay();
    else this.scroll(this.offsetOf(element) - frame.height * BLOCK_PLACE);
  }

  /** Where an element begins by the heights that are known, which may lag behind what the browser shows. @param {HTMLElement} element */
  offsetOf(element) {
    const slot = /** @type {HTMLElement} */ (element.closest(".slot"));
    const inside = element.getBoundingClientRect().top - slot.getBoundingClientRect().top;
    return this.heights.top(Number(slot.dataset.index)) + inside;
  }
}

/** The size of an element, also when it changes. @param {{ current: HTMLElement | null }} element */
function useSize(element) {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const own = /** @type {HTMLElement} */ (element.current);
    const measureSize = () => setSize({ width: own.clientWidth, height: own.clientHeight });
    const observer = new ResizeObserver(measureSize);
    observer.observe(own);
    measureSize();
    return () => observer.disconnect();
  }, []);
  return size;
}

/** Keeps the heights up to date with the number of pages, their shapes and the size of the pane. @param {PaneHandle} handle @param {{ width: number, height: number }} size @param {PaneProps} props @param {() => void} redraw */
function useHeights(handle, { width, height }, { count, estimate, shape, layout, sync }, redraw) {
  /** @param {number} index */
  const guess = index => estimate(index, width, handle.heights.average(0), height);
  /** @param {"reset" | "extend"} how */
  function lay(how) {
    if (!width) return;
    if (how === "reset" && handle.heights.count) handle.restore = handle.where();
    handle.heights[how](count, guess);
    redraw();
  }
  useLayoutEffect(() => lay("reset"), [width, layout]);
  useLayoutEffect(() => lay("extend"), [count, shape]);
  useEffect(() => (width ? sync.join(handle) : undefined), [width > 0]);
}

/** A column of pages. @param {PaneProps} props */
export function Pane(props) {
  const { name, label, count, sync, draw } = props;
  const [handle] = useState(() => new PaneHandle(name, sync));
  const [[first, last], setRange] = useState(/** @type {[number, number]} */ ([0, -1]));
  const [turn, setTurn] = useState(0);
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  const redraw = () => setTurn(turn => turn + 1);
  const [observer] = useState(() => new ResizeObserver(entries => measure(handle, entries, redraw)));
  useLayoutEffect(() => {
    handle.element = element.current;
    return () => observer.disconnect();
  }, []);
  handle.onRange = () => {
    const next = handle.range();
    setRange(known => (known[0] === next[0] && known[1] === next[1] ? known : next));
  };
  const size = useSize(element);
  useHeights(handle, size, props, redraw);
  useLayoutEffect(() => handle.settle(), [turn]);
  function onScroll() {
    handle.onRange();
    const place = handle.where();
    if (!handle.isOwnScroll()) sync.moved(handle, place);
    handle.last = place;
  }
  const shown = Array.from(
    { length: Math.max(0, Math.min(last, count - 1) - first + 1) },
    (_, at) => first + at,
  );
  return html`<div class=${`pane pane-${name}`} ref=${element} tabindex="0" role="region" aria-label=${label} onScroll=${onScroll}>
    <div class="pane-inside" style=${{ height: `${handle.heights.total}px` }}>
      <div class="pane-window" style=${{ transform: `translateY(${handle.heights.top(first)}px)` }}>
        ${shown.map(index => html`<${Slot} key=${index} index=${index} observer=${observer}>${draw(index, size.width, size.height)}<//>`)}
      </div>
    </div>
  </div>`;
}

/** The slot of one page, whose height is measured. @param {{ index: number, observer: ResizeObserver, children?: unknown }} props */
function Slot({ index, observer, children }) {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    const own = /** @type {HTMLElement} */ (element.current);
    observer.observe(own);
    return () => observer.unobserve(own);
  }, []);
  return html`<div class="slot" ref=${element} data-index=${index}>${children}</div>`;
}

/** Note the heights of pages. @param {PaneHandle} handle @param {ResizeObserverEntry[]} entries @param {() => void} redraw */
function measure(handle, entries, redraw) {
  let changed = false;
  const top = handle.element?.scrollTop ?? 0;
  for (const entry of entries) {
    const index = Number(/** @type {HTMLElement} */ (entry.target).dataset.index);
    if (!entry.target.isConnected || index >= handle.heights.count) continue;
    const end = handle.heights.top(index + 1);
    const difference = handle.heights.measure(index, entry.borderBoxSize[0].blockSize);
    if (Math.abs(difference) > 0.5) changed = true;
    if (end <= top) handle.above_px += difference;
  }
  if (changed) redraw();
}
