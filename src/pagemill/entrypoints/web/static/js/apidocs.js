// The API: what the reader just did, as code to copy, and the reference.
import { getJson } from "./api.js";
import { curl, javascript, python, USUAL } from "./apidocs/code.js";
import { Reference } from "./apidocs/reference.js";
import { keep, kept } from "./keep.js";
import { recall } from "./recent.js";
import { session } from "./session.js";
import { useStore } from "./store.js";
import { html, useEffect, useState } from "./ui/base.js";
import { Choices, CopyButton } from "./ui/controls.js";
import { Failure, Loading } from "./ui/states.js";

/** @typedef {import("./apidocs/types.js").OpenApi} OpenApi */
/** @typedef {import("./recent.js").Deed} Deed */

const LANGUAGES = [
  { value: "curl", text: "curl", write: curl },
  { value: "python", text: "Python", write: python },
  { value: "javascript", text: "JavaScript", write: javascript },
];

/** The page for those who write programs. */
export default function Page() {
  const [openapi, setOpenapi] = useState(/** @type {OpenApi | null} */ (null));
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  useEffect(() => {
    getJson("/openapi.json").then(told => setOpenapi(/** @type {OpenApi} */ (told)), setError);
  }, []);
  return html`<div class="api">
    <div>
      <div class="page-head"><h1>API</h1></div>
      <${Deeds} />
    </div>
    ${error && html`<${Failure} error=${error} />`}
    ${openapi ? html`<${Reference} openapi=${openapi} />` : !error && html`<${Loading} lines=${6} />`}
  </div>`;
}

/** The last deed as code. */
function Deeds() {
  const [language, setLanguage] = useState(() => kept(() => localStorage, "pagemill-language") ?? "curl");
  const keyed = useStore(session)?.key_needed ?? false;
  const last = recall();
  const chosen = LANGUAGES.find(one => one.value === language) ?? LANGUAGES[0];
  const code = chosen.write(last ?? USUAL, { origin: location.origin, keyed });
  /** @param {string} value */
  function choose(value) {
    setLanguage(value);
    keep(() => localStorage, "pagemill-language", value);
  }
  return html`<section aria-label="As code">
    <p class="api-lead muted">${last ? told(last) : "Everything on these pages is done through the API. This hands in a document; whatever you do here next is shown as code in its place."}</p>
    <div class="card code-card">
      <div class="code-bar">
        <${Choices} label="Language" choices=${LANGUAGES} value=${chosen.value} onChange=${choose} />
        <${CopyButton} text=${code} />
      </div>
      <pre tabindex="0" aria-label=${`As ${chosen.text}`}><code>${code}</code></pre>
    </div>
  </section>`;
}

/** A deed in words. @param {Deed} deed */
function told(deed) {
  if (deed.filename) return `You just handed in ${deed.filename}. The same as code:`;
  return `You just called ${deed.method} ${deed.path}. The same as code:`;
}
