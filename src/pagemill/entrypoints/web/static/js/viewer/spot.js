// The spot: the box of one value, lit on the image of its page.
import { createStore, useStore } from "../store.js";
import { html } from "../ui/base.js";

/** @typedef {import("./types.js").Box} Box */
/** @typedef {{ page: number, box: Box | null, block?: string | null }} Spot */

/** The value that is lit; null if there is none. @type {import("../store.js").Store<Spot | null>} */
export const spot = createStore(/** @type {Spot | null} */ (null));

/** The box of the lit value, if it is on this page. @param {{ number: number, size: { width: number, height: number } }} props */
export function SpotBox({ number, size }) {
  const lit = useStore(spot);
  if (!lit?.box || lit.page !== number) return null;
  const [x, y, width, height] = lit.box;
  const style = {
    left: `${(100 * x) / size.width}%`,
    top: `${(100 * y) / size.height}%`,
    width: `${(100 * width) / size.width}%`,
    height: `${(100 * height) / size.height}%`,
  };
  return html`<div class="spot" aria-hidden="true" style=${style}></div>`;
}
