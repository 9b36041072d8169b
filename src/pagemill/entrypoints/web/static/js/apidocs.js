// The API page: the last request as code to copy, and the reference.
import { getJson } from "./api.js";
import { curl, DEFAULTS, javascript, python } from "./apidocs/code.js";
import { Reference } from "./apidocs/reference.js";
import { loadRequest } from "./lastrequest.js";
import { session } from "./session.js";
import { loadSetting, saveSetting } from "./storage.js";
import { useStore } from "./store.js";
import { html, useEffect, useState } from "./ui/base.js";
import { Choices, CopyButton } from "./ui/controls.js";
import { Failure, Loading } from "./ui/states.js";

/** @typedef {import("./apidocs/types.js").OpenApi} OpenApi */
/** @typedef {import("./lastrequest.js").ApiRequest} ApiRequest */

const LANGUAGES = [
  { value: "curl", text: "curl", write: curl },
  { value: "python", text: "Python", write: python },
  { value: "javascript", text: "JavaScript", write: javascript },
];

/** The page at `/api`. */
export default function Page() {
  const [openapi, setOpenapi] = useState(/** @type {OpenApi | null} */ (null));
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  useEffect(() => {
    getJson("/openapi.json").then(document => setOpenapi(/** @type {OpenApi} */ (document)), setError);
  }, []);
  return html`<div class="api">
    <div>
      <div class="page-head"><h1>API</h1></div>
      <${LastRequest} />
    </div>
    ${error && html`<${Failure} error=${error} />`}
    ${openapi ? html`<${Reference} openapi=${openapi} />` : !error && html`<${Loading} lines=${6} />`}
  </div>`;
}

/** The last request as code. */
function LastRequest() {
  const [language, setLanguage] = useState(
    () => loadSetting(() => localStorage, "pagemill-language") ?? "curl",
  );
  const keyed = useStore(session)?.key_needed ?? false;
  const last = loadRequest();
  const chosen = LANGUAGES.find(one => one.value === language) ?? LANGUAGES[0];
  const code = chosen.write(last ?? DEFAULTS, { origin: location.origin, keyed });
  /** @param {string} value */
  function choose(value) {
    setLanguage(value);
    saveSetting(() => localStorage, "pagemill-language", value);
  }
  return html`<section aria-label="As code">
    <p class="api-lead muted">${last ? describeRequest(last) : "Everything on these pages is done through the API. This uploads a document. The next thing you do on these pages is shown here instead."}</p>
    <div class="card code-card">
      <div class="code-bar">
        <${Choices} label="Language" choices=${LANGUAGES} value=${chosen.value} onChange=${choose} />
        <${CopyButton} text=${code} />
      </div>
      <pre tabindex="0" aria-label=${`As ${chosen.text}`}><code>${code}</code></pre>
    </div>
  </section>`;
}

/** A request in words. @param {ApiRequest} request */
function describeRequest(request) {
  if (request.filename) return `You just uploaded ${request.filename}. The same as code:`;
  return `You just called ${request.method} ${request.path}. The same as code:`;
}
