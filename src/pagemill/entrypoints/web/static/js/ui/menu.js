import { html, useEffect, useRef } from "./base.js";
import { Icon } from "./icons.js";

/** @typedef {import("./base.js").Children} Children */

/**
 * A button that opens a list of actions; a click elsewhere, a chosen action or Escape closes it.
 * @param {{ label: string, icon?: string, kind?: string, up?: boolean, children?: Children }} props
 */
export function Menu({ label, icon, kind = "plain", up = false, children }) {
  const menu = useRef(/** @type {HTMLDetailsElement | null} */ (null));
  useEffect(() => closeFromOutside(menu), []);
  return html`<details class=${up ? "menu menu-up" : "menu"} ref=${menu}>
    <summary class=${`button button-${kind}`}>${icon && html`<${Icon} name=${icon} size=${18} />`}${label}</summary>
    <ul>${children}</ul>
  </details>`;
}

/** @param {{ current: HTMLDetailsElement | null }} menu */
function closeFromOutside(menu) {
  /** @param {Event} event */
  const close = event => {
    const isKey = event instanceof KeyboardEvent;
    const inSummary =
      event.target instanceof Element && menu.current?.querySelector("summary")?.contains(event.target);
    if (menu.current && (isKey ? event.key === "Escape" : !inSummary)) menu.current.open = false;
  };
  document.addEventListener("click", close);
  document.addEventListener("keydown", close);
  return () => {
    document.removeEventListener("click", close);
    document.removeEventListener("keydown", close);
  };
}
