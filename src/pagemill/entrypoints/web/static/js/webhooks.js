// The page of webhooks: who is notified of what, what was sent, and sending it again.
import { call, getJson } from "./api.js";
import { notify } from "./ui/announce.js";
import { html, useEffect, useState } from "./ui/base.js";
import { Button, Choices, CopyButton, TextField } from "./ui/controls.js";
import { Confirm } from "./ui/dialog.js";
import { ago, count, when } from "./ui/format.js";
import { usePolled } from "./ui/poll.js";
import { Empty, Failure, Loading, Notice } from "./ui/states.js";
import { StatusWord } from "./ui/status.js";

/** @typedef {import("./types.js").Endpoint} Endpoint */
/** @typedef {import("./types.js").Delivery} Delivery */

const POLL_MS = 2_000;
const WEEK_MS = 7 * 86_400_000;
const STATES = [
  { value: "", text: "All" },
  { value: "failed", text: "Failed" },
  { value: "pending", text: "Waiting" },
  { value: "delivered", text: "Delivered" },
];

/** The page at `/webhooks`. */
export default function Page() {
  const { data, error, refresh } = usePolled(
    () => /** @type {Promise<{ webhooks: Endpoint[] }>} */ (getJson("/v1/webhooks")),
    POLL_MS,
  );
  return html`<div class="lists">
    <header class="page-head"><h1>Webhooks</h1></header>
    <${NewEndpoint} onDone=${refresh} />
    ${!data && (error ? html`<${Failure} error=${error} onRetry=${refresh} />` : html`<${Loading} lines=${4} />`)}
    ${data && !data.webhooks.length && html`<${Empty} icon="spark" title="No webhooks yet">Add an address above, and pagemill sends it a signed message when a job or a batch ends.<//>`}
    ${data && data.webhooks.length > 0 && html`<ul class="card list">${data.webhooks.map(one => html`<${EndpointRow} key=${one.id} endpoint=${one} onChange=${refresh} />`)}</ul>`}
    <${Deliveries} />
  </div>`;
}

/** Registers an address; its secret is shown once. @param {{ onDone: () => Promise<void> }} props */
function NewEndpoint({ onDone }) {
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState("job.completed, job.failed, job.cancelled");
  const [steps, setSteps] = useState("10 %");
  const [secret, setSecret] = useState("");
  /** @param {Event} event */
  async function add(event) {
    event.preventDefault();
    const patterns = events.split(",").map(one => one.trim());
    try {
      const answer = await call("POST", "/v1/webhooks", {
        json: { url: url.trim(), events: patterns.filter(Boolean), ...progressSteps(steps) },
      });
      setSecret((await answer.json()).secret);
      setUrl("");
      await onDone();
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
    }
  }
  return html`<form class="card list-form" onSubmit=${add}>
    <${TextField} label="Address" type="url" value=${url} onChange=${setUrl} hint="Where messages are sent, by https://." />
    <${TextField} label="Events" value=${events} onChange=${setEvents} hint="Separated by commas; job.* and batch.* stand for several." />
    <${TextField} label="Steps of job.progress" value=${steps} onChange=${setSteps} hint="Such as 10 %, or 50 pages." />
    <${Button} type="submit" kind="primary" disabled=${!url.trim()}>Add webhook<//>
    ${secret && html`<${Secret} secret=${secret} onClose=${() => setSecret("")} />`}
  </form>`;
}

/** The steps of progress that were written: a percentage, or a number of pages. @param {string} text */
function progressSteps(text) {
  const number = Number.parseInt(text, 10) || 0;
  return text.includes("%") ? { progress_percent: number } : { progress_pages: number };
}

/** @param {Endpoint} endpoint */
function stepsOf({ events, progress_percent, progress_pages }) {
  if (!events.some(one => ["job.progress", "job.*", "*"].includes(one))) return "";
  return ` · progress every ${progress_pages ? count(progress_pages, "page") : `${progress_percent} %`}`;
}

/** @param {{ secret: string, onClose: () => void }} props */
function Secret({ secret, onClose }) {
  return html`<${Notice} kind="warn">
    <p>The secret that signs the messages is shown this once: keep it.</p>
    <p class="secret"><code>${secret}</code> <${CopyButton} text=${secret} /> <${Button} kind="quiet" onClick=${onClose}>Done<//></p>
  <//>`;
}

/** @param {{ endpoint: Endpoint, onChange: () => Promise<void> }} props */
function EndpointRow({ endpoint, onChange }) {
  const [secret, setSecret] = useState("");
  const [asking, setAsking] = useState(false);
  const [replaying, setReplaying] = useState(false);
  const path = `/v1/webhooks/${endpoint.id}`;
  /** @param {string} method @param {string} where @param {string} done @param {object} [json] */
  async function act(method, where, done, json) {
    try {
      const answer = await call(method, where, { json });
      notify(done);
      await onChange();
      return answer;
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
      return null;
    }
  }
  async function rotate() {
    const answer = await act(
      "POST",
      `${path}/rotate`,
      "The secret was renewed; the old one signs for a while, too.",
      {},
    );
    if (answer) setSecret((await answer.json()).secret);
  }
  const active = endpoint.status === "active";
  const why = endpoint.disabled_reason ? ` (${endpoint.disabled_reason})` : "";
  return html`<li class="list-row">
    <div class="list-text">
      <span class="list-name">${endpoint.url} <${StatusWord} status=${active ? "completed" : "failed"} text=${`${endpoint.status}${why}`} /></span>
      <span class="muted small">${endpoint.events.join(", ")}${stepsOf(endpoint)} · added ${ago(endpoint.created_at)}</span>
    </div>
    <div class="list-actions">
      <${Button} onClick=${() => act("POST", `${path}/test`, "A test message is on its way.")}>Send a test<//>
      <${Button} icon="retry" onClick=${() => setReplaying(true)}>Send failed again<//>
      <${Button} kind="quiet" onClick=${rotate}>Renew secret<//>
      <${Button} kind="quiet" onClick=${() => act("PATCH", path, active ? "Disabled." : "Enabled.", { enabled: !active })}>${active ? "Disable" : "Enable"}<//>
      <${Button} kind="quiet" onClick=${() => setAsking(true)}>Delete<//>
    </div>
    ${secret && html`<${Secret} secret=${secret} onClose=${() => setSecret("")} />`}
    ${replaying && html`<${ReplayFailed} path=${path} onClose=${() => setReplaying(false)} onDone=${onChange} />`}
    ${
      asking &&
      html`<${Confirm} title="Delete this webhook?" confirm="Delete" kind="danger" onClose=${() => setAsking(false)}
        onConfirm=${() => act("DELETE", path, "The webhook was deleted.")}>Messages that wait for it are not sent.<//>`
    }
  </li>`;
}

/** Sends everything again that failed since a time. @param {{ path: string, onClose: () => void, onDone: () => Promise<void> }} props */
function ReplayFailed({ path, onClose, onDone }) {
  const [since, setSince] = useState(localTime(Date.now() - WEEK_MS));
  async function replay() {
    try {
      const json = { since: new Date(since).toISOString() };
      const { replayed } = await (await call("POST", `${path}/replay`, { json })).json();
      notify(`${count(replayed, "message")} sent again.`);
      await onDone();
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
    }
  }
  return html`<${Confirm} title="Send what failed again?" confirm="Send again" onClose=${onClose} onConfirm=${replay}>
    <${TextField} label="Made since" type="datetime-local" value=${since} onChange=${setSince} />
  <//>`;
}

/** A time as fields for local times have it. @param {number} at */
function localTime(at) {
  const moment = new Date(at);
  return new Date(at - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The log of what was sent. */
function Deliveries() {
  const [state, setState] = useState("");
  return html`<section aria-label="Deliveries">
    <div class="list-head">
      <h2>Deliveries</h2>
      <${Choices} label="State" choices=${STATES} value=${state} onChange=${setState} />
    </div>
    <${DeliveryList} key=${state} state=${state} />
  </section>`;
}

/** @param {{ state: string }} props */
function DeliveryList({ state }) {
  const query = state ? `?state=${state}` : "";
  const { data, error, refresh } = usePolled(
    () => /** @type {Promise<{ deliveries: Delivery[] }>} */ (getJson(`/v1/deliveries${query}`)),
    POLL_MS,
  );
  if (!data)
    return error ? html`<${Failure} error=${error} onRetry=${refresh} />` : html`<${Loading} lines=${4} />`;
  if (!data.deliveries.length) return html`<p class="muted">Nothing was sent yet.</p>`;
  return html`<ul class="card list">${data.deliveries.map(one => html`<${DeliveryRow} key=${one.id} delivery=${one} onChange=${refresh} />`)}</ul>`;
}

/** @param {{ delivery: Delivery, onChange: () => Promise<void> }} props */
function DeliveryRow({ delivery, onChange }) {
  const [open, setOpen] = useState(false);
  async function replay() {
    try {
      await call("POST", `/v1/deliveries/${delivery.id}/replay`);
      notify(delivery.state === "pending" ? "It is sent now." : "It is sent again.");
      await onChange();
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
    }
  }
  const ended = ["delivered", "failed", "cancelled"].includes(delivery.state);
  return html`<li class="list-row">
    <div class="list-text">
      <span class="list-name">${delivery.event} <${StatusWord} status=${statusOf(delivery.state)} text=${delivery.state} /></span>
      <span class="muted small figures">${describe(delivery)}</span>
    </div>
    <div class="list-actions">
      ${ended && html`<${Button} icon="retry" onClick=${replay}>Send again<//>`}
      ${delivery.state === "pending" && html`<${Button} icon="retry" onClick=${replay}>Send now<//>`}
      <${Button} kind="quiet" aria-expanded=${open} onClick=${() => setOpen(!open)}>${open ? "Hide log" : "Show log"}<//>
    </div>
    ${open && html`<${Log} delivery=${delivery} />`}
  </li>`;
}

/** @param {string} state */
function statusOf(state) {
  if (state === "delivered") return "completed";
  return state === "failed" || state === "cancelled" ? "failed" : "pending";
}

/** @param {Delivery} delivery */
function describe({ attempts, last_status, last_error, next_attempt_at, created_at }) {
  const parts = [count(attempts, "attempt")];
  if (last_status) parts.push(`status ${last_status}`);
  else if (last_error) parts.push(last_error);
  if (next_attempt_at) parts.push(`next ${when(next_attempt_at)}`);
  return `${parts.join(", ")} · ${ago(created_at)}`;
}

/** The message and every attempt to send it. @param {{ delivery: Delivery }} props */
function Log({ delivery }) {
  const [found, setFound] = useState(/** @type {Delivery | null} */ (null));
  useEffect(() => {
    let current = true;
    getJson(`/v1/deliveries/${delivery.id}`).then(
      answer => current && setFound(/** @type {Delivery} */ (answer)),
      error => notify(error.message, "bad"),
    );
    return () => {
      current = false;
    };
  }, [delivery.id, delivery.attempts, delivery.state]);
  if (!found) return html`<${Loading} lines=${3} />`;
  return html`<div class="sub-list">
    <ol aria-label="Attempts">
      ${(found.log ?? []).map(
        (one, place) => html`<li key=${place} class="sub-row">
          <span class="muted figures">${one.number}</span>
          <span>${when(one.at)}</span>
          <span>${one.status ? `status ${one.status}` : one.error}</span>
          <span class="muted small">${one.answer}</span>
        </li>`,
      )}
    </ol>
    <pre class="payload" tabindex="0" aria-label="Message">${found.payload}</pre>
  </div>`;
}
