// Text that runs from right to left.
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/gu;
const LETTERS = /\p{L}/gu;
// Enough to decide; a table may hold thousands of words.
const SAMPLE_LENGTH = 600;

/** The value for `dir`: "rtl" if most letters of a text run that way, otherwise nothing. @param {string} text @returns {"rtl" | undefined} */
export function directionOf(text) {
  const sample = text.slice(0, SAMPLE_LENGTH);
  const backwards = sample.match(RIGHT_TO_LEFT)?.length ?? 0;
  return backwards && 2 * backwards > (sample.match(LETTERS)?.length ?? 0) ? "rtl" : undefined;
}
