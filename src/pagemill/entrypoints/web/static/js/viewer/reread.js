// Reading a page or the whole document again, with another mode, OCR setting, language or engine.
import { call, getJson, Problem } from "../api.js";
import { MODE_CHOICES, OCR_CHOICES } from "../home/options.js";
import { saveRequest } from "../lastrequest.js";
import { notify } from "../ui/announce.js";
import { html, useEffect, useState } from "../ui/base.js";
import { Checkbox, Choices, Select, TextField } from "../ui/controls.js";
import { Confirm } from "../ui/dialog.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("../types.js").Health} Health */
/** @typedef {import("./types.js").PageEntry} PageEntry */
/** @typedef {{ scope: string, ocr: string, mode: string, languages: string, engine: string, password: string, render: boolean }} Values */

/** @param {{ job: Job, entry: PageEntry, onBegun: () => void, onClose: () => void }} props */
export function ReadAgain({ job, entry, onBegun, onClose }) {
  const engines = useEngines();
  const [values, setValues] = useState(
    /** @returns {Values} */ () => ({
      scope: "page",
      ocr: String(job.options.ocr ?? "auto"),
      mode: String(job.options.mode ?? "fast"),
      languages: /** @type {string[]} */ (job.options.languages ?? []).join(", "),
      engine: "",
      password: "",
      render: Boolean(job.options.render),
    }),
  );
  const [locked, setLocked] = useState(false);
  /** @param {keyof Values} name */
  const set = name => (/** @type {string | boolean} */ value) => setValues({ ...values, [name]: value });
  const scopes = [
    { value: "page", text: `Page ${entry.number}` },
    { value: "document", text: "Whole document" },
  ];
  const named = values.scope === "page" && values.engine !== "";
  async function begin() {
    const { path, json } = requestFor(job, entry, values);
    try {
      await call("POST", path, { json });
      saveRequest({ method: "POST", path, json });
      notify("Reading again. The current result stays until the new one is complete.");
      onBegun();
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
      if (error instanceof Problem && error.code === "password_required") {
        setLocked(true);
        return;
      }
    }
    onClose();
  }
  return html`<${Confirm} title="Read again" confirm="Read again" stays onConfirm=${begin} onClose=${onClose}>
    <p>The current result is kept: you can compare the two and go back.</p>
    <div class="reread">
      <${Choices} label="What to read again" choices=${scopes} value=${values.scope} onChange=${set("scope")} />
      ${!named && html`<${Select} label="OCR" value=${values.ocr} choices=${OCR_CHOICES} onChange=${set("ocr")} />`}
      ${!named && html`<${Select} label="Mode" value=${values.mode} choices=${MODE_CHOICES} onChange=${set("mode")} />`}
      ${!named && html`<${TextField} label="Languages" hint="Codes such as en, de; leave it empty to detect them." value=${values.languages} onChange=${set("languages")} />`}
      ${values.scope === "page" && html`<${Select} label="Engine" value=${values.engine} choices=${[["", "Automatic"], ...engines.map(name => [name, name])]} onChange=${set("engine")} />`}
      ${isOffice(entry) && values.scope === "document" && html`<${Checkbox} checked=${values.render} onChange=${set("render")}>Show it on pages, by LibreOffice<//>`}
      ${locked && html`<${TextField} label="Password" hint="The document is locked; its password is not kept." type="password" value=${values.password} onChange=${set("password")} />`}
    </div>
  <//>`;
}

/** Whether a page comes from a file that has no printed pages of its own. @param {PageEntry} entry */
function isOffice(entry) {
  return entry.facts?.provider === "office";
}

/** The request that reads again as chosen. @param {Job} job @param {PageEntry} entry @param {Values} values */
function requestFor(job, entry, { scope, ocr, mode, languages, engine, password, render }) {
  const secret = password ? { password } : {};
  const options = { ocr, mode, languages: languages.split(/[\s,]+/).filter(Boolean), ...secret };
  if (scope === "document") {
    const json = { only: "all", ...options, ...(isOffice(entry) ? { render } : {}) };
    return { path: `/v1/jobs/${job.id}/retry`, json };
  }
  const json = engine ? { provider: engine, ...secret } : options;
  return { path: `/v1/jobs/${job.id}/pages/${entry.number}/read`, json };
}

/** The engines that can be used here. */
function useEngines() {
  const [names, setNames] = useState(/** @type {string[]} */ ([]));
  useEffect(() => {
    getJson("/health").then(
      health => {
        const providers = /** @type {Health} */ (health).providers ?? [];
        setNames(providers.filter(one => !one.unavailable).map(one => one.name));
      },
      error => notify(error.message, "bad"),
    );
  }, []);
  return names;
}
