// The password of a locked document, asked for wherever the document is shown.
import { call } from "./api.js";
import { saveRequest } from "./lastrequest.js";
import { notify } from "./ui/announce.js";
import { html, useEffect, useRef, useState } from "./ui/base.js";
import { Button } from "./ui/controls.js";

/** @typedef {import("./types.js").Job} Job */

// The documents that a password was given for on this page; a list of old failures must not take the focus.
const tried = new Set();

/**
 * Asks for the password of a document and reads the document again with it.
 * @param {{ job: Job, onDone: () => void, focus?: boolean }} props
 */
export function UnlockForm({ job, onDone, focus = false }) {
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const wrong = job.error?.code === "password_incorrect";
  useEffect(() => {
    // After a wrong password the focus, which the form took with it while the document was read, comes back.
    if (focus || (wrong && tried.has(job.id) && document.activeElement === document.body))
      field.current?.focus();
  }, []);
  // A document can be refused again before it was ever seen to be read.
  useEffect(() => setBusy(false), [job.version]);
  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    setBusy(true);
    tried.add(job.id);
    const path = `/v1/jobs/${job.id}/retry`;
    const json = { only: "all", password };
    try {
      await call("POST", path, { json });
      saveRequest({ method: "POST", path, json });
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
      setBusy(false);
    }
    onDone();
  }
  return html`<form class="unlock" onSubmit=${submit}>
    <input ref=${field} type="password" aria-label=${`Password of ${job.document.filename}`} placeholder="Password" required
      autocomplete="off" aria-invalid=${wrong ? "true" : undefined} value=${password}
      onInput=${(/** @type {any} */ event) => setPassword(event.target.value)} />
    <${Button} type="submit" busy=${busy}>Unlock<//>
  </form>`;
}
