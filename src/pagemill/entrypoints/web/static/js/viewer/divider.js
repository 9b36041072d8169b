// The divider between the page images and the text; it can be dragged, and moved with the arrow keys.
import { loadSetting, saveSetting } from "../storage.js";
import { html, useState } from "../ui/base.js";

const KEY = "pagemill-divider";
const MIN_SHARE = 0.2;
const MAX_SHARE = 0.8;
const STEP = 0.05;

/** @param {number} share */
function clamp(share) {
  return Number.isFinite(share) ? Math.min(MAX_SHARE, Math.max(MIN_SHARE, share)) : 0.5;
}

/** The share of the width that the page images get. @returns {[number, (share: number) => void]} */
export function useDivider() {
  const [share, setShare] = useState(() => clamp(Number(loadSetting(() => localStorage, KEY) ?? 0.5)));
  return [
    share,
    next => {
      setShare(clamp(next));
      saveSetting(() => localStorage, KEY, clamp(next).toFixed(3));
    },
  ];
}

/** @param {{ share: number, onChange: (share: number) => void }} props */
export function Divider({ share, onChange }) {
  /** @param {any} event */
  function onPointerMove(event) {
    if (!event.target.hasPointerCapture(event.pointerId)) return;
    const left = event.target.previousElementSibling.getBoundingClientRect().left;
    const right = event.target.nextElementSibling.getBoundingClientRect().right;
    onChange((event.clientX - left) / (right - left));
  }
  /** Otherwise the browser selects text or drags an image, and cancels the pointer. @param {any} event */
  function preventSelection(event) {
    event.preventDefault();
    event.target.focus();
  }
  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    const next = { ArrowLeft: share - STEP, ArrowRight: share + STEP, Home: MIN_SHARE, End: MAX_SHARE }[
      event.key
    ];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onChange(next);
  }
  return html`<div class="divider" role="separator" tabindex="0" aria-orientation="vertical" aria-label="Width of the page images"
    aria-valuemin=${100 * MIN_SHARE} aria-valuemax=${100 * MAX_SHARE} aria-valuenow=${Math.round(100 * share)}
    title="Drag to resize; double-click for equal halves"
    onPointerDown=${(/** @type {any} */ event) => event.target.setPointerCapture(event.pointerId)}
    onMouseDown=${preventSelection}
    onPointerMove=${onPointerMove} onDblClick=${() => onChange(0.5)} onKeyDown=${onKeyDown} />`;
}
