// A deed of the reader as code: the same request for curl, Python and JavaScript.

/** @typedef {import("../recent.js").Deed} Deed */
/** @typedef {{ origin: string, keyed: boolean }} Place */
/** @typedef {(deed: Deed, place: Place) => string} Writer */

/** @type {Deed} */
export const USUAL = { method: "POST", path: "/v1/jobs", filename: "report.pdf", fields: {} };

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

/** The file that a GET gives, by its address; null for JSON that is looked at. @param {Deed} deed */
function savedAs(deed) {
  const last = deed.path.split("/").pop() ?? "";
  /** @type {Record<string, string>} */
  const names = {
    markdown: "document.md",
    text: "document.txt",
    html: "document.html",
    result: "document.json",
    markdown_det: "document.det.md",
  };
  return names[last] ?? (/\.(xlsx|pdf|zip|csv|png)$/.test(last) ? last : null);
}

/** The part of a form that is a file, whose name may hold what curl would take for more than a name. @param {string} name */
function filePart(name) {
  return shellQuoted(`file=@${/[;,"\\]/.test(name) ? `"${name.replace(/["\\]/g, "\\$&")}"` : name}`);
}

/** @type {Writer} */
export function curl(deed, { origin, keyed }) {
  const parts = ["curl"];
  if (deed.method !== "GET" && !deed.filename) parts.push(`-X ${deed.method}`);
  if (keyed) parts.push('-H "X-API-Key: $PAGEMILL_API_KEY"');
  if (deed.filename) parts.push(`-F ${filePart(deed.filename)}`);
  for (const [name, value] of Object.entries(deed.fields ?? {}))
    parts.push(`--form-string ${shellQuoted(`${name}=${value}`)}`);
  if (deed.json !== undefined)
    parts.push('-H "Content-Type: application/json"', `-d ${shellQuoted(quoted(deed.json))}`);
  const file = savedAs(deed);
  if (file && deed.method === "GET") parts.push(`-o ${file}`);
  return [...parts, origin + deed.path].join(" \\\n  ");
}

/** @type {Writer} */
export function python(deed, { origin, keyed }) {
  const head = keyed ? ["import os", ""] : [];
  const lines = [`${quoted(origin + deed.path)},`];
  if (keyed) lines.push('headers={"X-API-Key": os.environ["PAGEMILL_API_KEY"]},');
  if (deed.filename) lines.push(`files={"file": open(${quoted(deed.filename)}, "rb")},`);
  if (Object.keys(deed.fields ?? {}).length) lines.push(`data=${pythonValue(deed.fields)},`);
  if (deed.json !== undefined) lines.push(`json=${pythonValue(deed.json)},`);
  const call = [
    `answer = httpx.${deed.method.toLowerCase()}(`,
    ...lines.map(line => `    ${line}`),
    ")",
    "answer.raise_for_status()",
  ];
  const file = deed.method === "GET" ? savedAs(deed) : null;
  const end = file
    ? [`open(${quoted(file)}, "wb").write(answer.content)`]
    : deed.method === "DELETE"
      ? []
      : ["print(answer.json())"];
  return [...head, "import httpx", "", ...call, ...end].join("\n");
}

/** @type {Writer} */
export function javascript(deed, { origin, keyed }) {
  const form = deed.filename
    ? [
        "const form = new FormData();",
        `form.append("file", file); // a File named ${quoted(deed.filename)}`,
        ...Object.entries(deed.fields ?? {}).map(
          ([name, value]) => `form.append(${quoted(name)}, ${quoted(value)});`,
        ),
        "",
      ]
    : [];
  const headers = [
    keyed && '"X-API-Key": key',
    deed.json !== undefined && '"Content-Type": "application/json"',
  ].filter(Boolean);
  const options = [
    deed.method !== "GET" && `method: ${quoted(deed.method)}`,
    headers.length > 0 && `headers: { ${headers.join(", ")} }`,
    deed.filename && "body: form",
    deed.json !== undefined && `body: JSON.stringify(${quoted(deed.json)})`,
  ].filter(Boolean);
  const shown = options.length ? `, {\n  ${options.join(",\n  ")},\n}` : "";
  const reading =
    deed.method === "DELETE"
      ? []
      : [
          `console.log(await answer.${/\/(markdown|text|html)$/.test(deed.path) ? "text" : savedAs(deed) && deed.method === "GET" ? "blob" : "json"}());`,
        ];
  return [
    ...form,
    `const answer = await fetch(${quoted(origin + deed.path)}${shown});`,
    "if (!answer.ok) throw new Error((await answer.json()).detail);",
    ...reading,
  ].join("\n");
}
