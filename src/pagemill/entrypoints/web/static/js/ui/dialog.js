import { html, useEffect, useRef } from "./base.js";
import { Button } from "./controls.js";

/** @typedef {import("./base.js").Children} Children */

/**
 * A question over the page; the browser keeps the focus inside and closes it with Escape.
 * With `stays` it is open until its parent removes it, so that an answer can be corrected.
 * @param {{ title: string, confirm: string, kind?: string, stays?: boolean, onConfirm: () => void, onClose: () => void, children?: Children }} props
 */
export function Confirm({ title, confirm, kind = "primary", stays = false, onConfirm, onClose, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => dialog.current?.showModal(), []);
  function agree() {
    if (!stays) dialog.current?.close();
    onConfirm();
  }
  return html`<dialog ref=${dialog} aria-label=${title} onClose=${onClose}>
    <h2>${title}</h2>
    <div class="muted">${children}</div>
    <div class="dialog-actions">
      <${Button} onClick=${() => dialog.current?.close()}>Back<//>
      <${Button} kind=${kind} onClick=${agree}>${confirm}<//>
    </div>
  </dialog>`;
}
