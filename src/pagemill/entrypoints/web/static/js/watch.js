// Watches jobs: an event stream says when to load a job again. Streams are opened again after a restart and closed while the tab is hidden.
import { getJson, waitForConnection, waitToRetry } from "./api.js";
import { isActive } from "./job.js";
import { useEffect, useState } from "./ui/base.js";

/** @typedef {import("./types.js").Job} Job */
/** @typedef {import("./types.js").JobPage} JobPage */
/** @typedef {(job: Job | null, error: Error | null) => void} Listener */

// Browsers open six connections to one server; further jobs are polled together.
const MAX_STREAMS = 2;
const POLL_MS = 1_500;
const POLL_PAGES = 5;
const POLL_SINGLES = 5;
const DEBOUNCE_MS = 120;
const REOPEN_MS = 600;
const EVENTS = [
  ...[
    "job.accepted",
    "job.started",
    "job.scanned",
    "job.planned",
    "job.joining",
    "job.enriching",
    "job.enriched",
    "job.completed",
    "job.failed",
  ],
  ...[
    "job.cancelled",
    "job.retried",
    "job.corrected",
    "job.restored",
    "job.labelled",
    "job.classified",
    "job.routed",
    "job.published",
    "job.removed",
    "chunk.read",
    "chunk.set_back",
    "chunk.split",
  ],
];
let streams = 0;

/** Watches one job until it has ended or the watch is stopped. */
class Watch {
  /** @param {string} id @param {Listener} listener */
  constructor(id, listener) {
    this.id = id;
    this.listener = listener;
    this.stopped = false;
    this.after = 0;
    this.timer = 0;
    /** @type {EventSource | null} */
    this.source = null;
    this.onVisibility = () => this.poll();
    document.addEventListener("visibilitychange", this.onVisibility);
    this.poll();
  }

  /** Load the job now, and again while it runs. */
  async poll() {
    clearTimeout(this.timer);
    this.timer = 0;
    try {
      this.onJob(await getJson(`/v1/jobs/${this.id}`));
    } catch (error) {
      if (!this.stopped) this.onError(/** @type {Error} */ (error));
    }
  }

  /** @param {Job} job */
  onJob(job) {
    if (this.stopped) return;
    this.listener(job, null);
    if (isActive(job)) this.keepWatching();
    else this.stop();
  }

  /** @param {Error} error */
  async onError(error) {
    this.close();
    this.listener(null, error);
    if ((await waitToRetry(error)) && !this.stopped) this.poll();
  }

  keepWatching() {
    if (document.hidden) this.close();
    else if (!this.source && streams < MAX_STREAMS) this.open();
    else if (!this.source) addToPolling(this);
  }

  open() {
    streams += 1;
    removeFromPolling(this);
    const source = new EventSource(`/v1/jobs/${this.id}/events?after=${this.after}`);
    this.source = source;
    for (const type of EVENTS) source.addEventListener(type, event => this.onEvent(event));
    // Reopened here: the browser gives up after an answer that is no stream.
    source.onerror = () => this.onStreamError();
  }

  /** @param {MessageEvent} event */
  onEvent(event) {
    this.after = Number(event.lastEventId) || this.after;
    if (!this.timer) this.timer = setTimeout(() => this.poll(), DEBOUNCE_MS);
  }

  onStreamError() {
    this.close();
    if (!this.timer && !this.stopped) this.timer = setTimeout(() => this.poll(), REOPEN_MS);
  }

  close() {
    removeFromPolling(this);
    if (!this.source) return;
    this.source.close();
    this.source = null;
    streams -= 1;
  }

  stop() {
    this.stopped = true;
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.onVisibility);
    this.close();
  }
}

/** The watches without a stream, by the id of their job. @type {Map<string, Watch>} */
const waiting = new Map();
let pollTimer = 0;

/** @param {Watch} watch */
function addToPolling(watch) {
  // At the end, so that all of them get a turn.
  waiting.delete(watch.id);
  waiting.set(watch.id, watch);
  if (!pollTimer) pollTimer = setTimeout(pollWaiting, POLL_MS);
}

/** @param {Watch} watch */
function removeFromPolling(watch) {
  if (waiting.get(watch.id) === watch) waiting.delete(watch.id);
}

/** Poll all of them in a few requests; those that are not among the newest jobs one by one. */
async function pollWaiting() {
  const left = new Map(waiting);
  try {
    for await (const job of newestJobs()) {
      left.get(job.id)?.onJob(job);
      left.delete(job.id);
      if (!left.size) break;
    }
    for (const watch of [...left.values()].slice(0, POLL_SINGLES)) await watch.poll();
  } catch {
    await waitForConnection();
  }
  pollTimer = waiting.size ? setTimeout(pollWaiting, POLL_MS) : 0;
}

/** The newestJobs jobs, page by page. @returns {AsyncGenerator<Job>} */
async function* newestJobs() {
  let cursor = /** @type {string | null} */ ("");
  for (let page = 0; page < POLL_PAGES && cursor !== null; page += 1) {
    const more = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
    const found = /** @type {JobPage} */ (await getJson(`/v1/jobs?limit=200${more}`));
    yield* found.jobs;
    cursor = found.next_cursor;
  }
}

/** Calls the listener with a job now and after every change, until the returned function is called. @param {string} id @param {Listener} listener */
export function watchJob(id, listener) {
  const watch = new Watch(id, listener);
  return () => watch.stop();
}

/**
 * A job, updated with every change; `refresh` loads it again, after a retry for instance.
 * @param {string} id
 * @returns {{ job: Job | null, error: Error | null, refresh: () => void }}
 */
export function useJob(id) {
  const [seen, setSeen] = useState({
    job: /** @type {Job | null} */ (null),
    error: /** @type {Error | null} */ (null),
  });
  const [round, setRound] = useState(0);
  useEffect(
    () => watchJob(id, (job, error) => setSeen(before => ({ job: job ?? before.job, error }))),
    [id, round],
  );
  return { ...seen, refresh: () => setRound(before => before + 1) };
}
