// What is shown in place of an artifact that is not written yet.
import { html } from "../ui/base.js";
import { Empty } from "../ui/states.js";

/** Shown until all pages are read. @param {{ what: string }} props */
export function NotYet({ what }) {
  return html`<${Empty} icon="clock" title="Not written yet">${what} can be shown when all pages are read. The Reading tab shows pages as they are read.<//>`;
}
