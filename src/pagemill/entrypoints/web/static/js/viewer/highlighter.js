// Highlights a block in all panes at once: its box on the page image and its text.
import { mark } from "./find.js";

/** @typedef {import("./find.js").Hit} Hit */

/** Highlights blocks below an element, also on pages that are drawn later. */
export class Highlighter {
  /** @param {HTMLElement} root @param {(id: string) => void} onSelect @param {() => void} onDrawn called when blocks were added or removed */
  constructor(root, onSelect, onDrawn) {
    this.root = root;
    this.onSelect = onSelect;
    this.onDrawn = onDrawn;
    this.hovered = "";
    this.selected = "";
    /** @type {RegExp | null} */
    this.pattern = null;
    /** @type {Hit | null} */
    this.hit = null;
    this.frame = 0;
    this.observer = new MutationObserver(() => this.schedulePaint());
    this.observer.observe(root, { childList: true, subtree: true });
    root.addEventListener("pointerover", event => this.hover(blockAt(event)));
    root.addEventListener("pointerleave", () => this.hover(""));
    root.addEventListener("click", event => this.onClick(event));
  }

  /** @param {string} id */
  hover(id) {
    if (id === this.hovered) return;
    this.hovered = id;
    this.paint();
  }

  /** Keep a block highlighted. @param {string} id */
  select(id) {
    this.selected = id;
    this.paint();
  }

  /** Mark what was found. @param {RegExp | null} pattern @param {Hit | null} hit */
  find(pattern, hit) {
    this.pattern = pattern;
    this.hit = hit;
    this.paint();
  }

  /** @param {MouseEvent} event */
  onClick(event) {
    const id = blockAt(event);
    const hasSelection = String(getSelection()).length > 0;
    if (!id || hasSelection || (event.target instanceof Element && event.target.closest("a, button"))) return;
    this.select(id);
    this.onSelect(id);
  }

  schedulePaint() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      this.onDrawn();
      this.paint();
    });
  }

  paint() {
    this.setClass("hovered", this.hovered);
    this.setClass("selected", this.selected);
    const reading = this.root.querySelector(".pane-reading");
    if (reading) mark(reading, this.pattern, this.hit);
  }

  /** @param {string} name @param {string} id */
  setClass(name, id) {
    for (const element of this.root.querySelectorAll(`.${name}`)) {
      if (element.getAttribute("data-block") !== id) element.classList.remove(name);
    }
    if (!id) return;
    for (const element of this.root.querySelectorAll(`[data-block="${CSS.escape(id)}"]`))
      element.classList.add(name);
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    if ("highlights" in CSS) CSS.highlights.clear();
  }
}

/** The block that something happened on. @param {Event} event */
function blockAt(event) {
  const element = event.target instanceof Element ? event.target.closest("[data-block]") : null;
  return element?.getAttribute("data-block") ?? "";
}
