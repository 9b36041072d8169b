// Watching jobs: an event stream says when to look again. Streams heal after a restart and rest while the tab is hidden.
import { getJson, isWorthAnother, whenUp } from "./api.js";
import { isActive } from "./job.js";
import { useEffect, useState } from "./ui/base.js";

/** @typedef {import("./types.js").Job} Job */
/** @typedef {import("./types.js").JobPage} JobPage */
/** @typedef {(job: Job | null, error: Error | null) => void} Listener */

// Browsers open six connections to one server; jobs past this are looked at together, from time to time.
const MOST_STREAMS = 2;
const ROUND_MS = 1_500;
const ROUND_PAGES = 5;
const ROUND_SINGLES = 5;
const REST_MS = 120;
const REOPEN_MS = 600;
const EVENTS = [
  ...["job.accepted", "job.started", "job.planned", "job.joining", "job.completed", "job.failed"],
  ...["job.cancelled", "job.retried", "job.removed", "chunk.read", "chunk.set_back", "chunk.split"],
];
let streams = 0;

/** Looks at one job until it has ended or nobody wants to know any more. */
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
    this.onVisibility = () => this.look();
    document.addEventListener("visibilitychange", this.onVisibility);
    this.look();
  }

  /** Look now, and see to it that there is a next time while the job runs. */
  async look() {
    clearTimeout(this.timer);
    this.timer = 0;
    try {
      this.seen(await getJson(`/v1/jobs/${this.id}`));
    } catch (error) {
      if (!this.stopped) this.failed(/** @type {Error} */ (error));
    }
  }

  /** @param {Job} job */
  seen(job) {
    if (this.stopped) return;
    this.listener(job, null);
    if (isActive(job)) this.goOn();
    else this.stop();
  }

  /** @param {Error} error */
  async failed(error) {
    this.close();
    this.listener(null, error);
    if ((await isWorthAnother(error)) && !this.stopped) this.look();
  }

  goOn() {
    if (document.hidden) this.close();
    else if (!this.source && streams < MOST_STREAMS) this.open();
    else if (!this.source) joinRound(this);
  }

  open() {
    streams += 1;
    leaveRound(this);
    const source = new EventSource(`/v1/jobs/${this.id}/events?after=${this.after}`);
    this.source = source;
    for (const type of EVENTS) source.addEventListener(type, event => this.heard(event));
    // Opened anew by ourselves: the browser gives up for good after an answer that is no stream.
    source.onerror = () => this.broken();
  }

  /** @param {MessageEvent} event */
  heard(event) {
    this.after = Number(event.lastEventId) || this.after;
    if (!this.timer) this.timer = setTimeout(() => this.look(), REST_MS);
  }

  broken() {
    this.close();
    if (!this.timer && !this.stopped) this.timer = setTimeout(() => this.look(), REOPEN_MS);
  }

  close() {
    leaveRound(this);
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
let roundTimer = 0;

/** @param {Watch} watch */
function joinRound(watch) {
  // At the end, so that all of them have their turn.
  waiting.delete(watch.id);
  waiting.set(watch.id, watch);
  if (!roundTimer) roundTimer = setTimeout(round, ROUND_MS);
}

/** @param {Watch} watch */
function leaveRound(watch) {
  if (waiting.get(watch.id) === watch) waiting.delete(watch.id);
}

/** Look at all of them in a few requests; those that are not among the newest are looked at one by one. */
async function round() {
  const left = new Map(waiting);
  try {
    for await (const job of newest()) {
      left.get(job.id)?.seen(job);
      left.delete(job.id);
      if (!left.size) break;
    }
    for (const watch of [...left.values()].slice(0, ROUND_SINGLES)) await watch.look();
  } catch {
    await whenUp();
  }
  roundTimer = waiting.size ? setTimeout(round, ROUND_MS) : 0;
}

/** The newest jobs, page by page. @returns {AsyncGenerator<Job>} */
async function* newest() {
  let cursor = /** @type {string | null} */ ("");
  for (let page = 0; page < ROUND_PAGES && cursor !== null; page += 1) {
    const more = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
    const found = /** @type {JobPage} */ (await getJson(`/v1/jobs?limit=200${more}`));
    yield* found.jobs;
    cursor = found.next_cursor;
  }
}

/** Tells how a job stands, now and whenever it changes, until the returned function is called. @param {string} id @param {Listener} listener */
export function watchJob(id, listener) {
  const watch = new Watch(id, listener);
  return () => watch.stop();
}

/**
 * A job as it stands, drawn again with every change; `again` looks anew, after a retry for instance.
 * @param {string} id
 * @returns {{ job: Job | null, error: Error | null, again: () => void }}
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
  return { ...seen, again: () => setRound(before => before + 1) };
}
