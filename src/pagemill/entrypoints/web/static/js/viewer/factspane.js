// The Facts tab: what the document is, and the values in it; each lights its box on the page.
import { call, getJson } from "../api.js";
import { isActive } from "../job.js";
import { useStore } from "../store.js";
import { notify } from "../ui/announce.js";
import { html, useEffect, useState } from "../ui/base.js";
import { Button, TextField } from "../ui/controls.js";
import { Empty, Failure, Loading } from "../ui/states.js";
import { NotYet } from "./sources.js";
import { spot } from "./spot.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./spot.js").Spot} Spot */
/** @typedef {{ name: string, text: string, note?: string, place: Spot | null }} Value */
/** @typedef {(place: Spot) => void} OnSpot */

const STILL_MAKING_MS = 1_000;
const SCHEMA =
  '{"type": "object", "properties": {"total": {"type": "number"}, "due_date": {"type": "string"}}}';

/** JSON that is made when it is first asked for; null until it is there. @param {Job} job @param {string} path */
function useMade(job, path) {
  const [seen, setSeen] = useState({
    found: /** @type {any} */ (null),
    error: /** @type {Error | null} */ (null),
  });
  useEffect(() => {
    if (!job.revision || isActive(job)) return undefined;
    let current = true;
    const look = async () => {
      const answer = await call("GET", `/v1/jobs/${job.id}/${path}`, {
        headers: { Accept: "application/json" },
      });
      if (!current) return;
      if (answer.status === 202) setTimeout(() => current && look().catch(fail), STILL_MAKING_MS);
      else setSeen({ found: await answer.json(), error: null });
    };
    /** @param {Error} error */
    const fail = error => current && setSeen({ found: null, error });
    look().catch(fail);
    return () => {
      current = false;
    };
  }, [job.id, job.revision, job.status]);
  return seen;
}

/** Where something that was found is printed. @param {any} one @returns {Spot | null} */
function placeOf(one) {
  return one.page ? { page: one.page, box: one.box ?? null, block: one.block ?? null } : null;
}

/** @param {any[]} entities @returns {Value[]} */
function entityValues(entities) {
  return entities.map(one => ({
    name: (one.label ? `${one.type}, ${one.label}` : one.type).replaceAll("_", " "),
    text: one.currency ? `${one.value} ${one.currency}` : String(one.value),
    note: one.valid === true ? "checked" : one.valid === false ? "not valid" : undefined,
    place: placeOf(one),
  }));
}

/** @param {any} facts @returns {{ title: string, values: Value[] }[]} */
function factSections(facts) {
  const pairs = (facts.key_values ?? []).map((/** @type {any} */ one) => ({
    name: one.label ?? one.name ?? "",
    text: String(one.value ?? one.text ?? ""),
    place: placeOf(one),
  }));
  const boxes = (facts.check_boxes ?? []).map((/** @type {any} */ one) => ({
    name: one.label || "check box",
    text: one.checked ? "checked" : "not checked",
    place: placeOf(one),
  }));
  const codes = (facts.barcodes ?? []).map((/** @type {any} */ one) => ({
    name: one.format ?? "barcode",
    text: one.text,
    place: placeOf(one),
  }));
  return [
    { title: "Fields", values: pairs },
    { title: "Check boxes", values: boxes },
    { title: "Barcodes", values: codes },
  ];
}

/** @param {{ job: Job, onSpot: OnSpot, refresh: () => void }} props */
export function FactsPane({ job, onSpot, refresh }) {
  const entities = useMade(job, "entities");
  const facts = useMade(job, "facts");
  if (!job.revision || isActive(job)) return html`<${NotYet} what="Facts" />`;
  const error = entities.error ?? facts.error;
  if (error) return html`<${Failure} error=${error} />`;
  if (!entities.found || !facts.found) return html`<${Loading} label="Looking for facts" />`;
  const sections = [
    { title: "Entities", values: entityValues(entities.found.entities) },
    ...factSections(facts.found),
  ].filter(one => one.values.length);
  return html`<div class="extracts facts" tabindex="0" role="region" aria-label="Facts">
    <${ClassCard} job=${job} refresh=${refresh} />
    ${sections.map(one => html`<${Values} key=${one.title} title=${one.title} values=${one.values} onSpot=${onSpot} />`)}
    ${!sections.length && html`<${Empty} icon="search" title="No facts">No dates, amounts, fields or codes were found.<//>`}
    <${Extraction} job=${job} onSpot=${onSpot} />
  </div>`;
}

/** The class of a document, and a field to label it. @param {{ job: Job, refresh: () => void }} props */
function ClassCard({ job, refresh }) {
  const [name, setName] = useState("");
  const known = job.classification;
  /** @param {Event} event */
  async function label(event) {
    event.preventDefault();
    const wanted = name.trim().toLowerCase();
    try {
      await call("POST", `/v1/classes/${encodeURIComponent(wanted)}/examples`, {
        json: { job_ids: [job.id] },
      });
      notify(`The document is an example of ${wanted}. Documents like it get that class from now on.`);
      setName("");
      refresh();
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
    }
  }
  return html`<section class="extract facts-class" aria-label="Class">
    <header><h2>Class</h2></header>
    <p>${known ? html`<strong>${known.name}</strong> <span class="muted small">${known.reasons.join("; ")}</span>` : html`<span class="muted">Not classified. Read it with “Find the class of the document”, or label it.</span>`}</p>
    <form class="facts-form" onSubmit=${label}>
      <${TextField} label="Label as example of a class" value=${name} onChange=${setName} hint="Such as purchase-order." />
      <${Button} type="submit" disabled=${!name.trim()}>Label<//>
    </form>
  </section>`;
}

/** @param {{ title: string, values: Value[], onSpot: OnSpot }} props */
function Values({ title, values, onSpot }) {
  return html`<section class="extract" aria-label=${title}>
    <header><h2>${title}</h2></header>
    <ul class="facts-list">${values.map((value, at) => html`<${ValueRow} key=${at} value=${value} onSpot=${onSpot} />`)}</ul>
  </section>`;
}

/** A value; it lights its box. @param {{ value: Value, onSpot: OnSpot }} props */
function ValueRow({ value, onSpot }) {
  const lit = useStore(spot);
  const { place } = value;
  const shown = html`<span class="muted small">${value.name}</span> <span class="facts-value" dir="auto">${value.text}</span>
    <span class="muted small">${[value.note, place && `page ${place.page}`].filter(Boolean).join(", ")}</span>`;
  if (!place) return html`<li class="facts-row">${shown}</li>`;
  const pressed = Boolean(lit && lit.page === place.page && lit.box === place.box);
  return html`<li><button type="button" class="facts-row" aria-pressed=${pressed} onClick=${() => onSpot(place)}>${shown}</button></li>`;
}

/** A schema as it was written. Throws an error that names the field if it is no JSON. @param {string} text */
function parsedSchema(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The JSON Schema is not JSON: ${/** @type {Error} */ (error).message}`);
  }
}

/** Values by a JSON Schema: those that came with the result, or asked for here. @param {{ job: Job, onSpot: OnSpot }} props */
function Extraction({ job, onSpot }) {
  const [found, setFound] = useState(/** @type {any} */ (null));
  const [schema, setSchema] = useState(SCHEMA);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (job.options.extract)
      getJson(`/v1/jobs/${job.id}/enrichments/extraction`).then(setFound, () => setFound(null));
  }, [job.id, job.revision]);
  /** @param {Event} event */
  async function extract(event) {
    event.preventDefault();
    setBusy(true);
    try {
      const json = { schema: parsedSchema(schema) };
      const answer = await call("POST", `/v1/jobs/${job.id}/extract`, { json });
      if (answer.status === 202) notify("This takes longer. Try again in a moment.");
      else setFound(await answer.json());
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
    }
    setBusy(false);
  }
  /** @type {Value[]} */
  const values = (found?.values ?? []).map((/** @type {any} */ one) => ({
    name: one.pointer.slice(1),
    text: String(one.value),
    note: one.grounded ? undefined : "not in the document",
    place: placeOf(one),
  }));
  return html`<section class="extract" aria-label="Extraction">
    <header><h2>Extraction</h2>${found && html`<span class="muted small">by ${found.engine}</span>`}</header>
    ${values.length > 0 && html`<ul class="facts-list">${values.map(value => html`<${ValueRow} key=${value.name} value=${value} onSpot=${onSpot} />`)}</ul>`}
    ${found && !values.length && html`<p class="muted">Nothing of this was found.</p>`}
    <form class="facts-form" onSubmit=${extract}>
      <label class="field"><span>JSON Schema of the values</span>
        <textarea rows="4" spellcheck="false" value=${schema} onInput=${(/** @type {any} */ event) => setSchema(event.target.value)}></textarea></label>
      <${Button} type="submit" busy=${busy}>Extract<//>
    </form>
  </section>`;
}
