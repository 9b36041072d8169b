// How documents are to be read, in plain words. Only what differs from the usual is sent.
import { html } from "../ui/base.js";
import { Checkbox, Field } from "../ui/controls.js";
import { Icon } from "../ui/icons.js";

/** @typedef {{ pages: string, ocr: string, mode: string, languages: string, headers: boolean, reuse: boolean, password: string }} Wishes */

/** @type {Wishes} */
export const USUAL = {
  pages: "",
  ocr: "auto",
  mode: "fast",
  languages: "",
  headers: false,
  reuse: true,
  password: "",
};

/** The fields that the service is sent. @param {Wishes} wishes @returns {Record<string, string>} */
export function fieldsOf(wishes) {
  /** @type {Record<string, string>} */
  const fields = {};
  if (wishes.pages.trim()) fields.pages = wishes.pages.trim();
  if (wishes.ocr !== "auto") fields.ocr = wishes.ocr;
  if (wishes.mode !== "fast") fields.mode = wishes.mode;
  if (wishes.languages.trim()) fields.languages = wishes.languages.trim();
  if (wishes.headers) fields.keep_running_headers = "true";
  if (!wishes.reuse) fields.reuse = "false";
  if (wishes.password) fields.password = wishes.password;
  return fields;
}

/** What was chosen, in a few words. @param {Wishes} wishes */
function summary(wishes) {
  const words = [wishes.pages.trim() ? `pages ${wishes.pages.trim()}` : "all pages"];
  words.push(
    { auto: "scans recognised", force: "every page recognised", off: "no recognition" }[wishes.ocr] ?? "",
  );
  if (wishes.mode === "accurate") words.push("with more care");
  if (wishes.languages.trim()) words.push(wishes.languages.trim());
  if (wishes.headers) words.push("headers kept");
  if (!wishes.reuse) words.push("always read anew");
  if (wishes.password) words.push("with a password");
  return words.join(" · ");
}

/** The options, folded away until somebody wants them. @param {{ wishes: Wishes, onChange: (wishes: Wishes) => void }} props */
export function Options({ wishes, onChange }) {
  /** @param {keyof Wishes} name */
  const set = name => (/** @type {any} */ event) => onChange({ ...wishes, [name]: event.target.value });
  /** @param {keyof Wishes} name */
  const tick = name => (/** @type {boolean} */ checked) => onChange({ ...wishes, [name]: checked });
  return html`<details class="options">
    <summary><${Icon} name="right" size=${16} /><span class="options-word">Options</span> <span class="muted">${summary(wishes)}</span></summary>
    <form class="options-grid" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <${Text} label="Pages" hint="All, unless you name some, such as 1-3, 7." value=${wishes.pages} onInput=${set("pages")} />
      <${Select} label="Letters in pictures and scans" value=${wishes.ocr} onInput=${set("ocr")} choices=${OCR} />
      <${Select} label="Speed or care" value=${wishes.mode} onInput=${set("mode")} choices=${MODES} />
      <${Text} label="Languages" hint="Helps with scans. Codes such as en, de." value=${wishes.languages} onInput=${set("languages")} />
      <${Text} label="Password" hint="For documents that ask for one." type="password" value=${wishes.password} onInput=${set("password")} />
      <div class="options-ticks">
        <${Checkbox} checked=${wishes.headers} onChange=${tick("headers")}>Keep headers and footers that repeat<//>
        <${Checkbox} checked=${wishes.reuse} onChange=${tick("reuse")}>Use the result of an equal document<//>
      </div>
    </form>
  </details>`;
}

const OCR = [
  ["auto", "Recognise them where needed"],
  ["force", "Recognise them on every page"],
  ["off", "Leave them out"],
];
const MODES = [
  ["fast", "Fast"],
  ["accurate", "Accurate, but slower"],
];

/** @param {{ label: string, hint?: string, value: string, type?: string, onInput: (event: Event) => void }} props */
function Text({ label, hint, value, type = "text", onInput }) {
  return html`<${Field} label=${label} hint=${hint}>
    ${(/** @type {object} */ labels) => html`<input ...${labels} type=${type} value=${value} onInput=${onInput} autocomplete="off" />`}
  <//>`;
}

/** @param {{ label: string, value: string, choices: string[][], onInput: (event: Event) => void }} props */
function Select({ label, value, choices, onInput }) {
  return html`<${Field} label=${label}>
    ${(/** @type {object} */ labels) => html`<select ...${labels} value=${value} onInput=${onInput}>
      ${choices.map(([name, words]) => html`<option key=${name} value=${name}>${words}</option>`)}
    </select>`}
  <//>`;
}
