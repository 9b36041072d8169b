// The events of a job, and the time that each step took.
import { getJson } from "./api.js";
import { html, useEffect, useRef, useState } from "./ui/base.js";
import { count, duration, size, timeOfDay, when } from "./ui/format.js";
import { Failure, Loading } from "./ui/states.js";

/** @typedef {import("./types.js").Job} Job */
/** @typedef {import("./types.js").JobEvent} JobEvent */
/** @typedef {{ key: number, at: string, type: string, words: string, since: number }} Line */

// Longer runs of chunks are shown as one line.
const MAX_CHUNKS = 3;
const BATCH = 500;

/** @type {Record<string, (facts: any) => string>} */
const WORDS = {
  "job.accepted": ({ by_url }) => (by_url ? "Accepted" : "Uploaded"),
  "job.fetched": ({ size_bytes }) => `Fetched: ${size(size_bytes)}`,
  "job.started": ({ run }) => (run > 1 ? "Started again" : "Started"),
  "job.scanned": facts => describeScan(facts),
  "job.planned": ({ pages }) => `Opened: ${count(pages, "page")}`,
  "chunk.read": facts => `${pageRange(facts)} read${failures(facts)}`,
  "chunk.set_back": facts => `${pageRange(facts)} interrupted, tried again: ${facts.code ?? facts.counter}`,
  "chunk.split": facts => `${pageRange(facts)} read one by one from here on`,
  "job.joining": () => "All pages done, writing the result",
  "job.enriching": ({ enrich }) => `Being made: ${namesOf(enrich)}`,
  "job.enriched": facts => describeEnriched(facts),
  "job.completed": facts => describeEnd(facts),
  "job.published": ({ rules }) => `Result published, and read once more by ${rules}`,
  "job.failed": ({ code }) => `Failed: ${code}`,
  "job.cancelled": () => "Cancelled",
  "job.retried": facts => describeRetry(facts),
  "job.corrected": ({ revision, changes }) => `Corrected in ${changes} places: revision ${revision}`,
  "job.restored": ({ restored }) => `Revision ${restored} restored`,
  "job.labelled": () => "Labels changed",
  "job.classified": ({ class: name, by }) => (by === "none" ? "Class unknown" : `Class ${name}, by ${by}`),
  "job.routed": ({ rules }) => `Routed by ${rules}`,
  "job.removed": () => "Deleted",
};

/** @type {Record<string, string>} */
const STEPS = {
  accept: "upload",
  fetch: "fetch",
  plan: "open",
  extract: "read",
  recognise: "OCR",
  join: "write",
  enrich: "enrich",
  publish: "save",
};

/** What is added beside the reading, in words. @type {Record<string, string>} */
const ENRICHMENTS = {
  class: "the class",
  parts: "the parts of a stack",
  names: "names by a language model",
  extraction: "extracted values",
};

/** The enrichments of a list with commas, such as "chunks, facts and entities". @param {string} list */
function namesOf(list) {
  const names = list.split(",").map(name => ENRICHMENTS[name] ?? name.replaceAll("_", " "));
  const last = names.pop() ?? "";
  return names.length ? `${names.join(", ")} and ${last}` : last;
}

/** @param {{ enriched: string, failed?: string, codes?: string }} facts */
function describeEnriched({ enriched, failed, codes }) {
  const made = enriched ? `Added: ${namesOf(enriched)}` : "Nothing was added";
  return failed ? `${made}; not made: ${namesOf(failed)}${codes ? ` (${namesOf(codes)})` : ""}` : made;
}

/** @param {{ only?: string, page?: number, enrich?: string, corrected?: number }} facts */
function describeRetry({ only, page, enrich, corrected }) {
  if (corrected) return `To be made again of the corrected text: ${namesOf(enrich ?? "")}`;
  if (enrich !== undefined) return enrich ? `To be added: ${namesOf(enrich)}` : "To be enriched again";
  if (page) return `Page ${page} is read again`;
  return only === "failed" ? "Failed pages are read again" : "Read again";
}

/** @param {{ reused?: boolean, cancelled?: string, lost?: string, failed_pages?: number[] | number }} facts */
function describeEnd(facts) {
  if (facts.cancelled) return "Adding to the result was cancelled, which stays as it was";
  if (facts.lost) return "Nothing could be added to the result, which stays as it was";
  return facts.reused ? "Completed with a stored result" : `Completed${failures(facts)}`;
}

/** @param {{ verdict?: string, signature?: string, reason?: string, bytes?: string }} facts */
function describeScan({ verdict, signature, reason, bytes }) {
  if (verdict === "infected")
    return `Malware found: ${signature}${bytes ? `, the document was ${bytes}` : ""}`;
  if (verdict === "clean") return "Scanned: no malware found";
  return verdict === "waiting" ? `Waits for the malware scanner: ${reason}` : `Not scanned: ${reason}`;
}

/** @param {{ first_page?: number, last_page?: number }} facts */
function pageRange({ first_page, last_page }) {
  if (!first_page) return "The document";
  return first_page === last_page ? `Page ${first_page}` : `Pages ${first_page} to ${last_page}`;
}

/** @param {{ failed_pages?: number[] | number }} facts */
function failures({ failed_pages }) {
  const failed = Array.isArray(failed_pages) ? failed_pages.length : (failed_pages ?? 0);
  return failed ? `, ${failed} could not be read` : "";
}

/** The events of a job as lines; long runs of chunks are merged. @param {JobEvent[]} events @returns {Line[]} */
export function linesOf(events) {
  const shown = mergeChunks(events);
  return shown.map((event, place) => ({
    key: event.seq,
    at: event.at,
    type: event.type,
    words: WORDS[event.type]?.(event.facts) ?? event.type,
    since: place ? (Date.parse(event.at) - Date.parse(shown[place - 1].at)) / 1000 : 0,
  }));
}

/** @param {JobEvent[]} events @returns {JobEvent[]} */
function mergeChunks(events) {
  /** @type {JobEvent[][]} */
  const runs = [];
  for (const event of events) {
    const last = runs.at(-1);
    if (last && event.type === "chunk.read" && last[0].type === "chunk.read") last.push(event);
    else runs.push([event]);
  }
  return runs.flatMap(run => (run.length > MAX_CHUNKS ? [mergeRun(run)] : run));
}

/** @param {JobEvent[]} run @returns {JobEvent} */
function mergeRun(run) {
  const first = Math.min(...run.map(event => Number(event.facts.first_page)));
  const last = Math.max(...run.map(event => Number(event.facts.last_page)));
  const failed = run.flatMap(event => /** @type {number[]} */ (event.facts.failed_pages ?? []));
  const end = run[run.length - 1];
  return { ...end, facts: { first_page: first, last_page: last, failed_pages: failed } };
}

/** The timeline of a job, updated while it runs. @param {{ job: Job }} props */
export function Timeline({ job }) {
  const [events, setEvents] = useState(/** @type {JobEvent[] | null} */ (null));
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const known = useRef(/** @type {JobEvent[]} */ ([]));
  useEffect(() => {
    const ends = new AbortController();
    addEvents(known.current, job.id, ends.signal).then(
      setEvents,
      problem => ends.signal.aborted || setError(problem),
    );
    return () => ends.abort();
  }, [job.id, job.version]);
  if (error && !events) return html`<${Failure} error=${error} />`;
  if (!events) return html`<${Loading} lines=${3} label="Loading the timeline" />`;
  return html`<div class="timeline">
    <${StepTimes} job=${job} />
    <ol>
      ${linesOf(events).map(
        line => html`<li key=${line.key} data-type=${line.type}>
          <time class="figures" datetime=${line.at} title=${when(line.at)}>${timeOfDay(line.at)}</time>
          <span>${line.words}</span>
          <span class="muted figures">${line.since >= 0.001 ? `+ ${duration(line.since)}` : ""}</span>
        </li>`,
      )}
    </ol>
  </div>`;
}

/** All events of a job; known ones are not loaded again. @param {JobEvent[]} known @param {string} id @param {AbortSignal} signal */
async function addEvents(known, id, signal) {
  while (true) {
    const after = known.at(-1)?.seq ?? 0;
    const { events } = /** @type {{ events: JobEvent[] }} */ (
      await getJson(`/v1/jobs/${id}/events?after=${after}`, { signal })
    );
    signal.throwIfAborted();
    known.push(...events);
    if (events.length < BATCH) return [...known];
  }
}

/** The time that each step of a job took. @param {{ job: Job }} props */
function StepTimes({ job }) {
  const steps = Object.entries(job.seconds).filter(([, seconds]) => seconds > 0);
  const all = steps.reduce((sum, [, seconds]) => sum + seconds, 0);
  if (!all) return null;
  return html`<dl class="steps" aria-label="Seconds per step">
    ${steps.map(
      ([step, seconds]) => html`<div key=${step}>
        <dt>${STEPS[step] ?? step}</dt>
        <dd><span class="steps-bar" style=${{ width: `${Math.max(1, (seconds / all) * 100)}%` }} /><span class="figures">${duration(seconds)}</span></dd>
      </div>`,
    )}
  </dl>`;
}
