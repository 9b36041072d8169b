// The search page: words in, what was read with them out; each hit opens the document at its box.
import { getJson } from "./api.js";
import { FilterFields } from "./filterfields.js";
import { addFilters, addressOf, countFilters, filtersIn } from "./filters.js";
import { setQuery } from "./router.js";
import { html, useEffect, useState } from "./ui/base.js";
import { Button, Choices, TextField } from "./ui/controls.js";
import { count } from "./ui/format.js";
import { Empty, Failure, Loading } from "./ui/states.js";

/** @typedef {import("./types.js").PageProps} PageProps */
/** @typedef {import("./types.js").SearchResults} SearchResults */
/** @typedef {import("./types.js").FoundChunk} FoundChunk */
/** @typedef {import("./types.js").UsedLabels} UsedLabels */
/** @typedef {{ q: string, mode: string, filters: import("./filters.js").Filters, limit: number }} Asked */
/** @typedef {{ found: SearchResults | null, error: Error | null, busy: boolean }} Answer */

const LIMIT = 20;
const MODES = [
  { value: "text", text: "Words" },
  { value: "vector", text: "Meaning" },
  { value: "hybrid", text: "Both" },
];

/** The page at `/search`. @param {PageProps} props */
export default function Page({ query }) {
  const [words, setWords] = useState(query.get("q") ?? "");
  const [filters, setFilters] = useState(() => filtersIn(query));
  const [mode, setMode] = useState(query.get("mode") ?? "text");
  const [asked, setAsked] = useState({ q: words, mode, filters, limit: LIMIT });
  const labels = useLabels();
  const { found, error, busy } = useAnswer(asked);
  /** @param {Event} event */
  function search(event) {
    event.preventDefault();
    ask(mode);
  }
  /** @param {string} chosen */
  function ask(chosen) {
    const q = words.trim();
    setQuery({ q, mode: chosen === "text" ? null : chosen, ...addressOf(filters) });
    setAsked({ q, mode: chosen, filters, limit: LIMIT });
  }
  /** @param {string} chosen */
  function choose(chosen) {
    setMode(chosen);
    if (asked.q) ask(chosen);
  }
  return html`<div class="lists">
    <header class="page-head"><h1>Search</h1></header>
    <form class="card list-form search-form" role="search" onSubmit=${search}>
      <${TextField} label="Words" type="search" value=${words} onChange=${setWords} hint=${'"a phrase", begin*, -without; in any script, with or without accents.'} />
      <${Choices} label="Search by" choices=${MODES} value=${mode} onChange=${choose} />
      <${Button} type="submit" kind="primary" disabled=${!words.trim()}>Search<//>
      <${FilterFields} filters=${filters} labels=${labels} onChange=${setFilters} />
    </form>
    ${error && html`<${Failure} error=${error} onRetry=${() => setAsked({ ...asked })} />`}
    ${busy && !found && html`<${Loading} lines=${4} />`}
    ${found && html`<${Hits} found=${found} filtered=${countFilters(asked.filters) > 0} onMore=${() => setAsked({ ...asked, limit: asked.limit + LIMIT })} />`}
  </div>`;
}

/** The collections and tags that there are; none while they are not known. */
function useLabels() {
  const [labels, setLabels] = useState(/** @type {UsedLabels} */ ({ collections: [], tags: [] }));
  useEffect(() => {
    getJson("/v1/labels").then(setLabels, () => undefined);
  }, []);
  return labels;
}

/** What the server found for a question, which may be empty. @param {Asked} asked @returns {Answer} */
function useAnswer(asked) {
  const [answer, setAnswer] = useState(/** @type {Answer} */ ({ found: null, error: null, busy: false }));
  useEffect(() => {
    if (!asked.q) {
      setAnswer({ found: null, error: null, busy: false });
      return undefined;
    }
    let current = true;
    setAnswer(before => ({ ...before, error: null, busy: true }));
    const query = new URLSearchParams({ q: asked.q, limit: String(asked.limit) });
    if (asked.mode !== "text") query.set("mode", asked.mode);
    addFilters(query, asked.filters);
    getJson(`/v1/search?${query}`).then(
      found => current && setAnswer({ found, error: null, busy: false }),
      error => current && setAnswer({ found: null, error, busy: false }),
    );
    return () => {
      current = false;
    };
  }, [asked]);
  return answer;
}

/** @param {{ found: SearchResults, filtered: boolean, onMore: () => void }} props */
function Hits({ found, filtered, onMore }) {
  if (!found.hits.length)
    return html`<${Empty} icon="search" title="Nothing found">${filtered ? "No document that the filters let through has these words. Try it with fewer filters." : "No document that was read has these words."}<//>`;
  const total = `${found.total_is_exact ? "" : "more than "}${count(found.total, "place")}`;
  return html`<section aria-label="Hits">
    <p class="muted small found-count" role="status">${total}${found.matched === "any" && ". None has all words; these have some of them"}</p>
    <ul class="card list">${found.hits.map(hit => html`<${Hit} key=${`${hit.job_id}-${hit.chunk}`} hit=${hit} />`)}</ul>
    ${found.hits.length < found.total && html`<p><${Button} onClick=${onMore}>Show more<//></p>`}
  </section>`;
}

/** @param {{ hit: FoundChunk }} props */
function Hit({ hit }) {
  const block = hit.boxes[0]?.block;
  const query = new URLSearchParams({ page: String(hit.page), ...(block ? { block } : {}) });
  return html`<li class="list-row search-hit">
    <div class="list-text">
      <a dir="auto" href=${`/jobs/${hit.job_id}?${query}`}>${hit.filename}, page ${hit.page}</a>
      ${hit.headings.length > 0 && html`<p class="muted small" dir="auto">${hit.headings.join(" › ")}</p>`}
      <p dir="auto"><${Marked} text=${hit.snippet} spans=${hit.highlights} /></p>
    </div>
  </li>`;
}

/** A text with some of its spans marked; offsets count characters, not UTF-16 units. @param {{ text: string, spans: number[][] }} props */
function Marked({ text, spans }) {
  const characters = Array.from(text);
  const parts = [];
  let last = 0;
  for (const [start, end] of spans) {
    parts.push(characters.slice(last, start).join(""));
    parts.push(html`<mark>${characters.slice(start, end).join("")}</mark>`);
    last = end;
  }
  return html`${parts}${characters.slice(last).join("")}`;
}
