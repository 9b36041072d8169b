// Which page an address shows. Pages are loaded when they are first asked for; plain links lead from one to the other.
import { createStore } from "./store.js";

/** @typedef {import("./types.js").PageProps} PageProps */
/** @typedef {{ default: (props: PageProps) => import("./ui/base.js").Node }} PageModule */

/**
 * @typedef {object} Page
 * @property {string} name
 * @property {string} title
 * @property {RegExp} pattern
 * @property {() => Promise<PageModule>} load
 */

/** @type {Page[]} */
export const PAGES = [
  page("home", "Read documents", /^\/$/, () => import("./home.js"), ["home.css"]),
  page("jobs", "Jobs", /^\/jobs$/, () => import("./jobs.js"), ["jobs.css"]),
  page("result", "Result", /^\/jobs\/(?<id>[^/]+)$/, () => import("./viewer/viewer.js"), [
    "viewer.css",
    "paper.css",
    "reading.css",
  ]),
  page("operations", "Operations", /^\/operations$/, () => import("./operations.js"), ["operations.css"]),
  page("api", "API", /^\/api$/, () => import("./apidocs.js"), ["operations.css"]),
];

/**
 * A page whose script and styles are loaded when it is first asked for.
 * @param {string} name @param {string} title @param {RegExp} pattern
 * @param {() => Promise<PageModule>} script @param {string[]} styles
 * @returns {Page}
 */
function page(name, title, pattern, script, styles) {
  const load = async () => (await Promise.all([script(), ...styles.map(stylesheet)]))[0];
  return { name, title, pattern, load };
}

/** Done when a stylesheet beside this folder is in force. @param {string} name @returns {Promise<void>} */
function stylesheet(name) {
  const href = new URL(`../${name}`, import.meta.url).href;
  if (document.querySelector(`link[href="${href}"]`)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
    link.onload = () => resolve();
    link.onerror = () => reject(new Error(`${name} could not be loaded`));
    document.head.append(link);
  });
}

/** @typedef {{ page: Page | null, params: Record<string, string>, query: URLSearchParams, path: string }} Place */

/** Where the reader is. @type {import("./store.js").Store<Place>} */
export const place = createStore(placeAt(location.pathname, location.search));

/** The place that an address stands for. @param {string} path @param {string} search @returns {Place} */
export function placeAt(path, search) {
  for (const page of PAGES) {
    const found = page.pattern.exec(path);
    if (found) return { page, params: { ...found.groups }, query: new URLSearchParams(search), path };
  }
  return { page: null, params: {}, query: new URLSearchParams(search), path };
}

/** Go to another page. @param {string} address */
export function navigate(address) {
  history.pushState(null, "", address);
  arrive();
}

/** Change what the present address asks for, without a step in the history. @param {Record<string, string | null>} changes */
export function setQuery(changes) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const search = query.size ? `?${query}` : "";
  history.replaceState(history.state, "", location.pathname + search + location.hash);
  arrive();
}

function arrive() {
  place.set(placeAt(location.pathname, location.search));
}

/** Follow links within the application without loading it again. @param {MouseEvent} event */
function follow(event) {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || !isPlain(event, link)) return;
  event.preventDefault();
  if (link.href !== location.href) navigate(link.pathname + link.search + link.hash);
}

/** Whether a click means just "go there", to a page of ours. @param {MouseEvent} event @param {HTMLAnchorElement} link */
function isPlain(event, link) {
  const modified = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (modified || event.defaultPrevented || link.target || link.hasAttribute("download")) return false;
  if (link.origin !== location.origin || (link.hash && link.pathname === location.pathname)) return false;
  return placeAt(link.pathname, link.search).page !== null;
}

/** Begin to follow links and the browser's own buttons. */
export function startRouter() {
  addEventListener("popstate", arrive);
  document.addEventListener("click", follow);
}
