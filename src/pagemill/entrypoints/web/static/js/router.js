// Routes: which page an address shows. Pages are loaded on first use; plain links switch between them without a reload.
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
  definePage("home", "Read documents", /^\/$/, () => import("./home.js"), ["home.css"]),
  definePage("jobs", "Jobs", /^\/jobs$/, () => import("./jobs.js"), ["jobs.css"]),
  definePage("result", "Result", /^\/jobs\/(?<id>[^/]+)$/, () => import("./viewer/viewer.js"), [
    "viewer.css",
    "pages.css",
    "reading.css",
  ]),
  definePage("batches", "Batches", /^\/batches$/, () => import("./batches.js"), ["lists.css"]),
  definePage("search", "Search", /^\/search$/, () => import("./search.js"), ["lists.css"]),
  definePage("webhooks", "Webhooks", /^\/webhooks$/, () => import("./webhooks.js"), ["lists.css"]),
  definePage("rules", "Rules", /^\/rules$/, () => import("./rules.js"), ["lists.css"]),
  definePage("operations", "Operations", /^\/operations$/, () => import("./operations.js"), [
    "operations.css",
  ]),
  definePage("api", "API", /^\/(api|docs)$/, () => import("./apidocs.js"), ["operations.css"]),
];

/**
 * A page whose script and styles are loaded on first use.
 * @param {string} name @param {string} title @param {RegExp} pattern
 * @param {() => Promise<PageModule>} script @param {string[]} styles
 * @returns {Page}
 */
function definePage(name, title, pattern, script, styles) {
  const load = async () => (await Promise.all([script(), ...styles.map(loadStylesheet)]))[0];
  return { name, title, pattern, load };
}

/** Resolves when a stylesheet is loaded. @param {string} name @returns {Promise<void>} */
function loadStylesheet(name) {
  const href = new URL(`../${name}`, import.meta.url).href;
  if (document.querySelector(`link[href="${href}"]`)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
    link.onload = () => resolve();
    link.onerror = () => reject(new Error(`${name} could not be loaded`));
    document.head.append(link);
  });
}

/** @typedef {{ page: Page | null, params: Record<string, string>, query: URLSearchParams, path: string }} Route */

/** The route of the current address. @type {import("./store.js").Store<Route>} */
export const currentRoute = createStore(matchRoute(location.pathname, location.search));

/** The route that matches an address. @param {string} path @param {string} search @returns {Route} */
export function matchRoute(path, search) {
  for (const page of PAGES) {
    const found = page.pattern.exec(path);
    if (found) return { page, params: { ...found.groups }, query: new URLSearchParams(search), path };
  }
  return { page: null, params: {}, query: new URLSearchParams(search), path };
}

/** Go to another page. @param {string} address */
export function navigate(address) {
  history.pushState(null, "", address);
  updateRoute();
}

/** Show another page in place of the current one. @param {string} address */
export function replaceAddress(address) {
  history.replaceState(null, "", address);
  updateRoute();
}

/** Change the query of the current address without a history entry; empty values are removed. @param {Record<string, string | string[] | null>} changes */
export function setQuery(changes) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name);
    for (const one of [value ?? []].flat()) if (one) query.append(name, one);
  }
  const search = query.size ? `?${query}` : "";
  history.replaceState(history.state, "", location.pathname + search + location.hash);
  updateRoute();
}

function updateRoute() {
  currentRoute.set(matchRoute(location.pathname, location.search));
}

/** Follow internal links without a reload. @param {MouseEvent} event */
function followLink(event) {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || !isInternalClick(event, link)) return;
  event.preventDefault();
  if (link.href !== location.href) navigate(link.pathname + link.search + link.hash);
}

/** Whether a click is a plain one on an internal link. @param {MouseEvent} event @param {HTMLAnchorElement} link */
function isInternalClick(event, link) {
  const modified = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (modified || event.defaultPrevented || link.target || link.hasAttribute("download")) return false;
  if (link.origin !== location.origin || (link.hash && link.pathname === location.pathname)) return false;
  return matchRoute(link.pathname, link.search).page !== null;
}

/** Start to handle links and the back and forward buttons. */
export function startRouter() {
  addEventListener("popstate", updateRoute);
  document.addEventListener("click", followLink);
}
