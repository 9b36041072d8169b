// The reference, rendered from the OpenAPI document of the service.
import { html, useState } from "../ui/base.js";
import { CopyButton } from "../ui/controls.js";
import { count } from "../ui/format.js";
import { TryIt } from "./tryit.js";

/** @typedef {import("./types.js").OpenApi} OpenApi */
/** @typedef {import("./types.js").Operation} Operation */
/** @typedef {import("./types.js").Schema} Schema */
/** @typedef {import("./types.js").Media} Media */
/** @typedef {{ method: string, path: string, operation: Operation }} Route */

const DEEPEST = 6;

/** Every route of the service. @param {OpenApi} openapi @returns {Route[]} */
export function routesOf(openapi) {
  return Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}

/** @param {{ openapi: OpenApi }} props */
export function Reference({ openapi }) {
  const [query, setQuery] = useState("");
  const wanted = query.trim().toLowerCase();
  const routes = routesOf(openapi).filter(({ method, path, operation }) =>
    `${method} ${path} ${operation.summary}`.toLowerCase().includes(wanted),
  );
  return html`<section aria-labelledby="reference">
    <div class="page-head">
      <h2 id="reference">Reference</h2>
      <input class="api-search" type="search" aria-label="Find a route" placeholder="Find a route" value=${query}
        onInput=${(/** @type {any} */ event) => setQuery(event.target.value)} />
    </div>
    <p class="muted small" role="status">${count(routes.length, "route")}. The same for programs: <a href="/openapi.json">/openapi.json</a>.</p>
    <div class="operations-list">
      ${routes.map(route => html`<${RouteCard} key=${`${route.method} ${route.path}`} route=${route} openapi=${openapi} />`)}
    </div>
  </section>`;
}

/** A route, opened on demand. @param {{ route: Route, openapi: OpenApi }} props */
function RouteCard({ route, openapi }) {
  const [open, setOpen] = useState(false);
  const { method, path, operation } = route;
  return html`<details class="operation card" onToggle=${(/** @type {any} */ event) => setOpen(event.target.open)}>
    <summary>
      <span class=${`method method-${method}`}>${method.toUpperCase()}</span>
      <code>${path}</code>
      <span class="operation-summary">${operation.summary}</span>
    </summary>
    ${open && html`<${RouteBody} operation=${operation} openapi=${openapi} /><${TryIt} route=${route} openapi=${openapi} />`}
  </details>`;
}

/** @param {{ operation: Operation, openapi: OpenApi }} props */
function RouteBody({ operation, openapi }) {
  const content = operation.requestBody?.content ?? {};
  return html`<div class="operation-body">
    <div>${(operation.description ?? "").split("\n\n").map((text, at) => html`<p key=${at}>${withCode(text)}</p>`)}</div>
    ${
      operation.parameters?.length &&
      html`<div>
      <h3>Parameters</h3>
      <table class="members"><tbody>
        ${operation.parameters.map(
          one =>
            html`<tr key=${one.in + one.name}><th scope="row"><code>${one.name}</code></th><td class="muted">${one.in}</td><td class="muted">${typeOf(one.schema)}</td><td>${withCode(one.description ?? "")}</td></tr>`,
        )}
      </tbody></table>
    </div>`
    }
    ${
      Object.keys(content).length > 0 &&
      html`<div>
      <h3>Body</h3>
      <p class="muted small">${Object.keys(content).join(", ")}</p>
      <${Members} schema=${firstObject(openapi, content)} openapi=${openapi} />
    </div>`
    }
    <div>
      <h3>Answers</h3>
      <${Answers} operation=${operation} openapi=${openapi} />
    </div>
  </div>`;
}

/** The schema of the first body that has members. @param {OpenApi} openapi @param {Record<string, Media>} content */
function firstObject(openapi, content) {
  return (
    Object.values(content)
      .map(media => resolved(openapi, media.schema))
      .find(schema => schema?.properties) ?? null
  );
}

/** @param {{ schema: Schema | null, openapi: OpenApi }} props */
function Members({ schema, openapi }) {
  if (!schema?.properties) return null;
  return html`<table class="members"><tbody>
    ${Object.entries(schema.properties).map(([name, member]) => {
      const shown = resolved(openapi, member) ?? member;
      return html`<tr key=${name}><th scope="row"><code>${name}</code></th><td class="muted">${typeOf(shown)}</td><td>${withCode(member.description ?? shown.description ?? "")}</td></tr>`;
    })}
  </tbody></table>`;
}

/** @param {{ operation: Operation, openapi: OpenApi }} props */
function Answers({ operation, openapi }) {
  const answers = Object.entries(operation.responses).filter(([status]) => status !== "default");
  const good = answers.find(
    ([status, answer]) => status.startsWith("2") && exampleOf(openapi, answer.content) !== undefined,
  );
  const example = good && exampleOf(openapi, good[1].content);
  const text = typeof example === "string" ? example : JSON.stringify(example, null, 2);
  return html`<table class="members"><tbody>
      ${answers.map(
        ([status, answer]) => html`<tr key=${status}><th scope="row" class="figures">${status}</th>
          <td>${answer.description
            .trim()
            .split("\n\n")
            .map((line, at) => html`<p key=${at}>${withCode(line)}</p>`)}</td></tr>`,
      )}
    </tbody></table>
    ${
      good &&
      html`<div class="code-bar"><span class="muted small">Example of ${good[0]}</span><${CopyButton} text=${text} /></div>
      <pre class="example" tabindex="0" aria-label="Example">${text}</pre>`
    }`;
}

/** An example of an answer, given with it or with the shapes that it is made of. @param {OpenApi} openapi @param {Record<string, Media> | undefined} content @returns {unknown} */
export function exampleOf(openapi, content) {
  const media = Object.values(content ?? {})[0];
  if (!media) return undefined;
  return (
    media.example ?? Object.values(media.examples ?? {})[0]?.value ?? exampleIn(openapi, media.schema, 0)
  );
}

/** @param {OpenApi} openapi @param {Schema | undefined} schema @param {number} depth @returns {unknown} */
export function exampleIn(openapi, schema, depth) {
  const shape = resolved(openapi, schema);
  if (!shape || depth > DEEPEST) return undefined;
  if (shape.examples?.length) return shape.examples[0];
  if (shape.properties) {
    const members = Object.entries(shape.properties).map(([name, member]) => [
      name,
      exampleIn(openapi, member, depth + 1) ?? null,
    ]);
    return Object.fromEntries(members);
  }
  if (shape.type === "array")
    return [exampleIn(openapi, shape.items, depth + 1)].filter(one => one !== undefined);
  return (
    shape.const ??
    shape.enum?.[0] ??
    { string: "…", integer: 1, number: 1, boolean: true }[String(shape.type)]
  );
}

/** A schema in place of a reference to it. @param {OpenApi} openapi @param {Schema | undefined} schema @returns {Schema | undefined} */
export function resolved(openapi, schema) {
  const name = schema?.$ref?.replace("#/components/schemas/", "");
  return name ? openapi.components.schemas[name] : schema;
}

/** A type in a word. @param {Schema | undefined} schema @returns {string} */
function typeOf(schema) {
  if (!schema) return "";
  if (schema.enum) return schema.enum.join(" | ");
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ");
  return schema.$ref?.split("/").pop() ?? String(schema.type ?? "");
}

/** Words between backticks as code. @param {string} text */
function withCode(text) {
  return text.split("`").map((part, at) => (at % 2 ? html`<code key=${at}>${part}</code>` : part));
}
