// The list of jobs: live, searched, filtered, and worked on one by one or many at once.
import { DownloadMany } from "./download.js";
import { addressOf, countFilters, filtersIn, labelFilters } from "./filters.js";
import { ACTIONS, runOnAll } from "./jobs/actions.js";
import { useJobList } from "./jobs/list.js";
import { Row } from "./jobs/row.js";
import { setQuery } from "./router.js";
import { html, useEffect, useState } from "./ui/base.js";
import { Button, Choices } from "./ui/controls.js";
import { Confirm } from "./ui/dialog.js";
import { count, number } from "./ui/format.js";
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
/** Title, class and name of the order of each column. */
const COLUMNS = [
  { title: "Document", sort: "filename" },
  { title: "Status" },
  { title: "Size", kind: "job-size", sort: "size" },
  { title: "Pages", kind: "job-pages", sort: "pages" },
  { title: "Time", kind: "job-time", sort: "duration" },
  { title: "Uploaded", kind: "job-age", sort: "created" },
];
const DEFAULT_SORT = "-created";

/** The page at `/jobs`. @param {import("./types.js").PageProps} props */
export default function Jobs({ query }) {
  const status = query.get("status") ?? "";
  const search = query.get("search") ?? "";
  const filters = filtersIn(query);
  const sort = query.get("sort") ?? DEFAULT_SORT;
  const [pages, setPages] = useState(1);
  const { jobs, more, counts, error, refresh } = useJobList({ status, search, filters, sort, pages });
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
    <div class="jobs-filters">
      <${Choices} label="Status" choices=${withCounts(counts)} value=${status} onChange=${(/** @type {string} */ value) => setQuery({ status: value })} />
      <${Dates} since=${filters.since} until=${filters.until} />
      ${labelFilters(filters).map(one => html`<${LabelFilter} key=${one.words} ...${one} />`)}
    </div>
    ${!jobs && !error && html`<${Loading} label="Loading the jobs" />`}
    ${!jobs && error && html`<${Failure} error=${error} onRetry=${refresh} />`}
    ${jobs?.length === 0 && html`<${NoJobs} filtered=${Boolean(status || search || countFilters(filters))} />`}
    ${jobs && jobs.length > 0 && html`<${Table} jobs=${jobs} sort=${sort} onAction=${askOrRun} refresh=${refresh} />`}
    ${more && html`<div class="jobs-more"><${Button} onClick=${() => setPages(pages + 1)}>Show more<//></div>`}
    ${question && html`<${DeleteQuestion} jobs=${question.jobs} onConfirm=${() => run(question.action, question.jobs)} onClose=${() => setQuestion(null)} />`}
  `;
}

/** The status filters with the number of jobs of each. @param {Record<string, number> | null} counts */
function withCounts(counts) {
  const all = Object.values(counts ?? {}).reduce((sum, one) => sum + one, 0);
  return FILTERS.map(({ value, text }) => ({
    value,
    text,
    note: counts ? number(value ? (counts[value] ?? 0) : all) : undefined,
  }));
}

/** Filters by the day of the upload. @param {{ since: string, until: string }} props */
function Dates({ since, until }) {
  const change = (/** @type {string} */ name) => (/** @type {any} */ event) =>
    setQuery({ [name]: event.target.value || null });
  return html`<div class="dates" role="group" aria-label="Uploaded">
    <label>From <input type="date" value=${since} max=${until || undefined} onChange=${change("since")} /></label>
    <label>to <input type="date" value=${until} min=${since || undefined} onChange=${change("until")} /></label>
  </div>`;
}

/** What the list is filtered by, with the way back to more. @param {{ words: string, without: import("./filters.js").Filters }} props */
function LabelFilter({ words, without }) {
  return html`<${Button} icon="cross" onClick=${() => setQuery(addressOf(without))}>${words}<//>`;
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

/** @param {{ jobs: Job[], sort: string, onAction: OnAction, refresh: () => void }} props */
function Table({ jobs, sort, onAction, refresh }) {
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
      <${Head} sort=${sort} all=${shown.length === jobs.length} onAll=${(/** @type {boolean} */ on) => setSelected(new Set(on ? jobs.map(job => job.id) : []))} />
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

/** @param {{ sort: string, all: boolean, onAll: (on: boolean) => void }} props */
function Head({ sort, all, onAll }) {
  return html`<thead>
    <tr>
      <td class="job-check"><input type="checkbox" aria-label="Select all jobs" checked=${all} onChange=${(/** @type {any} */ event) => onAll(event.target.checked)} /></td>
      ${COLUMNS.map(column => html`<${HeadCell} key=${column.title} column=${column} current=${sort} />`)}
      <th scope="col"><span class="visually-hidden">Actions</span></th>
    </tr>
  </thead>`;
}

/** A column title that sorts the list. @param {{ column: { title: string, kind?: string, sort?: string }, current: string }} props */
function HeadCell({ column: { title, kind, sort }, current }) {
  if (!sort) return html`<th class=${kind} scope="col">${title}</th>`;
  const order = current === sort ? "ascending" : current === `-${sort}` ? "descending" : undefined;
  // The newest and the largest first, names from A to Z.
  const first = sort === "filename" ? sort : `-${sort}`;
  const next = current === first ? (first === sort ? `-${sort}` : sort) : first;
  return html`<th class=${kind} scope="col" aria-sort=${order}>
    <button type="button" class="sort" onClick=${() => setQuery({ sort: next === DEFAULT_SORT ? null : next })}>
      ${title}${order && html`<${Icon} name=${order === "ascending" ? "up" : "down"} size=${14} />`}
    </button>
  </th>`;
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
