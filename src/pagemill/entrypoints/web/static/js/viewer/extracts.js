// What was taken out of the document: its tables as grids, its figures as pictures.
import { call, getText } from "../api.js";
import { isActive } from "../job.js";
import { html, useEffect, useRef, useState } from "../ui/base.js";
import { CopyButton, LinkButton } from "../ui/controls.js";
import { count } from "../ui/format.js";
import { Empty, Failure, Loading } from "../ui/states.js";
import { Grid } from "./blocks.js";
import { loadPage } from "./pages.js";
import { NotYet } from "./sources.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./types.js").TableEntry} TableEntry */
/** @typedef {import("./types.js").ImageEntry} ImageEntry */
/** @typedef {import("./types.js").Block} Block */

const STILL_MAKING_MS = 1_000;

/**
 * A list that is made when it is first asked for; null until it is there.
 * @template T
 * @param {Job} job @param {"tables" | "images"} name
 * @returns {{ list: T[] | null, error: Error | null }}
 */
function useList(job, name) {
  const [seen, setSeen] = useState({
    list: /** @type {T[] | null} */ (null),
    error: /** @type {Error | null} */ (null),
  });
  useEffect(() => {
    if (!job.revision || isActive(job)) return undefined;
    let current = true;
    const look = async () => {
      const answer = await call("GET", `/v1/jobs/${job.id}/${name}`, {
        headers: { Accept: "application/json" },
      });
      if (!current) return;
      if (answer.status === 202) setTimeout(() => current && look().catch(fail), STILL_MAKING_MS);
      else setSeen({ list: (await answer.json())[name], error: null });
    };
    /** @param {Error} error */
    const fail = error => current && setSeen({ list: null, error });
    look().catch(fail);
    return () => {
      current = false;
    };
  }, [job.id, job.revision, job.status]);
  return seen;
}

/** @param {{ job: Job, onBlock: (id: string) => void }} props */
export function Tables({ job, onBlock }) {
  const { list, error } = /** @type {{ list: TableEntry[] | null, error: Error | null }} */ (
    useList(job, "tables")
  );
  if (!job.revision || isActive(job)) return html`<${NotYet} what="Tables" />`;
  if (error) return html`<${Failure} error=${error} />`;
  if (!list) return html`<${Loading} label="Looking for tables" />`;
  if (!list.length)
    return html`<${Empty} icon="search" title="No tables">No table was found in this document.<//>`;
  return html`<div class="extracts" tabindex="0" role="region" aria-label="Tables">
    <div class="source-bar">
      <span class="muted small">${count(list.length, "table")}</span>
      <${LinkButton} kind="quiet" icon="download" href=${`/v1/jobs/${job.id}/tables.xlsx`} download>All as XLSX<//>
    </div>
    ${list.map(table => html`<${Table} key=${table.name} job=${job} table=${table} onBlock=${onBlock} />`)}
  </div>`;
}

/** Whether an element has come into sight. @param {{ current: Element | null }} element */
function useSeen(element) {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const watching = new IntersectionObserver(
      entries => entries.some(entry => entry.isIntersecting) && setSeen(true),
      { rootMargin: "300px" },
    );
    watching.observe(/** @type {Element} */ (element.current));
    return () => watching.disconnect();
  }, []);
  return seen;
}

/** @param {{ job: Job, table: TableEntry, onBlock: (id: string) => void }} props */
function Table({ job, table, onBlock }) {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  const seen = useSeen(element);
  const [block, setBlock] = useState(/** @type {Block | null} */ (null));
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const id = table.name.replace(/\.csv$/, "");
  useEffect(() => {
    if (!seen) return;
    loadPage(job.id, table.page, `${job.run}.${job.revision}.final`).then(
      page => setBlock(page.blocks.find(one => one.id === id) ?? null),
      setError,
    );
  }, [seen, job.revision]);
  return html`<section class="extract" ref=${element}>
    <header>
      <h2>${table.caption || `Table on page ${table.page}`}</h2>
      <div class="extract-actions">
        <button type="button" class="link" onClick=${() => onBlock(id)}>Page ${table.page}</button>
        <span class="muted small">${table.rows} × ${table.columns}</span>
        <a href=${table.link} download>CSV</a>
        <${CopyButton} text=${() => getText(table.link)} />
      </div>
    </header>
    ${block && html`<${Grid} block=${block} />`}
    ${!block && (error ? html`<${Failure} error=${error} />` : html`<${Loading} lines=${3} label="Loading the table" />`)}
  </section>`;
}

/** @param {{ job: Job, onBlock: (id: string) => void }} props */
export function Figures({ job, onBlock }) {
  const { list, error } = /** @type {{ list: ImageEntry[] | null, error: Error | null }} */ (
    useList(job, "images")
  );
  if (!job.revision || isActive(job)) return html`<${NotYet} what="Figures" />`;
  if (error) return html`<${Failure} error=${error} />`;
  if (!list) return html`<${Loading} label="Looking for figures" />`;
  if (!list.length)
    return html`<${Empty} icon="search" title="No figures">No figure was found in this document.<//>`;
  return html`<div class="extracts figure-grid" tabindex="0" role="region" aria-label="Figures">
    ${list.map(
      image => html`<figure class="extract" key=${image.name}>
        <img src=${image.link} loading="lazy" alt=${image.caption || `Figure on page ${image.page}`} />
        <figcaption>${image.caption}</figcaption>
        <div class="extract-actions">
          <button type="button" class="link" onClick=${() => onBlock(image.name.replace(/\.png$/, ""))}>Page ${image.page}</button>
          <a href=${image.link} download=${image.name}>PNG</a>
        </div>
      </figure>`,
    )}
  </div>`;
}
