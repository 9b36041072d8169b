// Small plots as SVG, each with its figures as text.
import { html } from "../ui/base.js";
import { number } from "../ui/format.js";

/** @typedef {{ name: string, value: number, text?: string, reach?: number }} Value */

const HEIGHT = 100;
const GAP = 0.15;
const TICKS = 6;

/** Columns over time, newest at the right. @param {{ values: Value[], label: string }} props */
export function Columns({ values, label }) {
  const most = niceCeiling(Math.max(1, ...values.map(one => one.value)));
  const total = values.reduce((sum, one) => sum + one.value, 0);
  const summary = `${label}: ${number(total)} in all, ${number(values[values.length - 1]?.value ?? 0)} in the current minute`;
  const ticks = values.filter((_, at) => at % Math.ceil(values.length / TICKS) === 0);
  return html`<figure class="columns">
    <p class="plot-most figures" aria-hidden="true">${number(most)}</p>
    <svg viewBox=${`0 0 ${values.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${summary}>
      ${values.map((one, at) => one.value > 0 && html`<${Column} key=${at} at=${at} one=${one} height=${Math.max(1, (HEIGHT * one.value) / most)} />`)}
    </svg>
    <p class="plot-times figures" aria-hidden="true">${ticks.map(one => html`<span key=${one.name}>${one.name}</span>`)}</p>
  </figure>`;
}

/** @param {{ at: number, one: Value, height: number }} props */
function Column({ at, one, height }) {
  return html`<rect x=${at + GAP / 2} y=${HEIGHT - height} width=${1 - GAP} height=${height}>
    <title>${`${one.name}: ${number(one.value)}`}</title>
  </rect>`;
}

/** The next round number. @param {number} value */
export function niceCeiling(value) {
  const size = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map(one => one * size).find(one => one >= value) ?? value;
}

/** Bars with their names, longest where most is; `reach` is drawn as a thin line beyond. @param {{ values: Value[], empty: string, kind?: string, keepAll?: boolean }} props */
export function Bars({ values, empty, kind = "accent", keepAll = false }) {
  if (!values.length || (!keepAll && values.every(one => !one.value)))
    return html`<p class="muted bars-empty">${empty}</p>`;
  const most = Math.max(...values.map(one => Math.max(one.value, one.reach ?? 0))) || 1;
  return html`<ul class=${`bars bars-${kind}`}>
    ${values.map(
      one => html`<li key=${one.name}>
        <span class="bars-name">${one.name}</span>
        <span class="bars-text figures">${one.text}</span>
        <svg class="bars-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
          <rect class="bars-track" width="100" height="6" />
          ${one.reach ? html`<rect class="bars-reach" y="2.500" width=${(100 * one.reach) / most} height="1" />` : null}
          <rect class="bars-fill" width=${(100 * one.value) / most} height="6" />
        </svg>
      </li>`,
    )}
  </ul>`;
}
