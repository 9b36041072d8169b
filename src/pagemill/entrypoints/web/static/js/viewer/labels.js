// The labels of a job: its collection and its tags, each the way to all jobs that have it, and the dialog that changes them.
import { call } from "../api.js";
import { saveRequest } from "../lastrequest.js";
import { notify } from "../ui/announce.js";
import { html, useState } from "../ui/base.js";
import { Button, TextField } from "../ui/controls.js";
import { Confirm } from "../ui/dialog.js";

/** @typedef {import("../types.js").Job} Job */

/** The tags of a job. @param {Job} job @returns {string[]} */
const tagsOf = job => splitTags(job.metadata.tags ?? "");

/** @param {string} text @returns {string[]} */
const splitTags = text =>
  text
    .split(",")
    .map(tag => tag.trim())
    .filter(Boolean);

/** @param {{ job: Job, refresh: () => void }} props */
export function Labels({ job, refresh }) {
  const [open, setOpen] = useState(false);
  const { collection } = job.metadata;
  const link = (/** @type {string} */ name, /** @type {string} */ value) =>
    `/jobs?${new URLSearchParams({ [name]: value })}`;
  return html`<div class="viewer-labels small">
    ${collection && html`<a dir="auto" href=${link("collection", collection)}>${collection}</a>`}
    ${tagsOf(job).map(tag => html`<a key=${tag} dir="auto" href=${link("tag", tag)}>#${tag}</a>`)}
    <${Button} kind="quiet" icon="tag" onClick=${() => setOpen(true)}>Labels<//>
    ${open && html`<${LabelDialog} job=${job} refresh=${refresh} onClose=${() => setOpen(false)} />`}
  </div>`;
}

/** @param {{ job: Job, refresh: () => void, onClose: () => void }} props */
function LabelDialog({ job, refresh, onClose }) {
  const [collection, setCollection] = useState(job.metadata.collection ?? "");
  const [tags, setTags] = useState(tagsOf(job).join(", "));
  async function save() {
    const path = `/v1/jobs/${job.id}`;
    const body = { collection: collection.trim() || null, tags: splitTags(tags) };
    try {
      await call("PATCH", path, { json: body });
      saveRequest({ method: "PATCH", path, json: body });
      onClose();
      refresh();
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
    }
  }
  return html`<${Confirm} title="Labels" confirm="Save" stays onConfirm=${save} onClose=${onClose}>
    <${TextField} label="Collection" value=${collection} onChange=${setCollection} />
    <${TextField} label="Tags" value=${tags} onChange=${setTags} hint="Separated by commas." />
  <//>`;
}
