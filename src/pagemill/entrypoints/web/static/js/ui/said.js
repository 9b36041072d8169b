import { html } from "./base.js";

/** What the service says, with the names in it set as code. @param {{ text: string }} props */
export function Said({ text }) {
  return html`${text.split("`").map((part, place) => (place % 2 ? html`<code>${part}</code>` : part))}`;
}
