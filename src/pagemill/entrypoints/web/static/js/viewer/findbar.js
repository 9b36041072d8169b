// The field that finds words, and the steps from one hit to the next.
import { announce, notify } from "../ui/announce.js";
import { html, useEffect, useState } from "../ui/base.js";
import { IconButton } from "../ui/controls.js";
import { number } from "../ui/format.js";
import { Icon } from "../ui/icons.js";
import { findAll, patternOf } from "./find.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./find.js").Hit} Hit */
/** @typedef {import("./pages.js").PageBook} PageBook */

const REST_MS = 200;

/** The hits of a query, more and more of them while the document is looked through. @param {Job} job @param {PageBook} book @param {string} query */
function useHits(job, book, query) {
  const [found, setFound] = useState({ hits: /** @type {Hit[]} */ ([]), done: true });
  useEffect(() => {
    const pattern = patternOf(query);
    setFound({ hits: [], done: !pattern });
    if (!pattern) return undefined;
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      await findAll(
        job,
        book,
        pattern,
        more => setFound(before => ({ hits: [...before.hits, ...more], done: false })),
        stop.signal,
      ).catch(error => stop.signal.aborted || notify(error.message, "bad"));
      if (!stop.signal.aborted) setFound(before => ({ ...before, done: true }));
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [query, job.id, job.revision]);
  return found;
}

/** @param {{ job: Job, book: PageBook, onFound: (pattern: RegExp | null, hit: Hit | null) => void }} props */
export function FindBar({ job, book, onFound }) {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const { hits, done } = useHits(job, book, query);
  useEffect(() => setAt(0), [query]);
  useEffect(
    () => onFound(patternOf(query), hits[at] ?? null),
    [query, at, hits.length > 0, hits[at]?.id, hits[at]?.nth],
  );
  useEffect(() => {
    if (done && query) announce(hits.length ? `${number(hits.length)} found` : "Nothing found");
  }, [done]);
  /** @param {number} step */
  const go = step => hits.length && setAt((at + step + hits.length) % hits.length);
  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") setQuery("");
  }
  return html`<div class="find" role="search">
    <${Icon} name="search" size=${16} />
    <input type="search" id="find" aria-label="Find in the document" placeholder="Find" value=${query} aria-keyshortcuts="/"
      onInput=${(/** @type {any} */ event) => setQuery(event.target.value)} onKeyDown=${onKeyDown} />
    ${
      query &&
      html`<span class="find-count figures" data-done=${done}>${tally(hits, at, done)}</span>
      <${IconButton} icon="left" label="Previous hit" disabled=${!hits.length} onClick=${() => go(-1)} />
      <${IconButton} icon="right" label="Next hit" disabled=${!hits.length} onClick=${() => go(1)} />`
    }
  </div>`;
}

/** @param {Hit[]} hits @param {number} at @param {boolean} done */
function tally(hits, at, done) {
  if (!hits.length) return done ? "none" : "…";
  return `${number(at + 1)} of ${number(hits.length)}${done ? "" : "…"}`;
}
