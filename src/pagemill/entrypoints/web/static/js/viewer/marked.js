// The Markdown of a document, cut into pages and blocks by the comments of the artifact `markdown_det`.
import { call, Problem } from "../api.js";
import { useEffect, useState } from "../ui/base.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {{ id: string, kind: string, level: number, text: string }} MarkdownBlock `level` of a heading, otherwise 0 */
/** @typedef {{ number: number, blocks: MarkdownBlock[] }} MarkdownPage */

const PIECE_BYTES = 1_000_000;
const RETRY_MS = 700;
// Loaded beyond the current page.
const AHEAD_PAGES = 5;
const PAGE = /^<!-- page (\d+) \[[^\]]*\] -->$/;
const BLOCK = /^<!-- block (\S+) (\w+) [^>]*-->$/;
const LIST_ITEM = /^(.*) <!-- block (\S+) list_item [^>]*-->$/;

/** The pages in a text that begins with the comment of a page. @param {string} text @returns {MarkdownPage[]} */
export function parsePages(text) {
  /** @type {MarkdownPage[]} */
  const pages = [];
  /** @type {{ id: string, kind: string, lines: string[] }[]} */
  let open = [];
  const close = () => pages.at(-1)?.blocks.push(...open.flatMap(finishBlock));
  for (const line of text.split("\n")) {
    const page = PAGE.exec(line);
    const block = BLOCK.exec(line);
    const item = LIST_ITEM.exec(line);
    if (page) {
      close();
      open = [];
      pages.push({ number: Number(page[1]), blocks: [] });
    } else if (block) open.push({ id: block[1], kind: block[2], lines: [] });
    else if (item) open.push({ id: item[2], kind: "list_item", lines: [item[1]] });
    else if (open.at(-1)?.kind === "list_item" && line) open.push({ id: "", kind: "", lines: [line] });
    else if (open.length) open.at(-1)?.lines.push(line);
    else if (line) open.push({ id: "", kind: "", lines: [line] });
  }
  close();
  return pages;
}

/** @param {{ id: string, kind: string, lines: string[] }} block @returns {MarkdownBlock[]} */
function finishBlock({ id, kind, lines }) {
  const text = lines.join("\n").replace(/\n+$/, "");
  const level = kind === "heading" ? (/^#+/.exec(text)?.[0].length ?? 1) : 0;
  return text ? [{ id, kind, level, text }] : [];
}

/** Loads the Markdown piece by piece, as far as it is needed. */
class MarkdownLoader {
  /** @param {string} link @param {(pages: Map<number, MarkdownPage>, error: Error | null) => void} onChange */
  constructor(link, onChange) {
    this.link = link;
    this.onChange = onChange;
    /** @type {Map<number, MarkdownPage>} */
    this.pages = new Map();
    this.decoder = new TextDecoder();
    this.rest = "";
    this.loaded_bytes = 0;
    this.last = 0;
    this.wanted = 0;
    this.busy = false;
    this.done = false;
    this.stopped = false;
  }

  /** Load on until a page is there. @param {number} number */
  async loadTo(number) {
    this.wanted = Math.max(this.wanted, number);
    if (this.busy) return;
    this.busy = true;
    try {
      while (!this.done && !this.stopped && this.last < this.wanted) await this.loadPiece();
    } catch (error) {
      if (!this.stopped) this.onChange(this.pages, /** @type {Error} */ (error));
    }
    this.busy = false;
  }

  async loadPiece() {
    const answer = await this.fetchPiece();
    if (answer === null) {
      this.done = true;
      this.onChange(new Map(this.pages), null);
      return;
    }
    if (answer.status === 202) {
      await new Promise(resolve => setTimeout(resolve, RETRY_MS));
      return;
    }
    const bytes = new Uint8Array(await answer.arrayBuffer());
    this.loaded_bytes += bytes.length;
    const total = Number(
      /\/(\d+)$/.exec(answer.headers.get("content-range") ?? "")?.[1] ?? this.loaded_bytes,
    );
    this.done = this.loaded_bytes >= total || !bytes.length;
    this.addText(this.decoder.decode(bytes, { stream: !this.done }));
  }

  /** The next piece; null if there is none. */
  async fetchPiece() {
    const range = `bytes=${this.loaded_bytes}-${this.loaded_bytes + PIECE_BYTES - 1}`;
    try {
      return await call("GET", this.link, { headers: { Range: range } });
    } catch (error) {
      if (error instanceof Problem && error.status === 416) return null;
      throw error;
    }
  }

  /** @param {string} text */
  addText(text) {
    const all = this.rest + text;
    // The last page may go on in the next piece.
    const end = this.done ? all.length : all.lastIndexOf("\n<!-- page ") + 1;
    this.rest = all.slice(end);
    for (const page of parsePages(all.slice(0, end))) {
      this.pages.set(page.number, page);
      this.last = page.number;
    }
    if (!this.stopped) this.onChange(new Map(this.pages), null);
  }
}

/**
 * The Markdown of a finished job up to some pages beyond the given one.
 * @param {Job} job @param {number} number
 * @returns {{ pages: Map<number, MarkdownPage>, done: boolean, error: Error | null }}
 */
export function useMarkdown(job, number) {
  const [loader, setLoader] = useState(/** @type {MarkdownLoader | null} */ (null));
  const [seen, setSeen] = useState({
    pages: /** @type {Map<number, MarkdownPage>} */ (new Map()),
    error: /** @type {Error | null} */ (null),
  });
  useEffect(() => {
    if (!job.revision) return undefined;
    // The revision is in the address so that no cache answers with the Markdown of another.
    const link = `/v1/jobs/${job.id}/markdown_det?revision=${job.revision}`;
    const made = new MarkdownLoader(link, (pages, error) => setSeen({ pages, error }));
    setLoader(made);
    return () => {
      made.stopped = true;
    };
  }, [job.id, job.revision]);
  useEffect(() => {
    loader?.loadTo(number + AHEAD_PAGES);
  }, [loader, number]);
  return { ...seen, done: loader?.done ?? false };
}
