// How documents are to be read. Only what differs from the defaults is sent.
import { html } from "../ui/base.js";
import { Checkbox, Select, TextField } from "../ui/controls.js";
import { Icon } from "../ui/icons.js";

/** @typedef {{ pages: string, ocr: string, mode: string, languages: string, changes: string, embedded: boolean, render: boolean, ascii: boolean, enrich: boolean, split: boolean, headers: boolean, reuse: boolean, password: string }} OptionValues */

/** @type {OptionValues} */
export const DEFAULTS = {
  pages: "",
  ocr: "auto",
  mode: "fast",
  languages: "",
  changes: "final",
  embedded: false,
  render: false,
  ascii: false,
  enrich: false,
  split: false,
  headers: false,
  reuse: true,
  password: "",
};

export const OCR_CHOICES = [
  ["auto", "Where a page needs it"],
  ["force", "On every page"],
  ["off", "Never"],
];
export const MODE_CHOICES = [
  ["fast", "Fast"],
  ["accurate", "Accurate, but slower"],
];

export const CHANGE_CHOICES = [
  ["final", "The text with them"],
  ["original", "The text before them"],
  ["both", "Both, marked"],
];

/** The form fields of an upload. @param {OptionValues} values @returns {Record<string, string>} */
export function formFields(values) {
  /** @type {Record<string, string>} */
  const fields = {};
  if (values.pages.trim()) fields.pages = values.pages.trim();
  if (values.ocr !== "auto") fields.ocr = values.ocr;
  if (values.mode !== "fast") fields.mode = values.mode;
  if (values.languages.trim()) fields.languages = values.languages.trim();
  if (values.changes !== "final") fields.tracked_changes = values.changes;
  if (values.embedded) fields.embedded_files = "process";
  if (values.render) fields.render = "true";
  if (values.ascii) fields.typography = "ascii";
  if (values.enrich) fields.enrich = "class,entities,facts";
  if (values.split) fields.split = "auto";
  if (values.headers) fields.keep_running_headers = "true";
  if (!values.reuse) fields.reuse = "false";
  if (values.password) fields.password = values.password;
  return fields;
}

/** The chosen options in a few words. @param {OptionValues} values */
function summary(values) {
  const words = [values.pages.trim() ? `pages ${values.pages.trim()}` : "all pages"];
  words.push(
    { auto: "OCR where needed", force: "OCR on every page", off: "no OCR" }[values.ocr] ?? "",
    values.mode === "accurate" ? "accurate" : "fast",
  );
  if (values.languages.trim()) words.push(values.languages.trim());
  if (values.changes !== "final")
    words.push(values.changes === "both" ? "tracked changes marked" : "before tracked changes");
  if (values.embedded) words.push("files inside as documents");
  if (values.render) words.push("office files with pages");
  if (values.ascii) words.push("ASCII");
  if (values.enrich) words.push("class and facts");
  if (values.split) words.push("stacks split");
  if (values.headers) words.push("headers kept");
  if (!values.reuse) words.push("no stored results");
  if (values.password) words.push("with a password");
  return words.join(" · ");
}

/** The options, collapsed at first. @param {{ values: OptionValues, onChange: (values: OptionValues) => void }} props */
export function Options({ values, onChange }) {
  /** @param {keyof OptionValues} name */
  const set = name => (/** @type {string | boolean} */ value) => onChange({ ...values, [name]: value });
  return html`<details class="options">
    <summary><${Icon} name="right" size=${16} /><span class="options-word">Options</span> <span class="muted">${summary(values)}</span></summary>
    <form class="options-grid" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <${TextField} label="Pages" hint="All, unless you name some, such as 1-3, 7." value=${values.pages} onChange=${set("pages")} />
      <${Select} label="OCR of scans and pictures" value=${values.ocr} onChange=${set("ocr")} choices=${OCR_CHOICES} />
      <${Select} label="Mode" value=${values.mode} onChange=${set("mode")} choices=${MODE_CHOICES} />
      <${TextField} label="Languages" hint="Helps OCR. Codes such as en, de." value=${values.languages} onChange=${set("languages")} />
      <${Select} label="Tracked changes in office files" value=${values.changes} onChange=${set("changes")} choices=${CHANGE_CHOICES} />
      <${TextField} label="Password" hint="For encrypted documents." type="password" value=${values.password} onChange=${set("password")} />
      <div class="options-checks">
        <${Checkbox} checked=${values.embedded} onChange=${set("embedded")}>Read attachments and embedded files as documents, too<//>
        <${Checkbox} checked=${values.render} onChange=${set("render")}>Show office files on pages, by LibreOffice<//>
        <${Checkbox} checked=${values.ascii} onChange=${set("ascii")}>Quotes, dashes and ligatures in ASCII<//>
        <${Checkbox} checked=${values.enrich} onChange=${set("enrich")}>Find the class of the document and its facts<//>
        <${Checkbox} checked=${values.split} onChange=${set("split")}>Split a stack of scans into its documents<//>
        <${Checkbox} checked=${values.headers} onChange=${set("headers")}>Keep running headers and footers<//>
        <${Checkbox} checked=${values.reuse} onChange=${set("reuse")}>Use the stored result of an identical document<//>
      </div>
    </form>
  </details>`;
}
