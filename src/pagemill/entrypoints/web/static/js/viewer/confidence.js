// How sure the reader of a page was, in words.
import { html } from "../ui/base.js";

/** @typedef {import("./types.js").PageEntry} PageEntry */

export const LOW_CONFIDENCE = 0.7;
const HIGH_CONFIDENCE = 0.85;

/** @type {Record<string, string>} */
const ROUTES = {
  text: "Text layer",
  ocr: "OCR",
  mixed: "Text layer and OCR",
  blank: "Blank",
  native: "From the file",
};

/** How a page was read, in words. @param {string} route */
export function routeWords(route) {
  return ROUTES[route] ?? route;
}

/** @param {number} value */
export function confidenceWords(value) {
  if (value < LOW_CONFIDENCE) return "Uncertain";
  return value < HIGH_CONFIDENCE ? "Fairly certain" : "Certain";
}

/** Whether a page should be checked: it failed, or the server says so. @param {PageEntry} entry */
export function isUncertain({ state, facts }) {
  return state === "failed" || Boolean(facts?.to_check);
}

/** @param {{ value: number }} props */
export function Confidence({ value }) {
  const kind = value < LOW_CONFIDENCE ? "chip-uncertain" : "chip-certain";
  return html`<span class=${`chip ${kind}`} title=${`Confidence ${value.toFixed(2)}`}>${confidenceWords(value)}</span>`;
}
