// The list of jobs as it stands, looked at again and again while the tab is visible.
import { getJson, Problem, waitForConnection } from "../api.js";
import { isActive } from "../job.js";
import { useEffect, useRef, useState } from "../ui/base.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("../types.js").JobPage} JobPage */
/** @typedef {{ jobs: Job[] | null, more: boolean, error: Error | null }} Listed */

const PAGE = 50;
const BUSY_MS = 1_000;
const QUIET_MS = 4_000;

/** What is asked of the list. @typedef {{ status: string, search: string, pages: number }} Wanted */

/**
 * The jobs that were asked for, newest first; `refresh` looks at once.
 * @param {Wanted} wanted
 * @returns {Listed & { refresh: () => void }}
 */
export function useJobList({ status, search, pages }) {
  const [listed, setListed] = useState(/** @type {Listed} */ ({ jobs: null, more: false, error: null }));
  const look = useRef(() => {});
  useEffect(() => {
    const watch = new ListWatch({ status, search, pages }, setListed);
    look.current = () => watch.look();
    return () => watch.stop();
  }, [status, search, pages]);
  return { ...listed, refresh: () => look.current() };
}

/** Looks at the list until it is stopped. */
class ListWatch {
  /** @param {Wanted} wanted @param {(change: (before: Listed) => Listed) => void} tell */
  constructor(wanted, tell) {
    this.wanted = wanted;
    this.tell = tell;
    this.ends = new AbortController();
    this.timer = 0;
    document.addEventListener("visibilitychange", () => this.look(), { signal: this.ends.signal });
    this.look();
  }

  async look() {
    clearTimeout(this.timer);
    if (document.hidden) return;
    try {
      const found = await fetched(this.wanted, this.ends.signal);
      if (this.ends.signal.aborted) return;
      this.tell(() => ({ ...found, error: null }));
      this.again(found.jobs.some(isActive) ? BUSY_MS : QUIET_MS);
    } catch (error) {
      if (!this.ends.signal.aborted) this.failed(/** @type {Error} */ (error));
    }
  }

  /** @param {Error} error */
  async failed(error) {
    this.tell(before => ({ ...before, error }));
    if (error instanceof Problem && error.code === "unreachable") await waitForConnection();
    this.again(BUSY_MS);
  }

  /** @param {number} delay_ms */
  again(delay_ms) {
    clearTimeout(this.timer);
    if (!this.ends.signal.aborted) this.timer = setTimeout(() => this.look(), delay_ms);
  }

  stop() {
    clearTimeout(this.timer);
    this.ends.abort();
  }
}

/** The first so many pages of the list. @param {Wanted} wanted @param {AbortSignal} signal */
async function fetched({ status, search, pages }, signal) {
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
