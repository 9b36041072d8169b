// The last request that the user made through these pages, which the API page shows as code.
import { loadSetting, saveSetting } from "./storage.js";

/**
 * @typedef {object} ApiRequest
 * @property {string} method
 * @property {string} path
 * @property {string} [filename] of the uploaded document
 * @property {Record<string, string>} [fields] form fields sent with the document
 * @property {unknown} [json] the body
 */

const KEY = "pagemill-request";

/** Store the request for the lifetime of the tab; passwords are replaced. @param {ApiRequest} request */
export function saveRequest(request) {
  const text = JSON.stringify(request, (name, value) => (name === "password" ? "…" : value));
  saveSetting(() => sessionStorage, KEY, text);
}

/** The last request of this tab. @returns {ApiRequest | null} */
export function loadRequest() {
  const text = loadSetting(() => sessionStorage, KEY);
  return text ? JSON.parse(text) : null;
}
