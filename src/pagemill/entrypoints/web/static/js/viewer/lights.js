// Twins: the box on the page and the words that were read in it light up together.
import { mark } from "./find.js";

/** @typedef {import("./find.js").Hit} Hit */

/** Lights blocks below an element; pages that come into sight later are lit too. */
export class Lights {
  /** @param {HTMLElement} root @param {(id: string) => void} onChoose @param {() => void} onDrawn called when blocks have come or gone */
  constructor(root, onChoose, onDrawn) {
    this.root = root;
    this.onChoose = onChoose;
    this.onDrawn = onDrawn;
    this.hovered = "";
    this.chosen = "";
    /** @type {RegExp | null} */
    this.pattern = null;
    /** @type {Hit | null} */
    this.hit = null;
    this.waiting = 0;
    this.observer = new MutationObserver(() => this.later());
    this.observer.observe(root, { childList: true, subtree: true });
    root.addEventListener("pointerover", event => this.hover(blockAt(event)));
    root.addEventListener("pointerleave", () => this.hover(""));
    root.addEventListener("click", event => this.pressed(event));
  }

  /** @param {string} id */
  hover(id) {
    if (id === this.hovered) return;
    this.hovered = id;
    this.paint();
  }

  /** Keep a block lit. @param {string} id */
  choose(id) {
    this.chosen = id;
    this.paint();
  }

  /** Mark what was found. @param {RegExp | null} pattern @param {Hit | null} hit */
  find(pattern, hit) {
    this.pattern = pattern;
    this.hit = hit;
    this.paint();
  }

  /** @param {MouseEvent} event */
  pressed(event) {
    const id = blockAt(event);
    const selecting = String(getSelection()).length > 0;
    if (!id || selecting || (event.target instanceof Element && event.target.closest("a, button"))) return;
    this.choose(id);
    this.onChoose(id);
  }

  later() {
    cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame(() => {
      this.onDrawn();
      this.paint();
    });
  }

  paint() {
    this.set("lit", this.hovered);
    this.set("chosen", this.chosen);
    const reading = this.root.querySelector(".pane-reading");
    if (reading) mark(reading, this.pattern, this.hit);
  }

  /** @param {string} name @param {string} id */
  set(name, id) {
    for (const element of this.root.querySelectorAll(`.${name}`)) {
      if (element.getAttribute("data-block") !== id) element.classList.remove(name);
    }
    if (!id) return;
    for (const element of this.root.querySelectorAll(`[data-block="${CSS.escape(id)}"]`))
      element.classList.add(name);
  }

  stop() {
    cancelAnimationFrame(this.waiting);
    this.observer.disconnect();
    if ("highlights" in CSS) CSS.highlights.clear();
  }
}

/** The block that something happened on. @param {Event} event */
function blockAt(event) {
  const element = event.target instanceof Element ? event.target.closest("[data-block]") : null;
  return element?.getAttribute("data-block") ?? "";
}
