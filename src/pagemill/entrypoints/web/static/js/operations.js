// How the service runs, at a glance: what waits, how fast pages come, what fails, who works, and what room is left.
import { getJson, waitForConnection } from "./api.js";
import { Bars, Columns } from "./operations/plots.js";
import { Workers } from "./operations/workers.js";
import { html, useEffect, useState } from "./ui/base.js";
import { count, duration, minuteOfDay, number, size, timeOfDay } from "./ui/format.js";
import { Failure, Loading } from "./ui/states.js";

/** @typedef {import("./operations/types.js").Operations} Operations */
/** @typedef {import("./ui/base.js").Children} Children */

const LOOK_MS = 2_000;

/** The present state, looked at again and again while the page is to be seen. */
function useOperations() {
  const [seen, setSeen] = useState({
    told: /** @type {Operations | null} */ (null),
    error: /** @type {Error | null} */ (null),
  });
  useEffect(() => {
    let stopped = false;
    let timer = 0;
    const look = async () => {
      try {
        if (!document.hidden) setSeen({ told: await getJson("/v1/operations"), error: null });
      } catch (error) {
        setSeen(before => ({ ...before, error: /** @type {Error} */ (error) }));
        await waitForConnection();
      }
      if (!stopped) timer = setTimeout(look, LOOK_MS);
    };
    look();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, []);
  return seen;
}

/** The page for those who look after the service. */
export default function Page() {
  const { told, error } = useOperations();
  return html`<div>
    <header class="page-head">
      <h1>Operations</h1>
      ${told && html`<span class="muted small figures">As of ${timeOfDay(told.at)}</span>`}
    </header>
    ${!told && (error ? html`<${Failure} error=${error} />` : html`<${Loading} lines=${6} />`)}
    ${told && html`<${Board} told=${told} />`}
  </div>`;
}

/** @param {{ told: Operations }} props */
function Board({ told }) {
  return html`<div class="board">
    <${Tiles} told=${told} />
    <${Panel} title="Pages per minute" hint="The last hour of this process" wide>
      <${Columns} label="Pages per minute over the last hour"
        values=${told.minutes.map(minute => ({ name: minuteOfDay(minute.at), value: minute.pages }))} />
    <//>
    <${Panel} title="Waiting by lane" hint="Chunks that are ready, and how long the oldest has been">
      <${Bars} empty="NoJobs waits." keepAll
        values=${told.lanes.map(lane => ({ name: lane.lane, value: lane.ready, text: lane.ready ? `${number(lane.ready)}, oldest ${duration(lane.oldest_seconds)}` : "empty" }))} />
    <//>
    <${Panel} title="Seconds per step" hint="On average for one chunk; the thin line is what 19 of 20 stay below">
      <${Bars} empty="No step has run yet."
        values=${told.steps.map(step => ({ name: step.step, value: step.mean_seconds, reach: step.p95_seconds, text: `${duration(step.mean_seconds)}, ${count(step.count, "time")}` }))} />
    <//>
    <${Panel} title="Failures by code" hint="Jobs and pages, since this process started">
      <${Bars} empty="NoJobs has failed." kind="bad" values=${told.failures.map(counted)} />
    <//>
    <${Panel} title="Reading time by provider" hint="Seconds, since this process started">
      <${Bars} empty="NoJobs was read yet." values=${told.providers.map(share => ({ name: share.name, value: share.count, text: duration(share.count) }))} />
    <//>
    <${Panel} title="Workers" hint="Processes that read, and what their slots do" wide>
      <${Workers} workers=${told.workers} slots=${told.slots} />
    <//>
    ${
      told.refusals.length > 0 &&
      html`<${Panel} title="Refused at the door" hint="Requests by code">
      <${Bars} empty="" kind="warn" values=${told.refusals.map(counted)} />
    <//>`
    }
    ${
      told.set_backs.length > 0 &&
      html`<${Panel} title="Set-backs" hint="Crashes, errors and lost workers that work recovered from">
      <${Bars} empty="" kind="warn" values=${told.set_backs.map(counted)} />
    <//>`
    }
  </div>`;
}

/** @param {import("./operations/types.js").Share} share */
function counted(share) {
  return { name: share.name, value: share.count, text: number(share.count) };
}

/** The four figures to see first. @param {{ told: Operations }} props */
function Tiles({ told }) {
  const waiting = told.lanes.reduce((sum, lane) => sum + lane.ready, 0);
  const running = told.lanes.reduce((sum, lane) => sum + lane.running, 0);
  const busy = told.slots.filter(slot => slot.phase === "busy").length;
  const failed = told.jobs.find(share => share.name === "failed")?.count ?? 0;
  const done = told.jobs.find(share => share.name === "completed")?.count ?? 0;
  const { storage } = told;
  return html`<dl class="tiles">
    <${Tile} name="Speed" value=${`${number(told.pages_per_minute)}`} unit="pages per minute" />
    <${Tile} name="Backlog" value=${number(waiting)} unit=${`waiting, ${number(running)} running`} />
    <${Tile} name="Slots" value=${`${busy} / ${told.slots.length}`} unit="busy" />
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
