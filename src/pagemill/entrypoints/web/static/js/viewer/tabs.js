import { html } from "../ui/base.js";

/** @typedef {{ name: string, text: string }} Tab */
/** @type {Tab[]} */
const TABS = [
  { name: "reading", text: "Reading" },
  { name: "markdown", text: "Markdown" },
  { name: "text", text: "Text" },
  { name: "json", text: "JSON" },
  { name: "tables", text: "Tables" },
  { name: "figures", text: "Figures" },
  { name: "facts", text: "Facts" },
  { name: "ask", text: "Ask" },
];

/** Shown once a document was read again. @type {Tab} */
const CHANGES = { name: "changes", text: "Changes" };

/** Where there is room for one column only, the page images are a tab too. @type {Tab} */
const IMAGES = { name: "page", text: "Page" };

/** The tabs of a result. @param {{ images: boolean, revision: number }} result @returns {Tab[]} */
export function tabsFor({ images, revision }) {
  return [...(images ? [IMAGES] : []), ...TABS, ...(revision > 1 ? [CHANGES] : [])];
}

/** The tabs; arrow keys go from one to the next, as screen readers expect. @param {{ tabs: Tab[], tab: string, onTab: (name: string) => void }} props */
export function Tabs({ tabs, tab, onTab }) {
  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    const at = tabs.findIndex(one => one.name === tab);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const name = tabs[(next + tabs.length) % tabs.length].name;
    onTab(name);
    document.getElementById(`tab-${name}`)?.focus();
  }
  return html`<div class="tabs" role="tablist" aria-label="What is shown beside the page" onKeyDown=${onKeyDown}>
    ${tabs.map(
      one => html`<button type="button" role="tab" key=${one.name} id=${`tab-${one.name}`} aria-controls="tab-panel"
        aria-selected=${one.name === tab} tabindex=${one.name === tab ? 0 : -1} onClick=${() => onTab(one.name)}>${one.text}</button>`,
    )}
  </div>`;
}
