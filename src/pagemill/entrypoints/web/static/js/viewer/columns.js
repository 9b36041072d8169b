// Which columns of a table hold numbers, which are aligned at the end of their cells.

/** @typedef {import("./types.js").Cell} Cell */

// Not what begins like 0094: that is a code, whatever its digits.
const NUMBER = /^[(+\-−–]?\s?[$€£¥]?\s?[+\-−–]?(?!0\d)\d[\d.,'’\s]*[%‰$€£¥]?\)?$/;
const NOTHING = /^[\s\-–—]*$/;

/** The places of the columns that hold more numbers than words, which may be heads. @param {Cell[][]} rows @returns {Set<number>} */
export function numberColumns(rows) {
  /** @type {Map<number, number>} */
  const more = new Map();
  for (const cells of rows) {
    cells.forEach(({ text, column_span }, column) => {
      if ((column_span ?? 1) > 1 || NOTHING.test(text)) return;
      more.set(column, (more.get(column) ?? 0) + (NUMBER.test(text.trim()) ? 1 : -1));
    });
  }
  return new Set([...more.keys()].filter(column => (more.get(column) ?? 0) > 0));
}
