// What screen readers are told beside what they read themselves, and the short notes at the foot of the page.
import { createStore, useStore } from "../store.js";
import { html } from "./base.js";
import { Icon } from "./icons.js";
import { Said } from "./said.js";

const NOTE_MS = 4_000;

/** @typedef {{ text: string, kind: "ok" | "bad" }} Note */

/** The notes that are shown now. @type {import("../store.js").Store<Note[]>} */
const notes = createStore(/** @type {Note[]} */ ([]));
/** What was last said to screen readers alone. */
const spoken = createStore("");

/** Say something to screen readers. @param {string} text */
export function announce(text) {
  spoken.set(text);
}

/** Show a note for a few seconds, or until it is put away if it tells of something bad. @param {string} text @param {"ok" | "bad"} [kind] */
export function notify(text, kind = "ok") {
  const fresh = { text, kind };
  notes.set([...notes.get().filter(note => note.kind === "bad" && note.text !== text), fresh]);
  if (kind === "ok") setTimeout(() => putAway(fresh), NOTE_MS);
}

/** @param {Note} note */
function putAway(note) {
  notes.set(notes.get().filter(one => one !== note));
}

/** The live regions; there is one of them, at the end of the shell. */
export function Announcer() {
  return html`<div>
    <div class="unseen" role="status" aria-live="polite">${useStore(spoken)}</div>
    <div class="notes" role="status" aria-live="polite">
      ${useStore(notes).map(note => html`<${Shown} key=${note.text} note=${note} />`)}
    </div>
  </div>`;
}

/** @param {{ note: Note }} props */
function Shown({ note }) {
  return html`<p class=${`note note-${note.kind}`}>
    <span><${Said} text=${note.text} /></span>
    ${
      note.kind === "bad" &&
      html`<button type="button" aria-label="Put this note away" title="Put this note away" onClick=${() => putAway(note)}>
        <${Icon} name="cross" size=${16} />
      </button>`
    }
  </p>`;
}
