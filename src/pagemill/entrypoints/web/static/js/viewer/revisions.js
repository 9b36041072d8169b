// The Changes tab: a page before and after it was read again, and the way back to an earlier revision.
import { call, getJson } from "../api.js";
import { isActive } from "../job.js";
import { saveRequest } from "../lastrequest.js";
import { notify } from "../ui/announce.js";
import { html, useEffect, useMemo, useState } from "../ui/base.js";
import { Button, Choices } from "../ui/controls.js";
import { when } from "../ui/format.js";
import { Empty, Failure, Loading } from "../ui/states.js";
import { wordsOf } from "./blocks.js";
import { diffWords } from "./diff.js";
import { directionOf } from "./direction.js";
import { usePageJson } from "./pages.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("../types.js").JobEvent} JobEvent */
/** @typedef {import("./types.js").PageEntry} PageEntry */
/** @typedef {import("./types.js").PageJson} PageJson */
/** @typedef {import("./types.js").Revision} Revision */

const VIEWS = [
  { value: "changes", text: "Changes" },
  { value: "before", text: "Before" },
  { value: "after", text: "After" },
];
/** @type {Record<string, string>} */
const OCR_WORDS = { auto: "OCR where needed", force: "OCR on every page", off: "no OCR" };

/** The revisions of a job and the retries that led to them. @param {Job} job */
function useRevisions(job) {
  const [seen, setSeen] = useState({
    revisions: /** @type {Revision[] | null} */ (null),
    retries: /** @type {Map<number, JobEvent>} */ (new Map()),
    error: /** @type {Error | null} */ (null),
  });
  useEffect(() => {
    let current = true;
    Promise.all([getJson(`/v1/jobs/${job.id}/revisions`), getJson(`/v1/jobs/${job.id}/events`)]).then(
      ([list, log]) => {
        const { revisions } = /** @type {{ revisions: Revision[] }} */ (list);
        const { events } = /** @type {{ events: JobEvent[] }} */ (log);
        const retries = new Map(
          events.filter(event => event.type === "job.retried").map(event => [Number(event.facts.run), event]),
        );
        if (current) setSeen({ revisions, retries, error: null });
      },
      error => current && setSeen(before => ({ ...before, error })),
    );
    return () => {
      current = false;
    };
  }, [job.id, job.revision]);
  return seen;
}

/** What is special about a revision, in words. @param {Revision} revision @param {Map<number, JobEvent>} retries */
function describeRevision(revision, retries) {
  const facts = retries.get(revision.run)?.facts ?? {};
  const { mode, ocr, languages } = revision.options;
  const words = [mode, OCR_WORDS[String(ocr)], ...(languages ?? [])];
  if (facts.page) words.unshift(`page ${facts.page} read again`);
  return `Revision ${revision.revision}, ${when(revision.created_at)}: ${words.filter(Boolean).join(", ")}`;
}

/** @param {{ job: Job, entry: PageEntry, refresh: () => void }} props */
export function Revisions({ job, entry, refresh }) {
  const { revisions, retries, error } = useRevisions(job);
  const earlier = (revisions ?? []).filter(one => !one.current);
  const [wanted, setWanted] = useState(0);
  const [view, setView] = useState("changes");
  if (error) return html`<${Failure} error=${error} />`;
  if (!revisions) return html`<${Loading} label="Loading the revisions" />`;
  if (!earlier.length)
    return html`<${Empty} title="No earlier revision">The results of earlier runs are no longer there.<//>`;
  const chosen = earlier.find(one => one.revision === wanted) ?? earlier[0];
  return html`<div class="source">
    <div class="source-bar revisions-bar">
      <select aria-label="Compare with" value=${chosen.revision} onChange=${(/** @type {any} */ event) => setWanted(Number(event.target.value))}>
        ${earlier.map(one => html`<option key=${one.revision} value=${one.revision}>${describeRevision(one, retries)}</option>`)}
      </select>
      <${Choices} label="What to show" choices=${VIEWS} value=${view} onChange=${setView} />
      <${RestoreButton} job=${job} revision=${chosen.revision} refresh=${refresh} />
    </div>
    <${PageChanges} key=${`${chosen.revision} ${entry.number}`} job=${job} entry=${entry} revision=${chosen.revision} view=${view} />
  </div>`;
}

/** @param {{ job: Job, revision: number, refresh: () => void }} props */
function RestoreButton({ job, revision, refresh }) {
  const [busy, setBusy] = useState(false);
  async function restore() {
    setBusy(true);
    const path = `/v1/jobs/${job.id}/revisions/${revision}/restore`;
    try {
      await call("POST", path);
      saveRequest({ method: "POST", path });
      notify(`Revision ${revision} is the result again.`);
      refresh();
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
    }
    setBusy(false);
  }
  return html`<${Button} icon="retry" busy=${busy} disabled=${isActive(job)} onClick=${restore}>Restore revision ${revision}<//>`;
}

/** The text of a page. @param {PageJson} page */
function textOf(page) {
  return page.blocks.map(wordsOf).join("\n\n");
}

/** @param {{ job: Job, entry: PageEntry, revision: number, view: string }} props */
function PageChanges({ job, entry, revision, view }) {
  const after = usePageJson(job, entry).page;
  const [before, setBefore] = useState(/** @type {PageJson | null} */ (null));
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  useEffect(() => {
    const ends = new AbortController();
    const path = `/v1/jobs/${job.id}/pages/${entry.number}?revision=${revision}`;
    getJson(path, { signal: ends.signal }).then(
      page => setBefore(/** @type {PageJson} */ (page)),
      problem => ends.signal.aborted || setError(problem),
    );
    return () => ends.abort();
  }, []);
  const changes = useMemo(
    () => (before && after ? diffWords(textOf(before), textOf(after)) : []),
    [before, after],
  );
  if (error) return html`<${Failure} error=${error} />`;
  if (!before || !after) return html`<${Loading} label="Comparing" />`;
  return html`<div class="changes" tabindex="0" role="region" aria-label=${`Changes of page ${entry.number}`}>
    <p class="muted small">Page ${entry.number}: ${summary(changes)}</p>
    ${view === "changes" ? html`<${Marked} changes=${changes} />` : html`<${Plain} text=${textOf(view === "before" ? before : after)} />`}
  </div>`;
}

/** @param {import("./diff.js").Change[]} changes */
function summary(changes) {
  const changed = changes.filter(change => change.kind !== "same").length;
  if (!changed) return "the text is the same";
  return changed === 1 ? "one change" : `${changed} changes`;
}

/** @param {{ changes: import("./diff.js").Change[] }} props */
function Marked({ changes }) {
  const text = changes.map(change => change.text).join("");
  return html`<div class="changes-text" dir=${directionOf(text)}>
    ${changes.map(({ kind, text }, at) => {
      if (kind === "removed") return html`<del key=${at}>${text}</del>`;
      return kind === "added" ? html`<ins key=${at}>${text}</ins>` : text;
    })}
  </div>`;
}

/** @param {{ text: string }} props */
function Plain({ text }) {
  return html`<div class="changes-text" dir=${directionOf(text)}>${text}</div>`;
}
