// Blocks as elements. Text of the document is only ever set as text, never parsed as HTML.
import { html } from "../ui/base.js";
import { numberColumns } from "./columns.js";
import { directionOf } from "./direction.js";

/** @typedef {import("./types.js").Block} Block */
/** @typedef {import("./types.js").Cell} Cell */
/** @typedef {import("./types.js").Span} Span */
/** @typedef {{ figure: (block: Block) => string | null }} Links */

const SAFE_LINK = /^(https?|mailto):/i;

/** Blocks in reading order; list items in a row become one list. @param {{ blocks: Block[], links: Links }} props */
export function Blocks({ blocks, links }) {
  return html`${runs(blocks).map(run =>
    run[0].kind === "list_item"
      ? html`<ul class="doc-list" key=${run[0].id}>${run.map(block => html`<${ListItem} key=${block.id} block=${block} />`)}</ul>`
      : run.map(block => html`<${OneBlock} key=${block.id} block=${block} links=${links} />`),
  )}`;
}

/** Blocks cut where lists begin and end. @param {Block[]} blocks @returns {Block[][]} */
function runs(blocks) {
  /** @type {Block[][]} */
  const cut = [];
  for (const block of blocks) {
    const last = cut[cut.length - 1];
    if (last && (last[0].kind === "list_item") === (block.kind === "list_item")) last.push(block);
    else cut.push([block]);
  }
  return cut;
}

/** @param {{ block: Block, links: Links }} props */
function OneBlock({ block, links }) {
  const common = {
    "data-block": block.id,
    "data-kind": block.kind,
    dir: directionOf(wordsOf(block)),
    tabindex: -1,
    class: `block block-${block.kind}`,
  };
  switch (block.kind) {
    case "heading":
      return html`<${heading(block)} ...${common}>${inline(block)}<//>`;
    case "table":
      return html`<div ...${common}><${Grid} block=${block} /></div>`;
    case "figure":
      return html`<figure ...${common}><${Figure} block=${block} src=${links.figure(block)} /></figure>`;
    case "code":
      return html`<pre ...${common}><code>${block.text}</code></pre>`;
    case "rule":
      return html`<div ...${common}><hr /></div>`;
    default:
      return html`<p ...${common}>${inline(block)}</p>`;
  }
}

/** The page has its own h1 and h2; the headings of the document start below them. @param {Block} block */
function heading(block) {
  return `h${Math.min(6, (block.level ?? 1) + 2)}`;
}

/** @param {{ block: Block }} props */
function ListItem({ block }) {
  const marker = block.marker ?? "•";
  const level = Math.min(block.level ?? 0, 5);
  return html`<li class=${`block block-list_item depth-${level}`} data-block=${block.id} data-kind=${block.kind} dir=${directionOf(block.text ?? "")} tabindex="-1">
    <span class="marker">${marker} </span><span>${inline(block)}</span>
  </li>`;
}

/** @param {{ block: Block, src: string | null }} props */
function Figure({ block, src }) {
  if (!src) return html`<div class="figure-place">Figure</div>`;
  // An image inside of an office file has no place on a page, but a shape of its own.
  const shape = block.box ? { aspectRatio: `${block.box[2]} / ${block.box[3]}` } : {};
  return html`<img src=${src} loading="lazy" alt=${block.text || "Figure"} style=${shape} />`;
}

/** The text of a block with its emphasis and links. @param {Block} block */
function inline(block) {
  const text = block.text ?? "";
  if (!block.spans?.length) return emphasised(text, block);
  // Spans count characters as the server does, by code points.
  const characters = Array.from(text);
  /** @type {unknown[]} */
  const parts = [];
  let end = 0;
  for (const span of block.spans) {
    if (span.start < end) continue;
    parts.push(
      characters.slice(end, span.start).join(""),
      styled(characters.slice(span.start, span.end).join(""), span),
    );
    end = span.end;
  }
  parts.push(characters.slice(end).join(""));
  return parts;
}

/** @param {unknown} text @param {{ bold?: boolean, italic?: boolean }} style */
function emphasised(text, style) {
  const slanted = style.italic ? html`<em>${text}</em>` : text;
  return style.bold ? html`<strong>${slanted}</strong>` : slanted;
}

/** @param {string} text @param {Span} span */
function styled(text, span) {
  const shown = emphasised(text, span);
  if (!span.href || !SAFE_LINK.test(span.href)) return shown;
  return html`<a href=${span.href} target="_blank" rel="noopener noreferrer nofollow">${shown}</a>`;
}

/** A table as a grid; cells that others cover are left out. @param {{ block: Block }} props */
export function Grid({ block }) {
  const covered = new Set();
  const header = block.header ?? [];
  const rows = block.rows ?? [];
  const heads = headRows(block);
  const row = (/** @type {Cell[]} */ cells, /** @type {number} */ at) =>
    html`<${Row} key=${at} cells=${cells} at=${at} covered=${covered} numbers=${numbers} tag=${at < heads ? "th" : "td"} />`;
  const numbers = numberColumns(rows.slice(Math.max(heads - 1, 0)));
  const every = header.length > 0 ? [header, ...rows] : rows;
  return html`<div class="grid-scroll" tabindex="0" role="group" aria-label="Table">
    <table class="grid" dir=${beginsLeft(every) ? "ltr" : directionOf(wordsOf(block))}>
      ${heads > 0 && html`<thead>${every.slice(0, heads).map(row)}</thead>`}
      <tbody>${every.slice(heads).map((cells, at) => row(cells, at + heads))}</tbody>
    </table>
  </div>`;
}

/** Whether cells are told from left to right, as on a page; those of an office file follow its text. @param {Cell[][]} rows */
function beginsLeft(rows) {
  const placed = rows.map(row => row.flatMap(cell => cell.box ?? [])).find(row => row.length > 4);
  return placed !== undefined && placed[0] < placed[placed.length - 4];
}

/** How many rows name the columns. @param {Block} block */
function headRows(block) {
  return (block.header ?? []).length > 0 ? (block.header_rows ?? 1) : 0;
}

/** @param {{ cells: Cell[], at: number, covered: Set<string>, numbers: Set<number>, tag: string }} props */
function Row({ cells, at, covered, numbers, tag }) {
  return html`<tr>
    ${cells.map((cell, column) => {
      if (covered.has(`${at}/${column}`)) return null;
      cover(covered, cell, at, column);
      const kind = numbers.has(column) && (cell.column_span ?? 1) === 1 ? "number" : undefined;
      return html`<${tag} key=${column} class=${kind} rowspan=${cell.row_span} colspan=${cell.column_span}>${cell.text}<//>`;
    })}
  </tr>`;
}

/** @param {Set<string>} covered @param {Cell} cell @param {number} at @param {number} column */
function cover(covered, cell, at, column) {
  for (let row = at; row < at + (cell.row_span ?? 1); row += 1) {
    for (let place = column; place < column + (cell.column_span ?? 1); place += 1)
      covered.add(`${row}/${place}`);
  }
}

/** The text of a block, as in its element. @param {Block} block */
export function wordsOf(block) {
  if (block.kind !== "table") return block.text ?? "";
  return [block.header ?? [], ...(block.rows ?? [])]
    .flatMap(cells => cells.map(cell => cell.text))
    .join("\n");
}
