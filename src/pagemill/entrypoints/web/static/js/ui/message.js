import { html } from "./base.js";

/** A message of the service; names between backticks are set as code. @param {{ text: string }} props */
export function Message({ text }) {
  return html`${text.split("`").map((part, index) => (index % 2 ? html`<code>${part}</code>` : part))}`;
}
