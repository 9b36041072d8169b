// The list of jobs: live, searched, filtered, and worked on one by one or many at once.
import { DownloadMany } from "./download.js";
import { ACTIONS, runOnAll } from "./jobs/actions.js";
import { useJobList } from "./jobs/list.js";
import { Row } from "./jobs/row.js";
import { setQuery } from "./router.js";
import { html, useEffect, useState } from "./ui/base.js";
import { Button, Choices } from "./ui/controls.js";
import { Confirm } from "./ui/dialog.js";
import { count } from "./ui/format.js";
import { Icon } from "./ui/icons.js";
import { Empty, Failure, Loading } from "./ui/states.js";

/** @typedef {import("./types.js").Job} Job */
/** @typedef {import("./jobs/actions.js").Action} Action */
/** @typedef {(action: Action, jobs: Job[]) => void} OnAction */

const TYPING_MS = 250;
const FILTERS = [
  { value: "", text: "All" },
  { value: "pending", text: "Pending" },
  { value: "processing", text: "Processing" },
  { value: "completed", text: "Completed" },
  { value: "failed", text: "Failed" },
  { value: "cancelled", text: "Cancelled" },
];
/** Title and class of each column. */
const COLUMNS = [
  ["Document"],
  ["Status"],
  ["Size", "job-size"],
  ["Pages", "job-pages"],
  ["Time", "job-time"],
  ["Uploaded"],
];

/** The page at `/jobs`. @param {import("./types.js").PageProps} props */
export default function Jobs({ query }) {
  const status = query.get("status") ?? "";
  const search = query.get("search") ?? "";
  const [pages, setPages] = useState(1);
  const { jobs, more, error, refresh } = useJobList({ status, search, pages });
  const [question, setQuestion] = useState(/** @type {{ action: Action, jobs: Job[] } | null} */ (null));
  /** @type {OnAction} */
  async function run(action, on) {
    await runOnAll(action, on);
    refresh();
  }
  /** @type {OnAction} */
  const askOrRun = (action, on) =>
    action === ACTIONS.remove ? setQuestion({ action, jobs: on }) : run(action, on);
  return html`
    <div class="page-head"><h1>Jobs</h1><${Search} search=${search} /></div>
    <${Choices} label="Status" choices=${FILTERS} value=${status} onChange=${(/** @type {string} */ value) => setQuery({ status: value })} />
    ${!jobs && !error && html`<${Loading} label="Loading the jobs" />`}
    ${!jobs && error && html`<${Failure} error=${error} onRetry=${refresh} />`}
    ${jobs?.length === 0 && html`<${NoJobs} filtered=${Boolean(status || search)} />`}
    ${jobs && jobs.length > 0 && html`<${Table} jobs=${jobs} onAction=${askOrRun} refresh=${refresh} />`}
    ${more && html`<div class="jobs-more"><${Button} onClick=${() => setPages(pages + 1)}>Show more<//></div>`}
    ${question && html`<${DeleteQuestion} jobs=${question.jobs} onConfirm=${() => run(question.action, question.jobs)} onClose=${() => setQuestion(null)} />`}
  `;
}

/** @param {{ search: string }} props */
function Search({ search }) {
  const [text, setText] = useState(search);
  useEffect(() => {
    const timer = setTimeout(() => text !== search && setQuery({ search: text }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    if (!search) setText("");
  }, [search]);
  return html`<label class="search">
    <${Icon} name="search" size=${18} />
    <span class="visually-hidden">Search by name</span>
    <input type="search" placeholder="Search by name" value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)} />
  </label>`;
}

/** @param {{ filtered: boolean }} props */
function NoJobs({ filtered }) {
  if (filtered) {
    return html`<${Empty} icon="search" title="No matching jobs">Try another search or filter, or <a href="/jobs">show all jobs</a>.<//>`;
  }
  return html`<${Empty} title="No jobs yet"><a href="/">Upload a document</a>, or try the sample there.<//>`;
}

/** @param {{ jobs: Job[], onAction: OnAction, refresh: () => void }} props */
function Table({ jobs, onAction, refresh }) {
  const [selected, setSelected] = useState(/** @type {ReadonlySet<string>} */ (new Set()));
  const [open, setOpen] = useState(/** @type {string | null} */ (null));
  const shown = jobs.filter(job => selected.has(job.id));
  /** @param {string} id @param {boolean} on */
  function select(id, on) {
    const next = new Set(selected);
    if (on) next.add(id);
    else next.delete(id);
    setSelected(next);
  }
  return html`<div class="card jobs-card">
    <table class="jobs">
      <${Head} all=${shown.length === jobs.length} onAll=${(/** @type {boolean} */ on) => setSelected(new Set(on ? jobs.map(job => job.id) : []))} />
      <tbody>
        ${jobs.map(
          job => html`<${Row} key=${job.id} job=${job} selected=${selected.has(job.id)} open=${open === job.id}
            onSelect=${(/** @type {boolean} */ on) => select(job.id, on)} onOpen=${() => setOpen(open === job.id ? null : job.id)}
            onAction=${(/** @type {Action} */ action) => onAction(action, [job])} refresh=${refresh} />`,
        )}
      </tbody>
    </table>
    ${shown.length > 0 && html`<${BulkActions} jobs=${shown} onAction=${onAction} onClear=${() => setSelected(new Set())} />`}
  </div>`;
}

/** @param {{ all: boolean, onAll: (on: boolean) => void }} props */
function Head({ all, onAll }) {
  return html`<thead>
    <tr>
      <td class="job-check"><input type="checkbox" aria-label="Select all jobs" checked=${all} onChange=${(/** @type {any} */ event) => onAll(event.target.checked)} /></td>
      ${COLUMNS.map(([word, kind]) => html`<th key=${word} class=${kind} scope="col">${word}</th>`)}
      <th scope="col"><span class="visually-hidden">Actions</span></th>
    </tr>
  </thead>`;
}

/** The actions on all selected jobs. @param {{ jobs: Job[], onAction: OnAction, onClear: () => void }} props */
function BulkActions({ jobs, onAction, onClear }) {
  const finished = jobs.filter(job => job.revision > 0);
  return html`<div class="jobs-bulk" role="group" aria-label="Selected jobs">
    <strong class="figures">${count(jobs.length, "job")} selected</strong>
    ${finished.length > 0 && html`<${DownloadMany} jobs=${finished} label="Download" up />`}
    ${Object.values(ACTIONS).map(
      action =>
        html`<${Button} key=${action.verb} icon=${action.icon} disabled=${!jobs.some(action.fits)} onClick=${() => onAction(action, jobs)}>${action.verb}<//>`,
    )}
    <${Button} kind="quiet" onClick=${onClear}>Clear<//>
  </div>`;
}

/** @param {{ jobs: Job[], onConfirm: () => void, onClose: () => void }} props */
function DeleteQuestion({ jobs, onConfirm, onClose }) {
  const what = jobs.length === 1 ? jobs[0].document.filename : count(jobs.length, "job");
  return html`<${Confirm} title=${`Delete ${what}?`} confirm="Delete" kind="danger" onConfirm=${onConfirm} onClose=${onClose}>
    The documents and their results are deleted. This can't be undone.
  <//>`;
}
