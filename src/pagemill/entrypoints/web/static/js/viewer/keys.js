// Keyboard shortcuts: n and p for pages, j and k or arrows for blocks, + - 0 and r for the view, / to find.
import { loadSetting, saveSetting } from "../storage.js";
import { createStore, useStore } from "../store.js";
import { html, useEffect } from "../ui/base.js";
import { Checkbox } from "../ui/controls.js";

const KEY = "pagemill-keys";

/** Whether letters are shortcuts; they get in the way of speech input. */
const letterKeys = createStore(loadSetting(() => localStorage, KEY) !== "off");

/**
 * @typedef {object} Moves
 * @property {(step: number) => void} page
 * @property {(step: number) => void} block
 * @property {(steps: number) => void} zoom
 * @property {() => void} fit
 * @property {() => void} turn
 * @property {() => void} find
 * @property {() => void} leave
 */

/** Listen for keys as long as the viewer is there. @param {Moves} moves */
export function useKeys(moves) {
  useEffect(() => {
    /** @param {KeyboardEvent} event */
    const onKeyDown = event => {
      const move = isTyping(event) ? undefined : moveFor(event, moves);
      if (!move) return;
      event.preventDefault();
      move();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  });
}

/** @param {KeyboardEvent} event @param {Moves} moves @returns {(() => void) | undefined} */
function moveFor(event, moves) {
  const onBlock = event.target instanceof Element && event.target.matches("[data-block]");
  if (event.key.length === 1 && !(letterKeys.get() && isInWorkspace(event.target))) return undefined;
  switch (event.key) {
    case "n":
      return () => moves.page(1);
    case "p":
      return () => moves.page(-1);
    case "j":
      return () => moves.block(1);
    case "k":
      return () => moves.block(-1);
    case "ArrowDown":
      return onBlock ? () => moves.block(1) : undefined;
    case "ArrowUp":
      return onBlock ? () => moves.block(-1) : undefined;
    case "+":
      return () => moves.zoom(1);
    case "-":
      return () => moves.zoom(-1);
    case "0":
      return moves.fit;
    case "r":
      return moves.turn;
    case "/":
      return moves.find;
    case "Escape":
      return moves.leave;
    default:
      return undefined;
  }
}

/** Whether the focus is in the workspace or nowhere. @param {EventTarget | null} target */
function isInWorkspace(target) {
  return target instanceof Element && (target.matches("body, main") || target.closest(".workspace") !== null);
}

/** Switches the letter shortcuts off and on. */
export function KeysSwitch() {
  /** @param {boolean} on */
  function change(on) {
    letterKeys.set(on);
    saveSetting(() => localStorage, KEY, on ? "on" : "off");
  }
  const hint =
    "n and p: next and previous page; j and k: next and previous block; + and -: zoom; 0: fit; r: rotate; /: find";
  return html`<span class="keys" title=${hint}><${Checkbox} checked=${useStore(letterKeys)} onChange=${change}>Shortcuts<//></span>`;
}

/** @param {KeyboardEvent} event */
function isTyping(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true;
  return (
    event.target instanceof Element &&
    event.target.closest("input:not([type=checkbox]), select, textarea, dialog") !== null
  );
}

/** The block that comes before or after another on the pages that are there. @param {HTMLElement | null} root @param {string} id @param {number} step @returns {HTMLElement | null} */
export function neighbour(root, id, step) {
  const pane = root?.querySelector(".pane-reading");
  const blocks = /** @type {HTMLElement[]} */ ([...(pane?.querySelectorAll("[data-block]") ?? [])]);
  const at = blocks.findIndex(block => block.dataset.block === id);
  return at < 0 ? firstInSight(blocks, pane) : (blocks[at + step] ?? null);
}

/** @param {HTMLElement[]} blocks @param {Element | null | undefined} pane */
function firstInSight(blocks, pane) {
  const top = pane?.getBoundingClientRect().top ?? 0;
  return blocks.find(block => block.getBoundingClientRect().top >= top) ?? null;
}
