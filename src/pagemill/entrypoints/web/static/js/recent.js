// What the reader last did with the API, so that the API page can show the same as code.
import { keep, kept } from "./keep.js";

/**
 * @typedef {object} Deed
 * @property {string} method
 * @property {string} path
 * @property {string} [filename] of the document that was sent
 * @property {Record<string, string>} [fields] options that were sent beside it
 * @property {unknown} [json] the body that was sent
 */

const KEY = "pagemill-deed";

/** Remember what was done, for as long as the tab lives; passwords are left out. @param {Deed} deed */
export function remember(deed) {
  const text = JSON.stringify(deed, (name, value) => (name === "password" ? "…" : value));
  keep(() => sessionStorage, KEY, text);
}

/** What was done last in this tab. @returns {Deed | null} */
export function recall() {
  const text = kept(() => sessionStorage, KEY);
  return text ? JSON.parse(text) : null;
}
