// The filters of the search page: a row that opens to the fields of all of them.

import { countFilters } from "./filters.js";
import { html, useState } from "./ui/base.js";
import { Select, TextArea, TextField } from "./ui/controls.js";
import { Icon } from "./ui/icons.js";

/** @typedef {import("./filters.js").Filters} Filters */
/** @typedef {import("./types.js").UsedLabels} UsedLabels */

const TYPES = [
  ["", "Any"],
  ["application/pdf", "PDF"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "Word"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "Excel"],
  ["application/vnd.openxmlformats-officedocument.presentationml.presentation", "PowerPoint"],
  ["application/vnd.oasis.opendocument.text", "OpenDocument text"],
  ["image/png", "PNG image"],
  ["image/jpeg", "JPEG image"],
  ["image/tiff", "TIFF image"],
  ["text/html", "HTML"],
  ["text/markdown", "Markdown"],
  ["text/plain", "Plain text"],
  ["message/rfc822", "E-mail"],
];

/** @typedef {{ tags: string, metadata: string }} Typed */

/** The filters, closed unless there are some. @param {{ filters: Filters, labels: UsedLabels, onChange: (filters: Filters) => void }} props */
export function FilterFields({ filters, labels, onChange }) {
  const [open] = useState(countFilters(filters) > 0);
  const [typed, setTyped] = useState(
    /** @type {Typed} */ ({ tags: filters.tags.join(", "), metadata: filters.metadata.join("\n") }),
  );
  const set = (/** @type {keyof Filters} */ name) => (/** @type {string} */ value) =>
    onChange({ ...filters, [name]: value });
  /** @param {keyof Typed} name @param {RegExp} between */
  const setList = (name, between) => (/** @type {string} */ text) => {
    setTyped({ ...typed, [name]: text });
    onChange({
      ...filters,
      [name]: text
        .split(between)
        .map(one => one.trim())
        .filter(Boolean),
    });
  };
  const count = countFilters(filters);
  return html`<details class="filters" open=${open}>
    <summary><${Icon} name="right" size=${16} /><span class="filters-word">Filters</span>${count > 0 && html`<span class="muted figures">${count}</span>`}</summary>
    <div class="filters-grid">
      <${TextField} label="Collection" value=${filters.collection} onChange=${set("collection")} suggestions=${labels.collections} />
      <${TextField} label="Tags" value=${typed.tags} onChange=${setList("tags", /,/)} suggestions=${labels.tags} hint="Several with commas: documents that have all." />
      <${TextField} label="Class" value=${filters.class} onChange=${set("class")} hint="Such as invoice or letter." />
      <${Select} label="Type" value=${filters.type} onChange=${set("type")} choices=${typesWith(filters.type)} />
      <${TextField} label="Uploaded from" type="date" value=${filters.since} onChange=${set("since")} />
      <${TextField} label="Uploaded until" type="date" value=${filters.until} onChange=${set("until")} />
      <${TextArea} label="Metadata" value=${typed.metadata} onChange=${setList("metadata", /\n/)} hint="Each on a line, as name:value." />
    </div>
  </details>`;
}

/** The types to choose from, with the one that a link names. @param {string} type */
function typesWith(type) {
  return TYPES.some(([name]) => name === type) ? TYPES : [...TYPES, [type, type]];
}
