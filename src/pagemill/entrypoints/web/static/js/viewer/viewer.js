// The result of a job: the page as it was printed beside what was read from it, while the job runs and after.
import { call, Problem } from "../api.js";
import { Fault } from "../fault.js";
import { isActive } from "../job.js";
import { remember } from "../recent.js";
import { setQuery } from "../router.js";
import { useStore } from "../store.js";
import { notify } from "../ui/announce.js";
import { html, useEffect, useState } from "../ui/base.js";
import { Button } from "../ui/controls.js";
import { Empty, Failure, Loading } from "../ui/states.js";
import { useJob } from "../watch.js";
import { Desk } from "./desk.js";
import { Head } from "./head.js";
import { indexOf, usePages } from "./pages.js";
import { Sync } from "./sync.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./pages.js").PageBook} PageBook */

/** Of jobs that are not there, what is said of them. @type {Record<string, string>} */
const NOT_THERE = { not_found: "There is no such job", gone: "This job is gone" };
// Browsers refuse addresses that change too often, as they would while a long document is scrolled through.
const REST_MS = 150;

/** The page of one job. @param {import("../types.js").PageProps} props */
export default function Page({ params, query }) {
  const { job, error, again } = useJob(params.id);
  const book = usePages(job);
  useEffect(() => {
    if (job) document.title = `${job.document.filename} · pagemill`;
  }, [job?.document.filename]);
  if (error && !(job && error instanceof Problem && error.code === "unreachable")) {
    return html`<${Missing} error=${error} again=${again} />`;
  }
  if (!job) return html`<div class="viewer-wait"><${Loading} lines=${10} /></div>`;
  return html`<div class="viewer">
    <${Head} job=${job} />
    <${Body} job=${job} book=${book} start=${query} again=${again} />
  </div>`;
}

/** A job that can't be shown, and where to go from here. @param {{ error: Error, again: () => void }} props */
function Missing({ error, again }) {
  const title = error instanceof Problem && NOT_THERE[error.code];
  if (!title) return html`<${Failure} error=${error} onRetry=${again} />`;
  return html`<div role="alert">
    <${Empty} icon="search" title=${title}>
      <p>${error.message}</p>
      <p><a href="/jobs">See all jobs</a></p>
    <//>
  </div>`;
}

/** @param {{ job: Job, book: PageBook, start: URLSearchParams, again: () => void }} props */
function Body({ job, book, start, again }) {
  const [sync] = useState(() => new Sync());
  const current = useStore(sync.current);
  const number = book.entries[current]?.number ?? current + 1;
  const first = Number(start.get("page")) || 1;
  const [arrived, setArrived] = useState(false);
  useEffect(() => {
    if (arrived || !book.count) return;
    setArrived(true);
    if (first > 1) sync.goTo(indexOf(book, first));
  }, [book.count > 0]);
  useEffect(() => {
    if (!arrived) return undefined;
    const timer = setTimeout(() => setQuery({ page: number > 1 ? String(number) : null }), REST_MS);
    return () => clearTimeout(timer);
  }, [number, arrived]);
  if (!isActive(job) && !job.revision) return html`<${Ended} job=${job} again=${again} />`;
  if (!book.count) return html`<${Opening} job=${job} />`;
  return html`<${Desk} job=${job} book=${book} sync=${sync} current=${current} start=${start} again=${again} />`;
}

/** @param {{ job: Job }} props */
function Opening({ job }) {
  const waits = job.status === "pending";
  return html`<${Empty} icon=${waits ? "clock" : "file"} title=${waits ? "Waiting for a free reader" : "Opening the document"}>
    Pages appear here as soon as they are read.
  <//>`;
}

/** A job that has ended without a result. @param {{ job: Job, again: () => void }} props */
function Ended({ job, again }) {
  const cancelled = job.status === "cancelled";
  async function retry() {
    try {
      const path = `/v1/jobs/${job.id}/retry`;
      await call("POST", path, { json: { only: "all" } });
      remember({ method: "POST", path, json: { only: "all" } });
      again();
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
    }
  }
  return html`<${Empty} icon=${cancelled ? "stop" : "warning"} title=${cancelled ? "This job was cancelled" : "This document could not be read"}>
    ${job.error && html`<p><${Fault} job=${job} /></p>`}
    ${job.error && html`<p class="small"><code>${job.error.code}</code> in the step <code>${job.error.stage}</code></p>`}
    <p class="ended-actions"><${Button} icon="retry" onClick=${retry}>Try again<//></p>
  <//>`;
}
