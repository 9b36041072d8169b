// Zoom, fit and rotation of the page images.
import { loadSetting, saveSetting } from "../storage.js";
import { html, useState } from "../ui/base.js";
import { IconButton } from "../ui/controls.js";

/**
 * How page images are shown. `scale` is relative to the width of the pane, or to the whole page if `fit` is "page".
 * @typedef {{ fit: "width" | "page", scale: number, turns: number }} ImageView
 */

const KEY = "pagemill-fit";
const STEP = 1.25;
const MIN_SCALE = 0.4;
const MAX_SCALE = 5;

/** @typedef {{ view: ImageView, zoomBy: (steps: number) => void, setFit: (fit: "width" | "page") => void, turn: () => void }} ViewControl */

/** The view of the page images and what changes it. @returns {ViewControl} */
export function useImageView() {
  const [view, setView] = useState(
    /** @returns {ImageView} */ () => ({
      fit: loadSetting(() => localStorage, KEY) === "page" ? "page" : "width",
      scale: 1,
      turns: 0,
    }),
  );
  return {
    view,
    zoomBy: steps =>
      setView(before => ({
        ...before,
        scale: Math.min(MAX_SCALE, Math.max(MIN_SCALE, before.scale * STEP ** steps)),
      })),
    setFit(fit) {
      saveSetting(() => localStorage, KEY, fit);
      setView(before => ({ ...before, fit, scale: 1 }));
    },
    turn: () => setView(before => ({ ...before, turns: (before.turns + 1) % 4 })),
  };
}

/** The size of a page after its rotation. @param {{ width: number, height: number }} size @param {number} turns */
export function turnedSize({ width, height }, turns) {
  return turns % 2 ? { width: height, height: width } : { width, height };
}

/** The width in pixels at which a page is shown in a room of that size. @param {{ width: number, height: number }} page @param {ImageView} view @param {{ width: number, height: number }} room */
export function shownWidth(page, view, room) {
  const { width, height } = turnedSize(page, view.turns);
  const whole = Math.min(room.width, (room.height * width) / height);
  return Math.max(40, Math.round((view.fit === "page" ? whole : room.width) * view.scale));
}

/** The buttons for zoom, fit and rotation. @param {{ control: ViewControl }} props */
export function ZoomButtons({ control }) {
  const { view, zoomBy, setFit, turn } = control;
  const next = view.fit === "width" ? "page" : "width";
  const fitLabel = next === "page" ? "Fit the whole page" : "Fit the width";
  return html`<div class="zoom" role="group" aria-label="View of the page images">
    <${IconButton} icon="minus" label="Zoom out" aria-keyshortcuts="-" disabled=${view.scale <= MIN_SCALE} onClick=${() => zoomBy(-1)} />
    <${IconButton} icon="plus" label="Zoom in" aria-keyshortcuts="+" disabled=${view.scale >= MAX_SCALE} onClick=${() => zoomBy(1)} />
    <${IconButton} icon=${next === "page" ? "fitPage" : "fitWidth"} label=${fitLabel} aria-keyshortcuts="0" onClick=${() => setFit(next)} />
    <${IconButton} icon="rotate" label="Rotate clockwise" aria-keyshortcuts="r" onClick=${turn} />
  </div>`;
}
