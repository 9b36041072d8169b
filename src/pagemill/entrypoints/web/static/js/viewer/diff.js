// The difference between two texts, word by word.

/** @typedef {{ kind: "same" | "removed" | "added", text: string }} Change */

// The table of a comparison has one cell for each pair of words.
const MAX_CELLS = 4_000_000;

/** The changes that turn one text into another. @param {string} before @param {string} after @returns {Change[]} */
export function diffWords(before, after) {
  const [one, other] = [splitWords(before), splitWords(after)];
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (
    end < one.length - start &&
    end < other.length - start &&
    one[one.length - 1 - end] === other[other.length - 1 - end]
  )
    end += 1;
  const middle = compareWords(one.slice(start, one.length - end), other.slice(start, other.length - end));
  return mergeChanges([
    { kind: "same", text: one.slice(0, start).join("") },
    ...middle,
    { kind: "same", text: one.slice(one.length - end).join("") },
  ]);
}

/** Words, each with the blanks that follow it. @param {string} text */
function splitWords(text) {
  return text.match(/\s*\S+\s*/g) ?? [];
}

/** @param {string[]} one @param {string[]} other @returns {Change[]} */
function compareWords(one, other) {
  if (one.length * other.length > MAX_CELLS)
    return [
      { kind: "removed", text: one.join("") },
      { kind: "added", text: other.join("") },
    ];
  const lengths = commonLengths(one, other);
  /** @type {Change[]} */
  const changes = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      changes.push({ kind: "same", text: one[i] });
      i += 1;
      j += 1;
    } else if (j >= other.length || (i < one.length && lengths[i + 1][j] >= lengths[i][j + 1])) {
      changes.push({ kind: "removed", text: one[i] });
      i += 1;
    } else {
      changes.push({ kind: "added", text: other[j] });
      j += 1;
    }
  }
  return changes;
}

/** The length of the longest common subsequence from each pair of places on. @param {string[]} one @param {string[]} other */
function commonLengths(one, other) {
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint32Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      lengths[i][j] =
        one[i] === other[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  return lengths;
}

/** @param {Change[]} changes @returns {Change[]} */
function mergeChanges(changes) {
  /** @type {Change[]} */
  const merged = [];
  for (const change of changes) {
    const last = merged.at(-1);
    if (last?.kind === change.kind) last.text += change.text;
    else if (change.text) merged.push({ ...change });
  }
  return merged;
}
