// The image of a page, with a box around every block.
import { connection } from "../api.js";
import { html, useEffect, useState } from "../ui/base.js";
import { useAbortingRef, useImageTurn } from "./imagequeue.js";
import { usePageJson } from "./pages.js";
import { SpotBox } from "./spot.js";
import { shownWidth, turnedSize } from "./zoom.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./types.js").PageEntry} PageEntry */
/** @typedef {import("./types.js").PageJson} PageJson */
/** @typedef {import("./zoom.js").ImageView} ImageView */
/** @typedef {{ width: number, height: number }} Room */

export const ORIGINAL_GAP_PX = 20;
export const ORIGINAL_MARGIN_PX = 20;
const POINTS_PER_INCH = 72;
const A4 = { width: 595, height: 842 };
// Few sizes, so that images are drawn once and kept.
const RESOLUTIONS = [96, 144, 200, 300];
// Thin strokes need more pixels than the screen has.
const SHARPNESS = 1.2;

/** The size of a page; A4 if it is not known. @param {{ width: number, height: number } | null} known */
function sizeOf(known) {
  return known && known.width > 0 && known.height > 0 ? known : A4;
}

/** The height of a page with the gap below it. @param {PageEntry} entry @param {Room} room @param {ImageView} view */
export function originalHeight(entry, room, view) {
  const size = sizeOf(entry.facts);
  const { width, height } = turnedSize(size, view.turns);
  return (shownWidth(size, view, inside(room)) * height) / width + ORIGINAL_GAP_PX;
}

/** The room for a page in a pane of that size. @param {Room} room @returns {Room} */
function inside({ width, height }) {
  return { width: width - 2 * ORIGINAL_MARGIN_PX, height: height - ORIGINAL_GAP_PX };
}

/** The size of a page, and how wide it is shown. @param {Room | null} known @param {ImageView} view @param {Room} room */
export function shownSize(known, view, room) {
  const size = sizeOf(known);
  return { size, width: shownWidth(size, view, inside(room)) };
}

/** The resolution at which a page is sharp on this screen. @param {number} points @param {number} pixels */
export function resolution(points, pixels) {
  const wanted = (POINTS_PER_INCH * pixels * devicePixelRatio) / points;
  return RESOLUTIONS.find(one => one >= wanted * SHARPNESS) ?? RESOLUTIONS[RESOLUTIONS.length - 1];
}

/** The image of a page with the boxes of its blocks. @param {{ job: Job, entry: PageEntry, before: PageEntry | null, room: Room, view: ImageView, boxes: boolean }} props */
export function OriginalPage({ job, entry, before, room, view, boxes }) {
  const { page } = usePageJson(job, entry);
  const former = usePageJson(job, before ?? entry).page;
  const size = sizeOf(page ?? entry.facts);
  const outer = turnedSize(size, view.turns);
  const width = shownWidth(size, view, inside(room));
  const dpi = resolution(outer.width, width);
  const src = `/v1/jobs/${job.id}/pages/${entry.number}/image?dpi=${dpi}&format=jpeg`;
  return html`<div class="original-slot">
    <div class="original" data-page=${entry.number} style=${{ width: `${width}px`, aspectRatio: `${outer.width} / ${outer.height}` }}>
      <div class="original-turned" style=${turnedStyle(outer, view.turns)}>
        <${PageImage} key=${dpi} src=${src} number=${entry.number} />
        ${
          boxes &&
          page &&
          html`<div class="boxes" aria-hidden="true">
          ${placesOn(page, former).map(place => html`<${BlockBox} key=${place.id} place=${place} page=${page} />`)}
        </div>`
        }
        <${SpotBox} number=${entry.number} size=${size} />
      </div>
      <span class="original-number" aria-hidden="true">${entry.number}</span>
    </div>
  </div>`;
}

/** The style that turns the inside of a page; half of the turns swap its width and height. @param {Room} outer @param {number} turns */
function turnedStyle({ width, height }, turns) {
  if (!turns) return {};
  const swap = turns % 2 === 1;
  return {
    inset: "50% auto auto 50%",
    width: swap ? share(height, width) : "100%",
    height: swap ? share(width, height) : "100%",
    transform: `translate(-50%, -50%) rotate(${90 * turns}deg)`,
  };
}

/** @param {{ src: string, number: number }} props */
function PageImage({ src, number }) {
  const [state, setState] = useState("loading");
  const abortingRef = useAbortingRef();
  const started = useImageTurn(src, { wanted: state === "loading", first: true });
  useEffect(
    () =>
      connection.watch(
        link => link === "up" && setState(before => (before === "failed" ? "loading" : before)),
      ),
    [],
  );
  if (state === "failed") return html`<p class="original-missing">There is no image of this page.</p>`;
  return html`<img class=${`original-image ${state}`} ref=${abortingRef} src=${started ?? undefined} alt=${`Image of page ${number}`} decoding="async"
    onLoad=${() => setState("here")} onError=${() => setState("failed")} />`;
}

/** @typedef {{ id: string, kind: string, box: import("./types.js").Box }} Place */

/** The boxes on a page: those of its own blocks, and of blocks that continue from the page before. @param {PageJson} page @param {PageJson | null} former @returns {Place[]} */
function placesOn(page, former) {
  const own = page.blocks.flatMap(({ id, kind, box }) => (box ? [{ id, kind, box }] : []));
  const continued = (former?.blocks ?? []).flatMap(({ id, kind, parts = [] }) =>
    parts.flatMap(part => (part.page === page.number && part.box ? [{ id, kind, box: part.box }] : [])),
  );
  return [...continued, ...own];
}

/** @param {{ place: Place, page: { width: number, height: number } }} props */
export function BlockBox({ place, page }) {
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
