// Buttons, fields and choices.
import { notify } from "./announce.js";
import { html, useId, useState } from "./base.js";
import { count } from "./format.js";
import { Icon } from "./icons.js";

/** @typedef {import("./base.js").Children} Children */
/** @typedef {{ name: string, jobs: number }} Suggestion */

const COPIED_MS = 1_500;

/**
 * A button; `kind` is primary, plain, quiet or danger.
 * @param {{ kind?: string, icon?: string, busy?: boolean, type?: string, children?: Children, [attribute: string]: unknown }} props
 */
export function Button({ kind = "plain", icon, busy = false, type = "button", children, ...rest }) {
  return html`<button ...${rest} type=${type} class=${`button button-${kind}`} aria-busy=${busy} disabled=${busy || rest.disabled}>
    ${icon && html`<${Icon} name=${icon} size=${18} />`}${children}
  </button>`;
}

/**
 * A button with an icon only; its label is read out and shown as a tooltip.
 * @param {{ icon: string, label: string, [attribute: string]: unknown }} props
 */
export function IconButton({ icon, label, ...rest }) {
  return html`<button type="button" ...${rest} class="icon-button" aria-label=${label} title=${label}>
    <${Icon} name=${icon} size=${18} />
  </button>`;
}

/**
 * A link that looks like a button.
 * @param {{ href: string, kind?: string, icon?: string, children?: Children, [attribute: string]: unknown }} props
 */
export function LinkButton({ href, kind = "plain", icon, children, ...rest }) {
  return html`<a ...${rest} href=${href} class=${`button button-${kind}`}>
    ${icon && html`<${Icon} name=${icon} size=${18} />`}${children}
  </a>`;
}

/**
 * A button that copies a text, given or fetched when it is pressed.
 * @param {{ text: string | (() => Promise<string>), label?: string }} props
 */
export function CopyButton({ text, label = "Copy" }) {
  const [copied, setCopied] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
      setCopied(true);
      notify("Copied to the clipboard.");
      setTimeout(() => setCopied(false), COPIED_MS);
    } catch {
      notify("The browser did not allow copying.", "bad");
    }
  }
  return html`<${Button} kind="quiet" icon=${copied ? "check" : "copy"} onClick=${copy}>${label}<//>`;
}

/**
 * A labelled field; the child is a function that receives the attributes that tie label, hint and error to it.
 * @param {{ label: string, hint?: string, error?: string, children: (labels: object) => unknown }} props
 */
export function Field({ label, hint, error, children }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  const labels = { id, "aria-describedby": described, "aria-invalid": error ? "true" : undefined };
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${children(labels)}
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    ${error && html`<p class="error-text" id=${`${id}-error`} role="alert">${error}</p>`}
  </div>`;
}

/**
 * A check box with its label.
 * @param {{ checked: boolean, onChange: (checked: boolean) => void, children?: Children, disabled?: boolean }} props
 */
export function Checkbox({ checked, onChange, children, disabled }) {
  return html`<label class="checkbox">
    <input type="checkbox" checked=${checked} disabled=${disabled}
      onChange=${(/** @type {any} */ event) => onChange(event.target.checked)} />
    <span>${children}</span>
  </label>`;
}

/**
 * A segmented control: one of several choices.
 * @param {{ label: string, choices: { value: string, text: string, note?: string }[], value: string, onChange: (value: string) => void }} props
 */
export function Choices({ label, choices, value, onChange }) {
  return html`<div class="choices" role="group" aria-label=${label}>
    ${choices.map(
      choice => html`<button type="button" key=${choice.value} aria-pressed=${choice.value === value}
        onClick=${() => onChange(choice.value)}>${choice.text}${choice.note !== undefined && html` <span class="choice-note figures">${choice.note}</span>`}</button>`,
    )}
  </div>`;
}

/**
 * A labelled text field, with a list of what is often put into it if there is one.
 * @param {{ label: string, hint?: string, value: string, type?: string, suggestions?: Suggestion[], onChange: (value: string) => void }} props
 */
export function TextField({ label, hint, value, type = "text", suggestions = [], onChange }) {
  const list = useId();
  const onInput = (/** @type {any} */ event) => onChange(event.target.value);
  return html`<${Field} label=${label} hint=${hint}>
    ${(
      /** @type {object} */ labels,
    ) => html`<input ...${labels} type=${type} value=${value} onInput=${onInput} autocomplete="off" list=${suggestions.length ? list : undefined} />
    ${suggestions.length > 0 && html`<datalist id=${list}>${suggestions.map(({ name, jobs }) => html`<option key=${name} value=${name}>${count(jobs, "document")}</option>`)}</datalist>`}`}
  <//>`;
}

/**
 * A labelled text field for several lines.
 * @param {{ label: string, hint?: string, value: string, onChange: (value: string) => void }} props
 */
export function TextArea({ label, hint, value, onChange }) {
  const onInput = (/** @type {any} */ event) => onChange(event.target.value);
  return html`<${Field} label=${label} hint=${hint}>
    ${(/** @type {object} */ labels) => html`<textarea ...${labels} rows="2" spellcheck="false" value=${value} onInput=${onInput}></textarea>`}
  <//>`;
}

/**
 * A labelled list to choose from; each choice is a value and its text.
 * @param {{ label: string, hint?: string, value: string, choices: string[][], onChange: (value: string) => void }} props
 */
export function Select({ label, hint, value, choices, onChange }) {
  const onInput = (/** @type {any} */ event) => onChange(event.target.value);
  return html`<${Field} label=${label} hint=${hint}>
    ${(/** @type {object} */ labels) => html`<select ...${labels} value=${value} onInput=${onInput}>
      ${choices.map(([name, text]) => html`<option key=${name} value=${name}>${text}</option>`)}
    </select>`}
  <//>`;
}
