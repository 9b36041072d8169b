// Loading, empty and error states.
import { Problem } from "../api.js";
import { html } from "./base.js";
import { Button } from "./controls.js";
import { Icon } from "./icons.js";
import { Message } from "./message.js";

/** @typedef {import("./base.js").Children} Children */

/** Placeholder lines while something loads. @param {{ lines?: number, label?: string }} props */
export function Loading({ lines = 4, label = "Loading" }) {
  return html`<div class="loading" role="status" aria-label=${label}>
    ${Array.from({ length: lines }, (_, line) => html`<span class="skeleton" key=${line} />`)}
  </div>`;
}

/** An empty state. @param {{ icon?: string, title: string, children?: Children }} props */
export function Empty({ icon = "file", title, children }) {
  return html`<div class="empty">
    <span class="empty-icon"><${Icon} name=${icon} size=${28} /></span>
    <h2>${title}</h2>
    <div class="muted">${children}</div>
  </div>`;
}

/** An error state. @param {{ error: Error, onRetry?: () => void }} props */
export function Failure({ error, onRetry }) {
  const title = error instanceof Problem ? error.title : "This did not work";
  const lost = error instanceof Problem && error.code === "unreachable";
  return html`<div class="empty" role="alert">
    <span class=${`empty-icon ${lost ? "" : "bad"}`}><${Icon} name=${lost ? "unplugged" : "warning"} size=${28} /></span>
    <h2>${title}</h2>
    <p class="muted"><${Message} text=${error.message} /></p>
    ${onRetry && html`<${Button} icon="retry" onClick=${onRetry}>Try again<//>`}
  </div>`;
}

/** A notice; `kind` is bad, warn or plain. @param {{ kind?: string, children?: Children }} props */
export function Notice({ kind = "plain", children }) {
  return html`<div class=${`notice notice-${kind}`}>
    <${Icon} name="warning" size=${18} />
    <div>${children}</div>
  </div>`;
}
