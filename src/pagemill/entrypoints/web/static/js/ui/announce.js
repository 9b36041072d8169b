// What screen readers are told beside what they read themselves, and the short notes at the foot of the page.
import { createStore, useStore } from "../store.js";
import { html } from "./base.js";

const NOTE_MS = 4_000;

/** @typedef {{ text: string, kind: "ok" | "bad" }} Note */

/** The note that is shown now. @type {import("../store.js").Store<Note | null>} */
const note = createStore(/** @type {Note | null} */ (null));
/** What was last said to screen readers alone. */
const spoken = createStore("");
let timer = 0;

/** Say something to screen readers. @param {string} text */
export function announce(text) {
  spoken.set(text);
}

/** Show a note for a few seconds. @param {string} text @param {"ok" | "bad"} [kind] */
export function notify(text, kind = "ok") {
  clearTimeout(timer);
  note.set({ text, kind });
  timer = setTimeout(() => note.set(null), NOTE_MS);
}

/** The live regions; there is one of them, at the end of the shell. */
export function Announcer() {
  const shown = useStore(note);
  return html`<div>
    <div class="unseen" role="status" aria-live="polite">${useStore(spoken)}</div>
    <div class="notes" role="status" aria-live="polite">
      ${shown && html`<p class=${`note note-${shown.kind}`}>${shown.text}</p>`}
    </div>
  </div>`;
}
