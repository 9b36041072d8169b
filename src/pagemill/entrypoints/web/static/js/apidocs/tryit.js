// Sends a request to a route of the reference, and shows the answer.
import { WEB_HEADERS } from "../api.js";
import { html, useRef, useState } from "../ui/base.js";
import { Button } from "../ui/controls.js";
import { size } from "../ui/format.js";
import { exampleIn, resolved } from "./reference.js";

/** @typedef {import("./types.js").OpenApi} OpenApi */
/** @typedef {import("./types.js").Schema} Schema */
/** @typedef {{ method: string, path: string, operation: import("./types.js").Operation }} ApiRoute */
/** @typedef {{ name: string, place: string, schema: Schema, hint: string }} Parameter */
/** @typedef {{ status: number, type: string, text: string | null, blob: Blob, seconds: number }} Answer */

// Longer answers are saved, not shown.
const MAX_SHOWN = 200_000;
const FORM = "multipart/form-data";
const JSON_TYPE = "application/json";

/** The parameters of a route, and the fields of its form. @param {ApiRoute} route @param {OpenApi} openapi @returns {Parameter[]} */
function parametersOf({ path, operation }, openapi) {
  const named = (operation.parameters ?? []).map(one => ({
    name: one.name,
    place: one.in,
    schema: resolved(openapi, one.schema) ?? {},
    hint: one.in,
  }));
  const known = new Set(named.filter(one => one.place === "path").map(one => one.name));
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(found => found[1]).filter(name => !known.has(name));
  const form = resolved(openapi, operation.requestBody?.content[FORM]?.schema)?.properties ?? {};
  const fields = Object.entries(form).map(([name, schema]) => ({
    name,
    place: "form",
    schema,
    hint: "form",
  }));
  // What the form has is not offered a second time in the query.
  const own = named.filter(one => !(one.place === "query" && one.name in form));
  return [
    ...inPath.map(name => ({ name, place: "path", schema: {}, hint: "path" })),
    ...own,
    ...fields.sort((one, other) => Number(isFile(other.schema)) - Number(isFile(one.schema))),
  ];
}

/** @param {Schema} schema */
function isFile(schema) {
  return schema.format === "binary";
}

/** The JSON that a body starts with. @param {ApiRoute} route @param {OpenApi} openapi */
function initialBody({ operation }, openapi) {
  const content = operation.requestBody?.content ?? {};
  const media = content[JSON_TYPE];
  // A form is sent where both are taken.
  if (!media || FORM in content) return null;
  const example = Object.values(media.examples ?? {})[0]?.value ?? exampleIn(openapi, media.schema, 0) ?? {};
  return JSON.stringify(example, null, 2);
}

/** @param {{ route: ApiRoute, openapi: OpenApi }} props */
export function TryIt({ route, openapi }) {
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const [body, setBody] = useState(() => initialBody(route, openapi));
  const [answer, setAnswer] = useState(/** @type {Answer | null} */ (null));
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const parameters = parametersOf(route, openapi);
  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    setBusy(true);
    setProblem("");
    try {
      const values = new FormData(/** @type {HTMLFormElement} */ (form.current));
      setAnswer(await sendRequest(route, parameters, values, body));
    } catch (error) {
      setProblem(/** @type {Error} */ (error).message);
    }
    setBusy(false);
  }
  return html`<form class="try-it" ref=${form} onSubmit=${submit} aria-label=${`Try ${route.method.toUpperCase()} ${route.path}`}>
    <h3>Try it</h3>
    <div class="try-fields">
      ${parameters.map(one => html`<${Input} key=${`${one.place} ${one.name}`} parameter=${one} />`)}
    </div>
    ${
      body !== null &&
      html`<label class="try-body">JSON body
      <textarea rows="6" spellcheck=${false} value=${body} onInput=${(/** @type {any} */ event) => setBody(event.target.value)} /></label>`
    }
    <div><${Button} kind=${route.method === "delete" ? "danger" : "primary"} type="submit" busy=${busy}>Send<//></div>
    ${problem && html`<p class="error-text" role="alert">${problem}</p>`}
    ${answer && html`<${AnswerView} answer=${answer} />`}
  </form>`;
}

/** @param {{ parameter: Parameter }} props */
function Input({ parameter: { name, place, schema, hint } }) {
  const field = `${place} ${name}`;
  const choices =
    schema.enum ??
    schema.anyOf?.find(one => one.enum)?.enum ??
    (schema.type === "boolean" ? ["true", "false"] : null);
  const input = isFile(schema)
    ? html`<input type="file" name=${field} />`
    : choices
      ? html`<select name=${field}><option value=""></option>${choices.map(one => html`<option key=${one} value=${one}>${one}</option>`)}</select>`
      : html`<input type=${name === "password" || name === "Document-Password" ? "password" : "text"} name=${field} autocomplete="off" required=${place === "path"} />`;
  return html`<label><span><code>${name}</code> <span class="muted small">${hint}</span></span>${input}</label>`;
}

/**
 * Sends a request with the values of the form.
 * @param {ApiRoute} route @param {Parameter[]} parameters @param {FormData} values @param {string | null} body
 * @returns {Promise<Answer>}
 */
async function sendRequest({ method, path, operation }, parameters, values, body) {
  const query = new URLSearchParams();
  /** @type {Record<string, string>} */
  const headers = { ...WEB_HEADERS, Accept: `${JSON_TYPE}, */*;q=0.9` };
  const form = new FormData();
  let address = path;
  for (const { name, place } of parameters) {
    const value = values.get(`${place} ${name}`) ?? "";
    if (value === "" || (value instanceof File && !value.name)) continue;
    if (place === "path") address = address.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (place === "query") query.append(name, String(value));
    else if (place === "header") headers[name] = String(value);
    else form.append(name, value);
  }
  const isForm = operation.requestBody && FORM in operation.requestBody.content;
  if (body !== null) headers["Content-Type"] = JSON_TYPE;
  const began = performance.now();
  const answer = await fetch(query.size ? `${address}?${query}` : address, {
    method: method.toUpperCase(),
    headers,
    body: isForm ? form : (body ?? undefined),
  });
  const blob = await answer.blob();
  const type = answer.headers.get("content-type") ?? "";
  const text = /json|^text\//.test(type) && blob.size <= MAX_SHOWN ? shown(type, await blob.text()) : null;
  return { status: answer.status, type, text, blob, seconds: (performance.now() - began) / 1000 };
}

/** A text to be shown; JSON is indented. @param {string} type @param {string} text */
function shown(type, text) {
  if (!type.includes("json")) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** @param {{ answer: Answer }} props */
function AnswerView({ answer: { status, type, text, blob } }) {
  function save() {
    const href = URL.createObjectURL(blob);
    Object.assign(document.createElement("a"), { href, download: "answer" }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  }
  return html`<div class="try-answer" role="status">
    <p><strong class=${status < 400 ? "figures" : "figures error-text"}>${status}</strong> <span class="muted small">${type || "no body"}${blob.size > 0 && `, ${size(blob.size)}`}</span></p>
    ${text !== null && text !== "" && html`<pre class="example" tabindex="0" aria-label="Answer">${text}</pre>`}
    ${text === null && blob.size > 0 && html`<${Button} icon="download" onClick=${save}>Save<//>`}
  </div>`;
}
