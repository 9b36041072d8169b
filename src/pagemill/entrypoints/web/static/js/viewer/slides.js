// Pages that were never printed but have a size, such as slides: their blocks drawn where the file puts them.
import { html } from "../ui/base.js";
import { Blocks } from "./blocks.js";
import { BlockBox, shownSize } from "./original.js";
import { usePageJson } from "./pages.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./types.js").Block} Block */
/** @typedef {import("./types.js").Box} Box */
/** @typedef {import("./types.js").PageEntry} PageEntry */
/** @typedef {import("./types.js").PageJson} PageJson */
/** @typedef {import("./zoom.js").ImageView} ImageView */
/** @typedef {{ box: Box, blocks: Block[] }} Shape */

const HEADING_POINTS = 30;
const TEXT_POINTS = 18;
const LEAST_POINTS = 6;
// A letter takes about this share of the square of its size, the space between lines included.
const CHARACTER_SHARE = 0.7;
// The width of the slides that these sizes are usual on, in points.
const USUAL_WIDTH = 720;

/** A slide with its blocks. @param {{ job: Job, entry: PageEntry, room: { width: number, height: number }, view: ImageView, boxes: boolean }} props */
export function SlidePage({ job, entry, room, view, boxes }) {
  const { page } = usePageJson(job, entry);
  const { width, size } = shownSize(page ?? entry.facts, { ...view, turns: 0 }, room);
  const scale = width / size.width;
  const shapes = shapesOf(page?.blocks ?? []);
  const links = {
    /** @param {Block} block */
    figure: block =>
      entry.state === "final" && job.revision
        ? `/v1/jobs/${job.id}/images/${block.id}.png?revision=${job.revision}`
        : null,
  };
  return html`<div class="original-slot">
    <div class="original slide" data-page=${entry.number} style=${{ width: `${width}px`, aspectRatio: `${size.width} / ${size.height}` }}>
      ${
        page &&
        shapes.map(
          (shape, at) => html`<div key=${at} class="slide-shape" style=${place(shape, size.width, scale)}>
          <${Blocks} blocks=${shape.blocks} links=${links} />
        </div>`,
        )
      }
      ${
        boxes &&
        page &&
        html`<div class="boxes" aria-hidden="true">
        ${shapes.map(({ box, blocks: [{ id, kind }] }) => html`<${BlockBox} key=${id} place=${{ id, kind, box }} page=${page} />`)}
      </div>`
      }
      <span class="original-number" aria-hidden="true">${entry.number}</span>
    </div>
  </div>`;
}

/** The blocks of each shape together; those without a place, such as notes, are not on the slide. @param {Block[]} blocks @returns {Shape[]} */
export function shapesOf(blocks) {
  /** @type {Shape[]} */
  const shapes = [];
  for (const block of blocks) {
    if (!block.box) continue;
    const last = shapes[shapes.length - 1];
    if (last && last.box.join() === block.box.join()) last.blocks.push(block);
    else shapes.push({ box: block.box, blocks: [block] });
  }
  return shapes;
}

/** The font size of a shape, so that its text fits, in points. @param {Shape} shape @param {number} slideWidth */
export function fontSizeOf({ box, blocks }, slideWidth) {
  const characters = blocks.reduce((sum, block) => sum + (block.text?.length ?? 0) + 1, 0);
  const usual = ((blocks[0].kind === "heading" ? HEADING_POINTS : TEXT_POINTS) * slideWidth) / USUAL_WIDTH;
  return Math.max(
    LEAST_POINTS,
    Math.min(usual, Math.sqrt((box[2] * box[3]) / (CHARACTER_SHARE * characters))),
  );
}

/** @param {Shape} shape @param {number} slideWidth @param {number} scale */
function place(shape, slideWidth, scale) {
  const [left, top, width, height] = shape.box.map(side => `${side * scale}px`);
  return { left, top, width, height, fontSize: `${fontSizeOf(shape, slideWidth) * scale}px` };
}
