// The result of a job: page images beside the extracted content, while the job runs and after.
import { call, Problem } from "../api.js";
import { isActive, isLocked } from "../job.js";
import { JobErrorMessage } from "../joberror.js";
import { saveRequest } from "../lastrequest.js";
import { setQuery } from "../router.js";
import { useStore } from "../store.js";
import { notify } from "../ui/announce.js";
import { html, useEffect, useState } from "../ui/base.js";
import { Button } from "../ui/controls.js";
import { Empty, Failure, Loading } from "../ui/states.js";
import { UnlockForm } from "../unlock.js";
import { useJob } from "../watch.js";
import { Head } from "./head.js";
import { indexOf, usePages } from "./pages.js";
import { Sync } from "./sync.js";
import { Workspace } from "./workspace.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./pages.js").PageBook} PageBook */

/** Titles for jobs that can't be shown. @type {Record<string, string>} */
const NOT_THERE = { not_found: "Job not found", gone: "This job was deleted" };
// Browsers refuse addresses that change too often, as they would during scrolling.
const DEBOUNCE_MS = 150;

/** The page of one job. @param {import("../types.js").PageProps} props */
export default function Page({ params, query }) {
  const { job, error, refresh } = useJob(params.id);
  const book = usePages(job);
  useEffect(() => {
    if (job) document.title = `${job.document.filename} · pagemill`;
  }, [job?.document.filename]);
  if (error && !(job && error instanceof Problem && error.code === "unreachable")) {
    return html`<${Missing} error=${error} refresh=${refresh} />`;
  }
  if (!job) return html`<div class="viewer-wait"><${Loading} lines=${10} /></div>`;
  return html`<div class="viewer">
    <${Head} job=${job} refresh=${refresh} />
    <${Body} job=${job} book=${book} start=${query} refresh=${refresh} />
  </div>`;
}

/** A job that can't be shown, and where to go from here. @param {{ error: Error, refresh: () => void }} props */
function Missing({ error, refresh }) {
  const title = error instanceof Problem && NOT_THERE[error.code];
  if (!title) return html`<${Failure} error=${error} onRetry=${refresh} />`;
  return html`<div role="alert">
    <${Empty} icon="search" title=${title}>
      <p>${error.message}</p>
      <p><a href="/jobs">See all jobs</a></p>
    <//>
  </div>`;
}

/** @param {{ job: Job, book: PageBook, start: URLSearchParams, refresh: () => void }} props */
function Body({ job, book, start, refresh }) {
  const [sync] = useState(() => new Sync());
  const current = useStore(sync.current);
  const number = book.entries[current]?.number ?? current + 1;
  const first = Number(start.get("page")) || 1;
  const [arrived, setArrived] = useState(false);
  useEffect(() => {
    if (arrived || !book.count) return;
    setArrived(true);
    // A block that is asked for is shown by the workspace.
    if (first > 1 && !start.get("block")) sync.goTo(indexOf(book, first));
  }, [book.count > 0]);
  useEffect(() => {
    if (!arrived) return undefined;
    const timer = setTimeout(
      () => setQuery({ page: number > 1 ? String(number) : null, block: null }),
      DEBOUNCE_MS,
    );
    return () => clearTimeout(timer);
  }, [number, arrived]);
  if (!isActive(job) && !job.revision) return html`<${Ended} job=${job} refresh=${refresh} />`;
  if (!book.count) return html`<${Opening} job=${job} />`;
  return html`<${Workspace} job=${job} book=${book} sync=${sync} current=${current} start=${start} refresh=${refresh} />`;
}

/** @param {{ job: Job }} props */
function Opening({ job }) {
  const waits = job.status === "pending";
  return html`<${Empty} icon=${waits ? "clock" : "file"} title=${waits ? "Waiting to start" : "Opening the document"}>
    Pages appear here as soon as they are read.
  <//>`;
}

/** A job that has ended without a result. @param {{ job: Job, refresh: () => void }} props */
function Ended({ job, refresh }) {
  if (isLocked(job)) return html`<${Locked} job=${job} refresh=${refresh} />`;
  const cancelled = job.status === "cancelled";
  async function retry() {
    try {
      const path = `/v1/jobs/${job.id}/retry`;
      await call("POST", path, { json: { only: "all" } });
      saveRequest({ method: "POST", path, json: { only: "all" } });
      refresh();
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
    }
  }
  return html`<${Empty} icon=${cancelled ? "stop" : "warning"} title=${cancelled ? "This job was cancelled" : "This document could not be read"}>
    ${job.error && html`<p><${JobErrorMessage} job=${job} /></p>`}
    ${job.error && html`<p class="small">Error code <code>${job.error.code}</code></p>`}
    <p class="ended-actions"><${Button} icon="retry" onClick=${retry}>Try again<//></p>
  <//>`;
}

/** A document that needs a password, with the field for it. @param {{ job: Job, refresh: () => void }} props */
function Locked({ job, refresh }) {
  return html`<${Empty} icon="lock" title="This document needs a password">
    <p>${job.error?.code === "password_incorrect" ? "The password was wrong. Try another one." : "Enter it to read the document. It is not stored."}</p>
    <${UnlockForm} job=${job} onDone=${refresh} focus />
  <//>`;
}
