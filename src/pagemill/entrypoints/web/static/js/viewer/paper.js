// The page as it was printed, with a box around every block.
import { connection } from "../api.js";
import { html, useEffect, useState } from "../ui/base.js";
import { usePageJson } from "./pages.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./types.js").PageEntry} PageEntry */
/** @typedef {import("./types.js").PageJson} PageJson */

export const PAPER_GAP_PX = 20;
export const PAPER_MARGIN_PX = 20;
const POINTS_PER_INCH = 72;
const A4 = { width: 595, height: 842 };
// Few sizes, so that images are drawn once and kept.
const RESOLUTIONS = [96, 144, 200, 300];
// Thin strokes want more pixels than the screen has.
const SHARPNESS = 1.2;

/** The size of a page; of one that could not even be opened, the usual one. @param {{ width: number, height: number } | null} known */
function sizeOf(known) {
  return known && known.width > 0 && known.height > 0 ? known : A4;
}

/** The height of a page with the gap below it. @param {PageEntry} entry @param {number} pane_px */
export function paperHeight(entry, pane_px) {
  const { width, height } = sizeOf(entry.facts);
  return ((pane_px - 2 * PAPER_MARGIN_PX) * height) / width + PAPER_GAP_PX;
}

/** The resolution at which a page is sharp on this screen. @param {number} points @param {number} pixels */
export function resolution(points, pixels) {
  const wanted = (POINTS_PER_INCH * pixels * devicePixelRatio) / points;
  return RESOLUTIONS.find(one => one >= wanted * SHARPNESS) ?? RESOLUTIONS[RESOLUTIONS.length - 1];
}

/** A page as it was printed. @param {{ job: Job, entry: PageEntry, before: PageEntry | null, width: number, boxes: boolean }} props */
export function PaperPage({ job, entry, before, width, boxes }) {
  const { page } = usePageJson(job, entry);
  const former = usePageJson(job, before ?? entry).page;
  const size = sizeOf(page ?? entry.facts);
  const dpi = resolution(size.width, width - 2 * PAPER_MARGIN_PX);
  return html`<div class="paper-slot">
    <div class="paper" data-page=${entry.number} style=${{ aspectRatio: `${size.width} / ${size.height}` }}>
      <${PageImage} key=${dpi} src=${`/v1/jobs/${job.id}/pages/${entry.number}/image?dpi=${dpi}&format=jpeg`} number=${entry.number} />
      ${
        boxes &&
        page &&
        html`<div class="boxes" aria-hidden="true">
        ${placesOn(page, former).map(place => html`<${BlockBox} key=${place.id} place=${place} page=${page} />`)}
      </div>`
      }
      <span class="paper-number" aria-hidden="true">${entry.number}</span>
    </div>
  </div>`;
}

/** @param {{ src: string, number: number }} props */
function PageImage({ src, number }) {
  const [state, setState] = useState("loading");
  useEffect(
    () =>
      connection.watch(
        link => link === "up" && setState(before => (before === "failed" ? "loading" : before)),
      ),
    [],
  );
  if (state === "failed") return html`<p class="paper-missing">There is no picture of this page.</p>`;
  return html`<img class=${`paper-image ${state}`} src=${src} alt=${`Page ${number} as it was printed`} decoding="async"
    onLoad=${() => setState("here")} onError=${() => setState("failed")} />`;
}

/** @typedef {{ id: string, kind: string, box: import("./types.js").Box }} Place */

/** Where blocks stand on a page: its own, and those of the page before that go on here. @param {PageJson} page @param {PageJson | null} former @returns {Place[]} */
function placesOn(page, former) {
  const own = page.blocks.flatMap(({ id, kind, box }) => (box ? [{ id, kind, box }] : []));
  const continued = (former?.blocks ?? []).flatMap(({ id, kind, parts = [] }) =>
    parts.flatMap(part => (part.page === page.number && part.box ? [{ id, kind, box: part.box }] : [])),
  );
  return [...continued, ...own];
}

/** @param {{ place: Place, page: { width: number, height: number } }} props */
function BlockBox({ place, page }) {
  const [x, y, width, height] = place.box;
  const frame = {
    left: share(x, page.width),
    top: share(y, page.height),
    width: share(width, page.width),
    height: share(height, page.height),
  };
  return html`<div class="box" data-block=${place.id} data-kind=${place.kind} style=${frame}>
    <span class="box-kind">${place.kind.replace("_", " ")}</span>
  </div>`;
}

/** @param {number} part @param {number} whole */
function share(part, whole) {
  return `${((100 * part) / whole).toFixed(3)}%`;
}
