// The list of jobs, polled while the tab is visible.
import { getJson, Problem, waitForConnection } from "../api.js";
import { addFilters } from "../filters.js";
import { isActive } from "../job.js";
import { useEffect, useRef, useState } from "../ui/base.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("../types.js").JobPage} JobPage */
/** @typedef {{ jobs: Job[] | null, more: boolean, counts: Record<string, number> | null, error: Error | null }} Listed */

const PAGE = 50;
const BUSY_MS = 1_000;
const QUIET_MS = 4_000;
const COUNTS_MS = 3_500;

/** What is listed. @typedef {{ status: string, search: string, filters: import("../filters.js").Filters, sort: string, pages: number }} ListQuery */

/**
 * The matching jobs; `refresh` polls at once.
 * @param {ListQuery} filters
 * @returns {Listed & { refresh: () => void }}
 */
export function useJobList(filters) {
  const [listed, setListed] = useState(
    /** @type {Listed} */ ({ jobs: null, more: false, counts: null, error: null }),
  );
  const poll = useRef(() => {});
  useEffect(() => {
    const watch = new ListWatch(filters, setListed);
    poll.current = () => watch.poll();
    return () => watch.stop();
  }, [JSON.stringify(filters)]);
  return { ...listed, refresh: () => poll.current() };
}

/** Polls the list until it is stopped. */
class ListWatch {
  /** @param {ListQuery} filters @param {(change: (before: Listed) => Listed) => void} onChange */
  constructor(filters, onChange) {
    this.filters = filters;
    this.onChange = onChange;
    this.ends = new AbortController();
    this.timer = 0;
    this.counted_at = 0;
    document.addEventListener("visibilitychange", () => this.poll(), { signal: this.ends.signal });
    this.poll();
  }

  async poll() {
    clearTimeout(this.timer);
    if (document.hidden) return;
    try {
      // Counting looks at every job, so it is done less often than listing.
      const counts = Date.now() - this.counted_at > COUNTS_MS;
      if (counts) this.counted_at = Date.now();
      const found = await fetchJobs(this.filters, counts, this.ends.signal);
      if (this.ends.signal.aborted) return;
      this.onChange(before => ({ ...found, counts: found.counts ?? before.counts, error: null }));
      this.pollLater(found.jobs.some(isActive) ? BUSY_MS : QUIET_MS);
    } catch (error) {
      if (!this.ends.signal.aborted) this.onError(/** @type {Error} */ (error));
    }
  }

  /** @param {Error} error */
  async onError(error) {
    this.onChange(before => ({ ...before, error }));
    if (error instanceof Problem && error.code === "unreachable") await waitForConnection();
    this.pollLater(BUSY_MS);
  }

  /** @param {number} delay_ms */
  pollLater(delay_ms) {
    clearTimeout(this.timer);
    if (!this.ends.signal.aborted) this.timer = setTimeout(() => this.poll(), delay_ms);
  }

  stop() {
    clearTimeout(this.timer);
    this.ends.abort();
  }
}

/** The first pages of the list. @param {ListQuery} filters @param {boolean} counts @param {AbortSignal} signal */
async function fetchJobs(filters, counts, signal) {
  /** @type {Job[]} */
  const jobs = [];
  let cursor = /** @type {string | null} */ (null);
  /** @type {Record<string, number> | undefined} */
  let found_counts;
  for (let page = 0; page < filters.pages && (page === 0 || cursor); page += 1) {
    const query = listQuery(filters);
    if (cursor) query.set("cursor", cursor);
    if (counts && page === 0) query.set("counts", "true");
    const found = /** @type {JobPage} */ (await getJson(`/v1/jobs?${query}`, { signal }));
    jobs.push(...found.jobs);
    found_counts ??= found.counts ?? undefined;
    cursor = found.next_cursor;
  }
  return { jobs, more: cursor !== null, counts: found_counts };
}

/** The query of the list. @param {ListQuery} asked */
function listQuery({ status, search, filters, sort }) {
  const query = new URLSearchParams({ limit: String(PAGE) });
  if (status) query.set("status", status);
  if (search) query.set("filename", search);
  if (sort) query.set("sort", sort);
  addFilters(query, filters);
  return query;
}
