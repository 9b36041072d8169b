// The operations page: backlog, throughput, failures, workers and storage.
import { getJson, waitForConnection } from "./api.js";
import { Bars, Columns } from "./operations/plots.js";
import { Workers } from "./operations/workers.js";
import { html, useEffect, useState } from "./ui/base.js";
import { count, duration, minuteOfDay, number, size, timeOfDay } from "./ui/format.js";
import { Failure, Loading } from "./ui/states.js";

/** @typedef {import("./operations/types.js").Operations} Operations */
/** @typedef {import("./ui/base.js").Children} Children */

const POLL_MS = 2_000;

/** The current state, polled while the page is visible. */
function useOperations() {
  const [seen, setSeen] = useState({
    data: /** @type {Operations | null} */ (null),
    error: /** @type {Error | null} */ (null),
  });
  useEffect(() => {
    let stopped = false;
    let timer = 0;
    const poll = async () => {
      try {
        if (!document.hidden) setSeen({ data: await getJson("/v1/operations"), error: null });
      } catch (error) {
        setSeen(before => ({ ...before, error: /** @type {Error} */ (error) }));
        await waitForConnection();
      }
      if (!stopped) timer = setTimeout(poll, POLL_MS);
    };
    poll();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, []);
  return seen;
}

/** The page at `/operations`. */
export default function Page() {
  const { data, error } = useOperations();
  return html`<div>
    <header class="page-head">
      <h1>Operations</h1>
      ${data && html`<span class="muted small figures">As of ${timeOfDay(data.at)}</span>`}
    </header>
    ${!data && (error ? html`<${Failure} error=${error} />` : html`<${Loading} lines=${6} />`)}
    ${data && html`<${Dashboard} data=${data} />`}
  </div>`;
}

/** @param {{ data: Operations }} props */
function Dashboard({ data }) {
  return html`<div class="board">
    <${Tiles} data=${data} />
    <${Panel} title="Pages per minute" hint="The last hour of this process" wide>
      <${Columns} label="Pages per minute over the last hour"
        values=${data.minutes.map(minute => ({ name: minuteOfDay(minute.at), value: minute.pages }))} />
    <//>
    <${Panel} title="Waiting by lane" hint="Chunks that are ready, and how long the oldest has been">
      <${Bars} empty="Nothing is waiting." keepAll
        values=${data.lanes.map(lane => ({ name: lane.lane, value: lane.ready, text: lane.ready ? `${number(lane.ready)}, oldest ${duration(lane.oldest_seconds)}` : "empty" }))} />
    <//>
    <${Panel} title="Seconds per step" hint="Mean for one chunk; the thin line is p95">
      <${Bars} empty="No step has run yet."
        values=${data.steps.map(step => ({ name: step.step, value: step.mean_seconds, reach: step.p95_seconds, text: `${duration(step.mean_seconds)}, ${count(step.count, "time")}` }))} />
    <//>
    <${Panel} title="Failures by code" hint="Jobs and pages, since this process started">
      <${Bars} empty="Nothing has failed." kind="bad" values=${data.failures.map(countBar)} />
    <//>
    <${Panel} title="Reading time by provider" hint="Seconds, since this process started">
      <${Bars} empty="Nothing has been read yet." values=${data.providers.map(share => ({ name: share.name, value: share.count, text: duration(share.count) }))} />
    <//>
    ${
      data.usage.length > 0 &&
      html`<${Panel} title="Usage today" hint="Pages read by tenant, what they cost in CPU time here and in calls elsewhere">
      <${Bars} empty=""
        values=${data.usage.map(row => ({ name: row.tenant, value: row.pages, text: usageText(row) }))} />
    <//>`
    }
    <${Panel} title="Workers" hint="Processes that read, and what their slots do" wide>
      <${Workers} workers=${data.workers} slots=${data.slots} />
    <//>
    ${
      data.refusals.length > 0 &&
      html`<${Panel} title="Rejected requests" hint="Requests by code">
      <${Bars} empty="" kind="warn" values=${data.refusals.map(countBar)} />
    <//>`
    }
    ${
      data.set_backs.length > 0 &&
      html`<${Panel} title="Set-backs" hint="Crashes, errors and lost workers that jobs recovered from">
      <${Bars} empty="" kind="warn" values=${data.set_backs.map(countBar)} />
    <//>`
    }
  </div>`;
}

/** @param {import("./operations/types.js").Share} share */
function countBar(share) {
  return { name: share.name, value: share.count, text: number(share.count) };
}

/** @param {import("./operations/types.js").UsageOfDay} row */
function usageText(row) {
  const calls = row.remote_calls ? `, ${count(row.remote_calls, "call")} for ${row.price}` : "";
  return `${count(row.pages, "page")}, ${duration(row.cpu_seconds)} CPU${calls}`;
}

/** The figures at the top. @param {{ data: Operations }} props */
function Tiles({ data }) {
  const waiting = data.lanes.reduce((sum, lane) => sum + lane.ready, 0);
  const running = data.lanes.reduce((sum, lane) => sum + lane.running, 0);
  const busy = data.slots.filter(slot => slot.phase === "busy").length;
  const failed = data.jobs.find(share => share.name === "failed")?.count ?? 0;
  const done = data.jobs.find(share => share.name === "completed")?.count ?? 0;
  const { storage } = data;
  return html`<dl class="tiles">
    <${Tile} name="Speed" value=${`${number(data.pages_per_minute)}`} unit="pages per minute" />
    <${Tile} name="Backlog" value=${number(waiting)} unit=${`waiting, ${number(running)} running`} />
    <${Tile} name="Slots" value=${`${busy} / ${data.slots.length}`} unit="busy" />
    <${Tile} name="Jobs" value=${number(done)} unit=${`completed, ${number(failed)} failed`} />
    <${Tile} name="Stored" value=${size(storage.documents_bytes)} unit=${`in ${count(storage.documents, "document")}${storage.free_bytes === null ? "" : `, ${size(storage.free_bytes)} free`}`} />
  </dl>`;
}

/** @param {{ name: string, value: string, unit: string }} props */
function Tile({ name, value, unit }) {
  return html`<div class="tile card">
    <dt>${name}</dt>
    <dd><strong class="figures">${value}</strong><span class="muted small">${unit}</span></dd>
  </div>`;
}

/** @param {{ title: string, hint: string, wide?: boolean, children?: Children }} props */
function Panel({ title, hint, wide = false, children }) {
  return html`<section class=${`panel card ${wide ? "panel-wide" : ""}`}>
    <h2>${title}</h2>
    <p class="muted small">${hint}</p>
    ${children}
  </section>`;
}
