// The list of jobs, polled while the tab is visible.
import { getJson, Problem, waitForConnection } from "../api.js";
import { isActive } from "../job.js";
import { useEffect, useRef, useState } from "../ui/base.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("../types.js").JobPage} JobPage */
/** @typedef {{ jobs: Job[] | null, more: boolean, error: Error | null }} Listed */

const PAGE = 50;
const BUSY_MS = 1_000;
const QUIET_MS = 4_000;

/** The filters of the list. @typedef {{ status: string, search: string, pages: number }} ListQuery */

/**
 * The matching jobs; `refresh` polls at once.
 * @param {ListQuery} filters
 * @returns {Listed & { refresh: () => void }}
 */
export function useJobList({ status, search, pages }) {
  const [listed, setListed] = useState(/** @type {Listed} */ ({ jobs: null, more: false, error: null }));
  const poll = useRef(() => {});
  useEffect(() => {
    const watch = new ListWatch({ status, search, pages }, setListed);
    poll.current = () => watch.poll();
    return () => watch.stop();
  }, [status, search, pages]);
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
    document.addEventListener("visibilitychange", () => this.poll(), { signal: this.ends.signal });
    this.poll();
  }

  async poll() {
    clearTimeout(this.timer);
    if (document.hidden) return;
    try {
      const found = await fetchJobs(this.filters, this.ends.signal);
      if (this.ends.signal.aborted) return;
      this.onChange(() => ({ ...found, error: null }));
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

/** The first so many pages of the list. @param {ListQuery} filters @param {AbortSignal} signal */
async function fetchJobs({ status, search, pages }, signal) {
  /** @type {Job[]} */
  const jobs = [];
  let cursor = /** @type {string | null} */ (null);
  for (let page = 0; page < pages && (page === 0 || cursor); page += 1) {
    const query = new URLSearchParams({ limit: String(PAGE) });
    if (status) query.set("status", status);
    if (search) query.set("filename", search);
    if (cursor) query.set("cursor", cursor);
    const found = /** @type {JobPage} */ (await getJson(`/v1/jobs?${query}`, { signal }));
    jobs.push(...found.jobs);
    cursor = found.next_cursor;
  }
  return { jobs, more: cursor !== null };
}
