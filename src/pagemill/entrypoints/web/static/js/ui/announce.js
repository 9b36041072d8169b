// Announcements for screen readers, and the short notifications at the foot of the page.
import { createStore, useStore } from "../store.js";
import { html } from "./base.js";
import { Icon } from "./icons.js";
import { Message } from "./message.js";

const NOTE_MS = 4_000;

/** @typedef {{ text: string, kind: "ok" | "bad" }} Note */

/** The notes that are shown now. @type {import("../store.js").Store<Note[]>} */
const notes = createStore(/** @type {Note[]} */ ([]));
/** The last announcement for screen readers. */
const spoken = createStore("");

/** Announce something to screen readers. @param {string} text */
export function announce(text) {
  spoken.set(text);
}

/** Show a notification for a few seconds; an error stays until it is dismissed. @param {string} text @param {"ok" | "bad"} [kind] */
export function notify(text, kind = "ok") {
  const fresh = { text, kind };
  notes.set([...notes.get().filter(note => note.kind === "bad" && note.text !== text), fresh]);
  if (kind === "ok") setTimeout(() => dismissNote(fresh), NOTE_MS);
}

/** @param {Note} note */
function dismissNote(note) {
  notes.set(notes.get().filter(one => one !== note));
}

/** The live regions; there is one of them, at the end of the shell. */
export function Announcer() {
  return html`<div>
    <div class="visually-hidden" role="status" aria-live="polite">${useStore(spoken)}</div>
    <div class="notes" role="status" aria-live="polite">
      ${useStore(notes).map(note => html`<${NoteLine} key=${note.text} note=${note} />`)}
    </div>
  </div>`;
}

/** @param {{ note: Note }} props */
function NoteLine({ note }) {
  return html`<p class=${`note note-${note.kind}`}>
    <span><${Message} text=${note.text} /></span>
    ${
      note.kind === "bad" &&
      html`<button type="button" aria-label="Dismiss this message" title="Dismiss this message" onClick=${() => dismissNote(note)}>
        <${Icon} name="cross" size=${16} />
      </button>`
    }
  </p>`;
}
