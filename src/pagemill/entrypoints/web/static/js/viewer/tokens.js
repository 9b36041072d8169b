// Syntax highlighting of Markdown: a line as pieces of text, each with the class of what it is.

/** @typedef {{ kind: string, text: string }} Token */

const INLINE =
  /(?<code>`+[^`]+`+)|(?<link>!?\[[^\]]*\]\([^)]*\))|(?<strong>\*\*[^*]+\*\*|__[^_]+__)|(?<em>(?<![\w*])\*[^*\s][^*]*\*|(?<!\w)_[^_\s][^_]*_(?!\w))|(?<comment><!--.*?-->)|(?<tag><\/?[a-z][^>]*>)/giu;
const LINE_START = /^(?<indent>\s*)(?<marker>#{1,6}(?=\s)|[-*+](?=\s)|\d{1,9}[.)](?=\s)|>|```.*|---$)/u;

/** The tokens of one line; `fenced` is true inside a code block. @param {string} line @param {boolean} fenced @returns {Token[]} */
export function tokensOf(line, fenced) {
  if (fenced) return [{ kind: line.startsWith("```") ? "marker" : "code", text: line }];
  const start = LINE_START.exec(line);
  if (!start?.groups) return line.startsWith("|") ? tableTokens(line) : inlineTokens(line);
  const head = start[0];
  if (head.trim().startsWith("#"))
    return [
      { kind: "marker", text: head },
      { kind: "heading", text: line.slice(head.length) },
    ];
  return [{ kind: "marker", text: head }, ...inlineTokens(line.slice(head.length))];
}

/** @param {string} line @returns {Token[]} */
function tableTokens(line) {
  if (/^[|\s:-]+$/.test(line)) return [{ kind: "marker", text: line }];
  return line.split(/(?<!\\)(\|)/).flatMap(part => {
    if (!part) return [];
    return part === "|" ? [{ kind: "marker", text: part }] : inlineTokens(part);
  });
}

/** @param {string} text @returns {Token[]} */
function inlineTokens(text) {
  /** @type {Token[]} */
  const tokens = [];
  let end = 0;
  for (const found of text.matchAll(INLINE)) {
    if (found.index > end) tokens.push({ kind: "", text: text.slice(end, found.index) });
    const kind = Object.entries(found.groups ?? {}).find(([, value]) => value !== undefined)?.[0] ?? "";
    tokens.push({ kind, text: found[0] });
    end = found.index + found[0].length;
  }
  if (end < text.length) tokens.push({ kind: "", text: text.slice(end) });
  return tokens;
}
