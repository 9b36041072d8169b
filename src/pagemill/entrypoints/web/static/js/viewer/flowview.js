// A document without printed pages, as a browser shows it: in a frame in which nothing can run.
import { call, waitToRetry } from "../api.js";
import { html, useEffect, useState } from "../ui/base.js";

/** @typedef {import("../types.js").Job} Job */

const MAKING_MS = 1_000;
const MADE = 200;

/** Resolves as soon as the view is made; false if it can't be. @param {string} address @param {AbortSignal} signal @returns {Promise<boolean>} */
async function untilMade(address, signal) {
  try {
    while ((await call("GET", address, { signal })).status !== MADE)
      await new Promise(resolve => setTimeout(resolve, MAKING_MS));
    return true;
  } catch (error) {
    if (signal.aborted || !(await waitToRetry(error))) return false;
    return untilMade(address, signal);
  }
}

/** The document in a frame, at one of its pages. @param {{ job: Job, number: number }} props */
export function FlowView({ job, number }) {
  const address = `/v1/jobs/${job.id}/view.html?revision=${job.revision}`;
  const [state, setState] = useState({ address: "", made: false });
  useEffect(() => {
    const asked = new AbortController();
    untilMade(address, asked.signal).then(made => !asked.signal.aborted && setState({ address, made }));
    return () => asked.abort();
  }, [address]);
  if (state.address !== address)
    return html`<p class="flow-view muted" role="status">The document is being prepared.</p>`;
  if (!state.made) return html`<p class="flow-view muted">There is no view of this document.</p>`;
  return html`<iframe class="flow-view" sandbox="" title="The document" src=${`${address}#page-${number}`}></iframe>`;
}
