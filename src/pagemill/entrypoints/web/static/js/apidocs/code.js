// The last request as code for curl, Python and JavaScript.

/** @typedef {import("../lastrequest.js").ApiRequest} ApiRequest */
/** @typedef {{ origin: string, keyed: boolean }} Context */
/** @typedef {(request: ApiRequest, context: Context) => string} Writer */

/** @type {ApiRequest} */
export const DEFAULTS = { method: "POST", path: "/v1/jobs", filename: "report.pdf", fields: {} };

/** @param {string} text */
function shellQuoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A text as Python and JavaScript write it; no name of a file may end a line of theirs. @param {unknown} value */
function quoted(value) {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** JSON as Python writes it. @param {unknown} value */
function pythonValue(value) {
  return quoted(value)
    .replace(/\bnull\b(?=([^"]*"[^"]*")*[^"]*$)/g, "None")
    .replace(/\btrue\b(?=([^"]*"[^"]*")*[^"]*$)/g, "True")
    .replace(/\bfalse\b(?=([^"]*"[^"]*")*[^"]*$)/g, "False");
}

/** The file that a GET gives, by its address; null for JSON that is looked at. @param {ApiRequest} request */
function downloadName(request) {
  const last = request.path.split("/").pop() ?? "";
  /** @type {Record<string, string>} */
  const names = {
    markdown: "document.md",
    text: "document.txt",
    html: "document.html",
    result: "document.json",
    markdown_det: "document.det.md",
    chunks: "chunks.jsonl",
    entities: "entities.json",
    facts: "facts.json",
    parts: "parts.json",
  };
  return names[last] ?? (/\.(xlsx|docx|jsonl|pdf|zip|csv|png)$/.test(last) ? last : null);
}

/** The part of a form that is a file, whose name may hold what curl would take for more than a name. @param {string} name */
function filePart(name) {
  return shellQuoted(`file=@${/[;,"\\]/.test(name) ? `"${name.replace(/["\\]/g, "\\$&")}"` : name}`);
}

/** @type {Writer} */
export function curl(request, { origin, keyed }) {
  const parts = ["curl"];
  if (request.method !== "GET" && !request.filename) parts.push(`-X ${request.method}`);
  if (keyed) parts.push('-H "X-API-Key: $PAGEMILL_API_KEY"');
  if (request.filename) parts.push(`-F ${filePart(request.filename)}`);
  for (const [name, value] of Object.entries(request.fields ?? {}))
    parts.push(`--form-string ${shellQuoted(`${name}=${value}`)}`);
  if (request.json !== undefined)
    parts.push('-H "Content-Type: application/json"', `-d ${shellQuoted(quoted(request.json))}`);
  const file = downloadName(request);
  if (file && request.method === "GET") parts.push(`-o ${file}`);
  return [...parts, origin + request.path].join(" \\\n  ");
}

/** @type {Writer} */
export function python(request, { origin, keyed }) {
  const head = keyed ? ["import os", ""] : [];
  const lines = [`${quoted(origin + request.path)},`];
  if (keyed) lines.push('headers={"X-API-Key": os.environ["PAGEMILL_API_KEY"]},');
  if (request.filename) lines.push(`files={"file": open(${quoted(request.filename)}, "rb")},`);
  if (Object.keys(request.fields ?? {}).length) lines.push(`data=${pythonValue(request.fields)},`);
  if (request.json !== undefined) lines.push(`json=${pythonValue(request.json)},`);
  const call = [
    `answer = httpx.${request.method.toLowerCase()}(`,
    ...lines.map(line => `    ${line}`),
    ")",
    "answer.raise_for_status()",
  ];
  const file = request.method === "GET" ? downloadName(request) : null;
  const end = file
    ? [`open(${quoted(file)}, "wb").write(answer.content)`]
    : request.method === "DELETE"
      ? []
      : ["print(answer.json())"];
  return [...head, "import httpx", "", ...call, ...end].join("\n");
}

/** @type {Writer} */
export function javascript(request, { origin, keyed }) {
  const form = request.filename
    ? [
        "const form = new FormData();",
        `form.append("file", file); // a File named ${quoted(request.filename)}`,
        ...Object.entries(request.fields ?? {}).map(
          ([name, value]) => `form.append(${quoted(name)}, ${quoted(value)});`,
        ),
        "",
      ]
    : [];
  const headers = [
    keyed && '"X-API-Key": key',
    request.json !== undefined && '"Content-Type": "application/json"',
  ].filter(Boolean);
  const options = [
    request.method !== "GET" && `method: ${quoted(request.method)}`,
    headers.length > 0 && `headers: { ${headers.join(", ")} }`,
    request.filename && "body: form",
    request.json !== undefined && `body: JSON.stringify(${quoted(request.json)})`,
  ].filter(Boolean);
  const shown = options.length ? `, {\n  ${options.join(",\n  ")},\n}` : "";
  const output =
    request.method === "DELETE"
      ? []
      : [
          `console.log(await answer.${/\/(markdown|text|html)$/.test(request.path) ? "text" : downloadName(request) && request.method === "GET" ? "blob" : "json"}());`,
        ];
  return [
    ...form,
    `const answer = await fetch(${quoted(origin + request.path)}${shown});`,
    "if (!answer.ok) throw new Error((await answer.json()).detail);",
    ...output,
  ].join("\n");
}
