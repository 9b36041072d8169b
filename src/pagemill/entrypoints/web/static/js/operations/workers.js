import { html } from "../ui/base.js";
import { count, duration, number, size } from "../ui/format.js";

/** @typedef {import("./types.js").Worker} Worker */
/** @typedef {import("./types.js").Slot} Slot */

/** @type {Record<string, string>} */
const PHASES = {
  busy: "reading",
  idle: "idle",
  starting: "starting",
  backing_off: "can't start",
  stopped: "stopped",
};

/** The workers, and the slots of the one that answers. @param {{ workers: Worker[], slots: Slot[] }} props */
export function Workers({ workers, slots }) {
  if (!workers.length)
    return html`<p class="muted bars-empty">No worker is running: documents wait until one is started.</p>`;
  return html`<div>
    ${workers.map(worker => html`<${WorkerLine} key=${worker.id} worker=${worker} />`)}
    <ul class="slots" aria-label="Slots">${slots.map(slot => html`<${SlotCard} key=${slot.slot} slot=${slot} />`)}</ul>
  </div>`;
}

/** @param {{ worker: Worker }} props */
function WorkerLine({ worker }) {
  const uptime =
    worker.state === "alive"
      ? `up ${duration(worker.uptime_seconds)}`
      : `silent for ${duration(worker.silent_seconds)}`;
  return html`<p class="worker">
    <span class=${`dot ${worker.state === "alive" && !worker.trouble ? "" : "dot-failed"}`} />
    <strong>${worker.host}</strong>
    ${worker.trouble && html`<span class="small">pauses: ${worker.trouble}</span>`}
    <span class="muted small" title=${worker.engines.join(", ")}>version ${worker.version}, process ${worker.pid}, ${uptime}, ${count(worker.slots, "slot")}, ${number(worker.pages_per_minute)} pages per minute, lanes ${worker.lanes.join(", ")}</span>
  </p>`;
}

/** @param {{ slot: Slot }} props */
function SlotCard({ slot }) {
  return html`<li class=${`slot-card slot-${slot.phase}`}>
    <strong>${PHASES[slot.phase]}</strong>
    <span class="muted small figures">slot ${slot.slot + 1}${slot.kept ? ", for small documents" : ""}</span>
    <span class="muted small figures">${slot.rss_bytes ? size(slot.rss_bytes) : "—"} · ${count(slot.visits, "visit")}</span>
  </li>`;
}
