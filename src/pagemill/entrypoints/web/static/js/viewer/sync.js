// Synchronised scrolling: the pane that the user scrolls leads, the others follow page by page.
import { createStore } from "../store.js";

/** @typedef {import("./pane.js").PaneHandle} PaneHandle */
/** @typedef {{ index: number, fraction: number }} Position */
/** @typedef {{ index: number, id: string }} Anchor a page, or a block on it */

// How much of the distance between aligned blocks is left after each step of scrolling.
const SLIP_KEPT = 0.85;

/** Keeps panes at the same place of the document. */
export class Sync {
  constructor() {
    /** @type {Map<string, PaneHandle>} */
    this.panes = new Map();
    /** The pane that the user scrolls; empty after a jump, until the user scrolls again. */
    this.leader = "";
    this.slip_px = 0;
    /** @type {Position} */
    this.position = { index: 0, fraction: 0 };
    /** The target of the last jump, kept visible while heights are measured, until the user scrolls. @type {Anchor | null} */
    this.anchor = { index: 0, id: "" };
    /** The place of the page that the reader looks at. */
    this.current = createStore(0);
  }

  /** Take in a pane; the returned function takes it out. @param {PaneHandle} pane */
  join(pane) {
    this.panes.set(pane.name, pane);
    this.settled(pane, 0);
    return () => {
      if (this.panes.get(pane.name) === pane) this.panes.delete(pane.name);
    };
  }

  /** A pane was scrolled by the reader. @param {PaneHandle} leader @param {Position} position */
  moved(leader, position) {
    const followers = this.followersOf(leader.name);
    leader.leave();
    const began = leader.name !== this.leader;
    this.leader = leader.name;
    this.anchor = null;
    this.position = position;
    this.current.set(leader.pageInSight());
    for (const pane of followers) {
      // So that nothing jumps, a follower comes to its place little by little from where it stood.
      if (began) this.slip_px = pane.distanceFrom(leader.last);
      this.slip_px = Math.abs(this.slip_px) < 1 ? 0 : this.slip_px * SLIP_KEPT;
      pane.moveTo(position, this.slip_px);
    }
  }

  /** A pane has learnt how high its pages are: back to the place that it should show. @param {PaneHandle} pane @param {number} above_px */
  settled(pane, above_px) {
    if (this.anchor) hold(pane, this.anchor);
    else if (this.leader && this.leader !== pane.name) pane.moveTo(this.position, this.slip_px);
    else pane.keepPlace(above_px);
  }

  /** @param {string} name */
  followersOf(name) {
    return [...this.panes.values()].filter(pane => pane.name !== name);
  }

  /** Show a page in all panes. @param {number} index */
  goTo(index) {
    this.jump({ index, id: "" });
  }

  /** Show a block in all panes, as soon as its page is there. @param {number} index @param {string} id */
  showBlock(index, id) {
    this.jump({ index, id });
  }

  /** @param {Anchor} anchor */
  jump(anchor) {
    this.leader = "";
    this.anchor = anchor;
    this.position = { index: anchor.index, fraction: 0 };
    this.current.set(anchor.index);
    this.hold();
  }

  /** Keep the target of the last jump visible, unless the user has scrolled on. */
  hold() {
    if (!this.anchor) return;
    for (const pane of this.panes.values()) hold(pane, this.anchor);
  }
}

/** Keep a page or a block visible. @param {PaneHandle} pane @param {Anchor} anchor */
function hold(pane, { index, id }) {
  const element = id ? pane.find(id) : null;
  if (element) pane.bringIntoView(element);
  else if (!id || !pane.shows(index)) pane.showTop(index);
  else pane.stay();
}
