// Correcting a page in place: text, kind and order of its blocks, cells of tables, and the values of facts.
import { call } from "../api.js";
import { saveRequest } from "../lastrequest.js";
import { announce, notify } from "../ui/announce.js";
import { html, useEffect, useRef, useState } from "../ui/base.js";
import { Button, Checkbox, IconButton, Select, TextField } from "../ui/controls.js";
import { directionOf } from "./direction.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./types.js").PageJson} PageJson */
/** @typedef {import("./types.js").Block} Block */
/** @typedef {import("./types.js").Cell} Cell */
/** @typedef {{ type: string, text: string, value: string, page: number, block: string | null }} Fact */
/** @typedef {{ block: Block, text: string, kind: string, level: string, cells: string[][], remove: boolean }} Draft */

const RETRY_MS = 500;
const KINDS = [
  ["heading", "Heading"],
  ["paragraph", "Paragraph"],
  ["list_item", "List item"],
  ["code", "Code"],
  ["caption", "Caption"],
  ["footnote", "Footnote"],
  ["formula", "Formula"],
  ["header", "Running header"],
  ["footer", "Running footer"],
];
/** What has no text of its own to correct, but can be moved or removed. */
const FIXED = new Set(["table", "figure", "rule"]);

/** The rows of a table, the header first. @param {Block} block @returns {Cell[][]} */
const rowsOf = block => [...(block.header?.length ? [block.header] : []), ...(block.rows ?? [])];

/** @param {Block} block @returns {Draft} */
const draftOf = block => ({
  block,
  text: block.text ?? "",
  kind: block.kind,
  level: String(block.level ?? ""),
  cells: rowsOf(block).map(row => row.map(cell => cell.text)),
  remove: false,
});

/** What changed of a block, as the API takes it; null if nothing did. @param {Draft} draft */
function changeOf({ block, text, kind, level, cells, remove }) {
  if (remove) return { block: block.id, remove };
  /** @type {Record<string, unknown>} */
  const change = {};
  if (text !== (block.text ?? "")) change.text = text;
  if (kind !== block.kind) change.kind = kind;
  if (kind === "heading" && level && (kind !== block.kind || level !== String(block.level ?? "")))
    change.level = Number(level);
  const changed = cells.flatMap((row, at) =>
    row.flatMap((words, column) =>
      words === rowsOf(block)[at][column].text ? [] : [{ row: at, column, text: words }],
    ),
  );
  if (changed.length) change.cells = changed;
  return Object.keys(change).length ? { block: block.id, ...change } : null;
}

/** The moves that bring blocks into the order of the drafts. @param {Block[]} before @param {Draft[]} drafts */
function movesOf(before, drafts) {
  const order = before.map(block => block.id);
  const moves = [];
  for (const [at, { block }] of drafts.entries()) {
    if (order[at] === block.id) continue;
    order.splice(order.indexOf(block.id), 1);
    order.splice(at, 0, block.id);
    moves.push({ block: block.id, after: at ? order[at - 1] : null });
  }
  return moves;
}

/** The facts of a page, made now if they were not before. @param {Job} job @param {number} number */
function useFacts(job, number) {
  const [facts, setFacts] = useState(/** @type {Fact[]} */ ([]));
  useEffect(() => {
    let current = true;
    async function load() {
      const path = `/v1/jobs/${job.id}/entities`;
      let answer = await call("GET", path);
      while (current && answer.status === 202) {
        await new Promise(resolve => setTimeout(resolve, RETRY_MS));
        answer = await call("GET", path);
      }
      const { entities } = await answer.json();
      if (current) setFacts(entities.filter((/** @type {Fact} */ one) => one.page === number));
    }
    load().catch(error => notify(error.message, "bad"));
    return () => {
      current = false;
    };
  }, [job.id, job.revision, number]);
  return facts;
}

/** @param {{ job: Job, page: PageJson, refresh: () => void, onClose: () => void }} props */
export function CorrectPage({ job, page, refresh, onClose }) {
  const [drafts, setDrafts] = useState(() => page.blocks.map(draftOf));
  const [values, setValues] = useState(/** @type {Record<number, string>} */ ({}));
  const [busy, setBusy] = useState(false);
  const facts = useFacts(job, page.number);
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  useEffect(() => form.current?.querySelector("textarea")?.focus(), []);
  /** @param {number} at @param {Partial<Draft>} change */
  const edit = (at, change) =>
    setDrafts(drafts.map((draft, place) => (place === at ? { ...draft, ...change } : draft)));
  /** @param {number} at @param {number} by */
  function move(at, by) {
    const next = [...drafts];
    const [moved] = next.splice(at, 1);
    next.splice(at + by, 0, moved);
    setDrafts(next);
    announce(`Moved to place ${at + by + 1} of ${next.length}`);
  }
  async function save() {
    const changes = drafts.map(changeOf).filter(Boolean);
    const corrected = facts.flatMap(({ type, text, value, block }, at) =>
      (values[at] ?? value) === value ? [] : [{ page: page.number, type, text, block, value: values[at] }],
    );
    const json = {
      revision: job.revision,
      blocks: [...movesOf(page.blocks, drafts), ...changes],
      facts: corrected,
    };
    if (!json.blocks.length && !corrected.length) return onClose();
    setBusy(true);
    const path = `/v1/jobs/${job.id}/corrections`;
    try {
      await call("POST", path, { json });
      saveRequest({ method: "POST", path, json });
      notify("Saved as a new revision. The tab Changes has the way back.");
      onClose();
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
    }
    setBusy(false);
    return refresh();
  }
  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    if (event.key === "Escape") onClose();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
  }
  return html`<form class="correct" ref=${form} aria-label=${`Correct page ${page.number}`} onKeyDown=${onKeyDown}
    onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      save();
    }}>
    <ol class="correct-blocks">${drafts.map(
      (draft, at) =>
        html`<${EditedBlock} key=${draft.block.id} draft=${draft} at=${at} count=${drafts.length}
          onEdit=${(/** @type {Partial<Draft>} */ change) => edit(at, change)} onMove=${(/** @type {number} */ by) => move(at, by)} />`,
    )}</ol>
    ${
      facts.length > 0 &&
      html`<fieldset class="correct-facts"><legend>Facts</legend>
      ${facts.map(
        (fact, at) =>
          html`<${TextField} key=${at} label=${`${fact.type.replaceAll("_", " ")}: ${fact.text}`} value=${values[at] ?? fact.value ?? ""}
            onChange=${(/** @type {string} */ value) => setValues({ ...values, [at]: value })} />`,
      )}
    </fieldset>`
    }
    <div class="correct-actions">
      <${Button} type="submit" kind="primary" busy=${busy}>Save corrections<//>
      <${Button} onClick=${onClose}>Discard<//>
      <span class="muted small">Ctrl+Enter saves, Escape discards.</span>
    </div>
  </form>`;
}

/** @param {{ draft: Draft, at: number, count: number, onEdit: (change: Partial<Draft>) => void, onMove: (by: number) => void }} props */
function EditedBlock({ draft, at, count, onEdit, onMove }) {
  const { block, kind } = draft;
  const name = `Block ${at + 1}`;
  return html`<li class="correct-block" data-block=${block.id} data-kind=${block.kind}>
    <div class="correct-bar">
      ${
        FIXED.has(block.kind)
          ? html`<span class="chip">${block.kind}</span>`
          : html`<${Select} label="Kind" value=${kind} choices=${KINDS} onChange=${(/** @type {string} */ value) => onEdit({ kind: value })} />`
      }
      ${kind === "heading" && html`<${Select} label="Level" value=${draft.level || "2"} choices=${["1", "2", "3", "4", "5", "6"].map(level => [level, level])} onChange=${(/** @type {string} */ level) => onEdit({ level })} />`}
      <${IconButton} icon="up" label=${`Move ${name} up`} disabled=${at === 0} onClick=${() => onMove(-1)} />
      <${IconButton} icon="down" label=${`Move ${name} down`} disabled=${at === count - 1} onClick=${() => onMove(1)} />
      <${Checkbox} checked=${draft.remove} onChange=${(/** @type {boolean} */ remove) => onEdit({ remove })}>Remove<//>
    </div>
    ${block.kind === "table" ? html`<${EditedTable} draft=${draft} onEdit=${onEdit} />` : !FIXED.has(block.kind) && html`<textarea aria-label=${`Text of ${name}`} dir=${directionOf(draft.text)} rows=${Math.min(12, Math.ceil(draft.text.length / 60) + 1)} disabled=${draft.remove} value=${draft.text} onInput=${(/** @type {any} */ event) => onEdit({ text: event.target.value })}></textarea>`}
  </li>`;
}

/** @param {{ draft: Draft, onEdit: (change: Partial<Draft>) => void }} props */
function EditedTable({ draft, onEdit }) {
  /** @param {number} row @param {number} column @param {string} words */
  const write = (row, column, words) =>
    onEdit({
      cells: draft.cells.map((cells, at) =>
        at === row ? cells.map((cell, place) => (place === column ? words : cell)) : cells,
      ),
    });
  return html`<div class="grid-scroll"><table class="grid"><tbody>${draft.cells.map(
    (cells, row) =>
      html`<tr key=${row}>${cells.map(
        (words, column) =>
          html`<td key=${column}><input type="text" aria-label=${`Row ${row + 1}, column ${column + 1}`} value=${words} disabled=${draft.remove} onInput=${(/** @type {any} */ event) => write(row, column, event.target.value)} /></td>`,
      )}</tr>`,
  )}</tbody></table></div>`;
}
