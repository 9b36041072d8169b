// The pages of a job: the state of each, and the content of the visible ones.
import { connection, getJson, waitToRetry } from "../api.js";
import { useStore } from "../store.js";
import { useEffect, useState } from "../ui/base.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./types.js").PageEntry} PageEntry */
/** @typedef {import("./types.js").PageEntries} PageEntries */
/** @typedef {import("./types.js").PageJson} PageJson */

// The first pages are loading for alone, so that a long document opens as fast as a short one.
const FIRST_LIMIT = 50;
const LIMIT = 1_000;
const CACHED_PAGES = 80;
// Pages that are only scrolled past are not loaded.
const DELAY_MS = 60;

/** @typedef {{ entries: PageEntry[], count: number }} PageBook */

/** Reads the list of pages bit by bit, and again whatever may have changed. */
class ListReader {
  /** @param {string} id @param {(book: PageBook) => void} onChange */
  constructor(id, onChange) {
    this.id = id;
    this.onChange = onChange;
    /** @type {Map<number, PageEntry>} */
    this.known = new Map();
    /** @type {Job | null} */
    this.wanted = null;
    this.edition = "";
    this.busy = false;
    this.stopped = false;
  }

  /** Read what may have changed with the job. @param {Job} job */
  async refresh(job) {
    this.wanted = job;
    if (this.busy) return;
    this.busy = true;
    while (this.wanted && !this.stopped) {
      const next = this.wanted;
      this.wanted = null;
      await this.read(next).catch(error => this.failed(error, next));
    }
    this.busy = false;
  }

  /** @param {unknown} error @param {Job} job */
  async failed(error, job) {
    if (await waitToRetry(error)) this.wanted ??= job;
  }

  /** @param {Job} job */
  async read(job) {
    if (!job.total_pages) return;
    const edition = `${job.run}.${job.revision}.${job.status}`;
    let first = edition === this.edition ? this.firstUnsettled() : 1;
    this.edition = edition;
    let limit = first === 1 ? FIRST_LIMIT : LIMIT;
    while (!this.stopped) {
      const answer = /** @type {PageEntries} */ (
        await getJson(`/v1/jobs/${this.id}/pages?first=${first}&limit=${limit}`)
      );
      for (const entry of answer.pages) this.known.set(entry.number, entry);
      if (!this.stopped) this.onChange(this.book(job));
      if (answer.pages.length < limit) return;
      first = answer.pages[answer.pages.length - 1].number + 1;
      limit = LIMIT;
    }
  }

  firstUnsettled() {
    for (const entry of this.known.values()) if (entry.state === "waiting") return entry.number;
    return [...this.known.keys()].at(-1) ?? 1;
  }

  /** @param {Job} job @returns {PageBook} */
  book(job) {
    const entries = [...this.known.values()].sort((one, other) => one.number - other.number);
    return { entries, count: job.options.pages ? entries.length : (job.total_pages ?? 0) };
  }
}

/** The pages of a job with their states, cache up to date while it runs. @param {Job | null} job @returns {PageBook} */
export function usePages(job) {
  const [book, setBook] = useState(/** @type {PageBook} */ ({ entries: [], count: 0 }));
  const [reader, setReader] = useState(/** @type {ListReader | null} */ (null));
  useEffect(() => {
    if (!job) return undefined;
    const made = new ListReader(job.id, setBook);
    setReader(made);
    return () => {
      made.stopped = true;
    };
  }, [job?.id]);
  useEffect(() => {
    if (job) reader?.refresh(job);
  }, [reader, job?.version]);
  return book;
}

/** The entry of a place in the document; pages that are not listed yet are only waiting. @param {PageBook} book @param {number} index @returns {PageEntry} */
export function entryAt(book, index) {
  return book.entries[index] ?? { number: index + 1, state: "waiting", facts: null };
}

/** Whether pages can be drawn; office files and the like have none that are printed, unless they were rendered. @param {PageBook} book */
export function hasPageImages(book) {
  return !book.entries.some(entry => entry.facts && !entry.facts.has_image);
}

/** Whether pages that were never printed have a size, so that their blocks can be drawn in their places. @param {PageBook} book */
export function hasSlides(book) {
  return book.entries.some(entry => entry.facts && !entry.facts.has_image && entry.facts.width > 0);
}

/** The place of a page in the document. @param {PageBook} book @param {number} number */
export function indexOf(book, number) {
  const found = book.entries.findIndex(entry => entry.number === number);
  return found >= 0 ? found : Math.max(0, Math.min(Math.trunc(number) - 1, book.count - 1));
}

/** @type {Map<string, Promise<PageJson>>} */
const cache = new Map();

/** What was read on a page; `tag` changes whenever that may have. @param {string} id @param {number} number @param {string} tag */
export function loadPage(id, number, tag) {
  const key = `${id}/${number}/${tag}`;
  const known = cache.get(key);
  if (known) return known;
  const loading = /** @type {Promise<PageJson>} */ (getJson(`/v1/jobs/${id}/pages/${number}`));
  cache.set(key, loading);
  loading.catch(() => cache.delete(key));
  if (cache.size > CACHED_PAGES) cache.delete(/** @type {string} */ (cache.keys().next().value));
  return loading;
}

/** Tells apart the editions of a page. @param {Job} job @param {PageEntry} entry */
export function tagOf(job, entry) {
  return `${job.run}.${job.revision}.${entry.state}`;
}

/**
 * The content of a page while it is visible; the earlier content stays until the new one is loaded.
 * @param {Job} job @param {PageEntry} entry
 * @returns {{ page: PageJson | null, error: Error | null }}
 */
export function usePageJson(job, entry) {
  const [seen, setSeen] = useState({
    page: /** @type {PageJson | null} */ (null),
    error: /** @type {Error | null} */ (null),
  });
  const link = useStore(connection);
  const tag = tagOf(job, entry);
  const readable = entry.state !== "waiting" || job.revision > 0;
  useEffect(() => {
    if (!readable || link === "lost") return undefined;
    let current = true;
    const timer = setTimeout(() => {
      loadPage(job.id, entry.number, tag).then(
        page => current && setSeen({ page, error: null }),
        error => current && setSeen(before => ({ ...before, error })),
      );
    }, DELAY_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [job.id, entry.number, tag, readable, link]);
  return seen;
}
