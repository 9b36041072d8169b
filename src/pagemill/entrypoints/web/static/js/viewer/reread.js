// Reading one page again with another provider.
import { call, getJson } from "../api.js";
import { saveRequest } from "../lastrequest.js";
import { notify } from "../ui/announce.js";
import { html, useEffect, useState } from "../ui/base.js";
import { Field } from "../ui/controls.js";
import { Confirm } from "../ui/dialog.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("../types.js").Health} Health */
/** @typedef {import("./types.js").PageEntry} PageEntry */

/** @param {{ job: Job, entry: PageEntry, onBegun: () => void, onClose: () => void }} props */
export function ReadAgain({ job, entry, onBegun, onClose }) {
  const [names, setNames] = useState(/** @type {string[]} */ ([]));
  const [chosen, setChosen] = useState("");
  useEffect(() => {
    usable(entry).then(
      found => {
        setNames(found);
        setChosen(found[0] ?? "");
      },
      error => notify(error.message, "bad"),
    );
  }, []);
  async function begin() {
    const path = `/v1/jobs/${job.id}/pages/${entry.number}/read`;
    try {
      await call("POST", path, { json: { provider: chosen } });
      saveRequest({ method: "POST", path, json: { provider: chosen } });
      notify(`Page ${entry.number} is being read again with ${chosen}.`);
      onBegun();
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
    }
  }
  return html`<${Confirm} title=${`Read page ${entry.number} again`} confirm="Read again" onConfirm=${begin} onClose=${onClose}>
    <p>Only this page is read; all others stay as they are. The present reading stays until the new one is there.</p>
    <${Field} label="Read with">
      ${
        /** @param {object} labels */ labels => html`<select ...${labels} value=${chosen} onChange=${(/** @type {any} */ event) => setChosen(event.target.value)}>
        ${names.map(name => html`<option key=${name} value=${name}>${name}</option>`)}
      </select>`
      }
    <//>
  <//>`;
}

/** The providers that can be used here, another than the last one first. @param {PageEntry} entry */
async function usable(entry) {
  const health = /** @type {Health} */ (await getJson("/health"));
  const names = health.providers.filter(one => !one.unavailable).map(one => one.name);
  const last = entry.facts?.provider;
  return [...names.filter(name => name !== last), ...names.filter(name => name === last)];
}
