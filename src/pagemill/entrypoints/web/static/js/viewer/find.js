// Search in the whole document, page by page as it streams in, and marks on the visible pages.
import { call } from "../api.js";
import { isActive } from "../job.js";
import { wordsOf } from "./blocks.js";
import { loadPage, tagOf } from "./pages.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./types.js").PageJson} PageJson */
/** @typedef {import("./pages.js").PageBook} PageBook */
/** @typedef {{ page: number, id: string, nth: number }} Hit */

const MOST_HITS = 5_000;
// Each page is one line of the document's JSON.
const PAGE_LINE = '{"number":';

/** What matches a query: its words in any case, with any blanks between them; null if there are none. @param {string} query */
export function patternOf(query) {
  const words = query.trim().split(/\s+/).filter(Boolean);
  if (!words.length) return null;
  return new RegExp(words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+"), "giu");
}

/** The hits on one page. @param {PageJson} page @param {RegExp} pattern @returns {Hit[]} */
export function hitsOn(page, pattern) {
  return page.blocks.flatMap(block => {
    const found = wordsOf(block).match(pattern) ?? [];
    return found.map((_, nth) => ({ page: page.number, id: block.id, nth }));
  });
}

/**
 * Searches the document and reports the hits of each page as soon as they are known.
 * @param {Job} job @param {PageBook} book @param {RegExp} pattern
 * @param {(hits: Hit[]) => void} onHits @param {AbortSignal} signal
 */
export async function findAll(job, book, pattern, onHits, signal) {
  let count = 0;
  const pages = isActive(job) || !job.revision ? draftPages(job, book) : finishedPages(job, signal);
  for await (const page of pages) {
    if (signal.aborted || count >= MOST_HITS) return;
    const hits = hitsOn(page, pattern);
    count += hits.length;
    if (hits.length) onHits(hits);
  }
}

/** The pages that are there while others are still being read. @param {Job} job @param {PageBook} book */
async function* draftPages(job, book) {
  for (const entry of book.entries) {
    if (entry.state === "draft" || entry.state === "final")
      yield await loadPage(job.id, entry.number, tagOf(job, entry));
  }
}

/** The pages of a finished document, of which never more than one is kept. @param {Job} job @param {AbortSignal} signal */
async function* finishedPages(job, signal) {
  const answer = await call("GET", `/v1/jobs/${job.id}/result`, { signal });
  let rest = "";
  const characters = /** @type {ReadableStream<Uint8Array>} */ (answer.body).pipeThrough(
    /** @type {any} */ (new TextDecoderStream()),
  );
  for await (const piece of /** @type {AsyncIterable<string>} */ (/** @type {unknown} */ (characters))) {
    const lines = (rest + piece).split("\n");
    rest = /** @type {string} */ (lines.pop());
    for (const line of lines) yield* pageIn(line);
  }
  yield* pageIn(rest);
}

/** @param {string} line @returns {Generator<PageJson>} */
function* pageIn(line) {
  const start = line.indexOf(PAGE_LINE);
  if (start < 0) return;
  const end = line.lastIndexOf("}");
  try {
    yield JSON.parse(line.slice(start, end + 1));
  } catch {
    // The last line also closes the document; its page ends before that.
    yield JSON.parse(line.slice(start, line.indexOf("}]", start) + 1));
  }
}

/** Marks what matches in the blocks below an element, and one hit more than the others. @param {Element} root @param {RegExp | null} pattern @param {Hit | null} hit */
export function mark(root, pattern, hit) {
  if (!("highlights" in CSS)) return;
  const all = new Highlight();
  const one = new Highlight();
  if (pattern) {
    for (const element of root.querySelectorAll("[data-block]")) {
      const ranges = rangesIn(element, pattern);
      const isHit = hit && element.getAttribute("data-block") === hit.id;
      ranges.forEach((range, nth) => {
        (isHit && nth === hit.nth ? one : all).add(range);
      });
    }
  }
  CSS.highlights.set("found", all);
  CSS.highlights.set("found-one", one);
}

/** The places in an element's text that match. @param {Element} element @param {RegExp} pattern */
function rangesIn(element, pattern) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  /** @type {{ node: Node, start: number }[]} */
  const nodes = [];
  let text = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push({ node, start: text.length });
    text += node.nodeValue;
  }
  return [...text.matchAll(pattern)].map(found => rangeOf(nodes, found.index, found.index + found[0].length));
}

/** @param {{ node: Node, start: number }[]} nodes @param {number} start @param {number} end */
function rangeOf(nodes, start, end) {
  const range = new Range();
  const from = /** @type {{ node: Node, start: number }} */ (nodes.findLast(one => one.start <= start));
  const to = /** @type {{ node: Node, start: number }} */ (nodes.findLast(one => one.start < end));
  range.setStart(from.node, start - from.start);
  range.setEnd(to.node, end - to.start);
  return range;
}
