import { html } from "./base.js";

/** Drawn on a grid of 24 with a line of 1.75. @type {Record<string, string>} */
const SHAPES = {
  upload: "M12 16V4m0 0 4.500 4.500M12 4 7.500 8.500M4 15v3a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-3",
  download: "M12 4v12m0 0 4.500-4.500M12 16l-4.500-4.500M4 15v3a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-3",
  folder: "M3.500 7a2 2 0 0 1 2-2h3.800l2 2.500h7.200a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2z",
  tag: "M4 4.500h7.500l8 8-7 7-8.500-8.500zM8.500 8.500h.010",
  file: "M6 3.500h8L19 8.500v11a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-15a1 1 0 0 1 1-1zM14 3.500v5h5",
  edit: "M5 19l1-4L16.500 4.500a1.800 1.800 0 0 1 2.500 0l.500.500a1.800 1.800 0 0 1 0 2.500L9 18zM14.500 6.500l3 3",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fitPage:
    "M7 3.500h10a1 1 0 0 1 1 1v15a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-15a1 1 0 0 1 1-1zM12 7v10m0-10-2 2m2-2 2 2m-2 8-2-2m2 2 2-2",
  fitWidth: "M5 4v16M19 4v16M8 12h8m-8 0 2.500-2.500M8 12l2.500 2.500M16 12l-2.500-2.500M16 12l-2.500 2.500",
  rotate: "M19 12a7 7 0 1 1-2.300-5.200L19 9m0-4.500V9h-4.500",
  lock: "M7 11h10a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
  compare: "M4 5h6v14H4zM14 5h6v14h-6z",
  check: "m5 12.500 4.500 4.500L19 7.500",
  cross: "m6 6 12 12M18 6 6 18",
  warning:
    "M12 9v4.500m0 3v.01M10.700 4.300 2.900 18a1.500 1.500 0 0 0 1.300 2.250h15.600A1.500 1.500 0 0 0 21.100 18L13.300 4.300a1.500 1.500 0 0 0-2.600 0z",
  retry: "M4 12a8 8 0 0 1 13.800-5.500L20 9m0-5v5h-5M20 12a8 8 0 0 1-13.800 5.500L4 15m0 5v-5h5",
  stop: "M7 7h10v10H7z",
  trash:
    "M4 6.500h16M9.500 6.500V4.500a1 1 0 0 1 1-1h3a1 1 0 0 1 1 1v2M6 6.500l1 13a1 1 0 0 0 1 1h8a1 1 0 0 0 1-1l1-13M10 10.500v6M14 10.500v6",
  search: "M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM15.300 15.300 20 20",
  clock: "M12 20.500a8.500 8.500 0 1 0 0-17 8.500 8.500 0 0 0 0 17zM12 7.500V12l3 2",
  copy: "M9 9h10a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H9a1 1 0 0 1-1-1V10a1 1 0 0 1 1-1zM16 9V4a1 1 0 0 0-1-1H5a1 1 0 0 0-1 1v10a1 1 0 0 0 1 1h3",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M18.700 5.300l-1.400 1.400M6.700 17.300l-1.400 1.400",
  moon: "M20 14.200A8.300 8.300 0 0 1 9.800 4a8.300 8.300 0 1 0 10.200 10.200z",
  screen: "M4 5h16a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zM9 20h6M12 16v4",
  arrow: "M5 12h14m0 0-5.500-5.500M19 12l-5.500 5.500",
  down: "m6 9.500 6 6 6-6",
  up: "m6 14.500 6-6 6 6",
  left: "m14.500 6-6 6 6 6",
  right: "m9.500 6 6 6-6 6",
  leave: "M14 4h4a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2h-4M10 16l-4-4 4-4M6 12h10",
  spark:
    "M12 3.500l1.900 5.100a2.500 2.500 0 0 0 1.500 1.500l5.100 1.900-5.100 1.900a2.500 2.500 0 0 0-1.500 1.500L12 20.500l-1.900-5.100a2.500 2.500 0 0 0-1.500-1.500L3.500 12l5.100-1.900a2.500 2.500 0 0 0 1.500-1.500z",
  unplugged:
    "m4 4 16 16M8.500 5.500V8M15.500 5.500V10M6 10h4m4.500 0H18v2.500a5.500 5.500 0 0 1-1 3.200M6 10v2.500A5.500 5.500 0 0 0 11.500 18h1M12 18v3",
};

/** A small picture that says nothing by itself; its button or text does. @param {{ name: string, size?: number }} props */
export function Icon({ name, size = 20 }) {
  return html`<svg class="icon" width=${size} height=${size} viewBox="0 0 24 24" aria-hidden="true">
    <path d=${SHAPES[name]} />
  </svg>`;
}

/** The sign and the name of the project. */
export function Wordmark() {
  return html`<span class="wordmark">
    <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
      <rect class="mark-ground" width="32" height="32" rx="8" />
      <path class="mark-behind" d="M10 7h8l5 5v13H10z" />
      <path class="mark-page" d="M8 9.500h8.500L21 14v11.500H8z" />
      <path class="mark-lines" d="M11 17h7M11 20h7M11 23h4.500" />
    </svg>
    pagemill
  </span>`;
}
