// An artifact of the whole document as text.
import { call, Problem } from "../api.js";
import { isActive } from "../job.js";
import { html, useEffect, useState } from "../ui/base.js";
import { Button, CopyButton, LinkButton } from "../ui/controls.js";
import { size } from "../ui/format.js";
import { Empty, Failure, Loading } from "../ui/states.js";

/** @typedef {import("../types.js").Job} Job */

const PIECE_BYTES = 400_000;
// Long texts are rendered in pieces, of which only the visible ones are laid out.
const PIECE_LINES = 120;

/** Shown until all pages are read. @param {{ what: string }} props */
export function NotYet({ what }) {
  return html`<${Empty} icon="clock" title="Not written yet">${what} can be shown when all pages are read. The Reading tab shows pages as they are read.<//>`;
}

/** Fetches an artifact from its beginning, more of it on demand. @param {Job} job @param {string} link */
function useArtifact(job, link) {
  const [seen, setSeen] = useState({
    text: "",
    total: 0,
    loaded: 0,
    empty: false,
    error: /** @type {Error | null} */ (null),
  });
  /** @param {number} from */
  async function more(from) {
    try {
      const answer = await call("GET", link, {
        headers: { Range: `bytes=${from}-${from + PIECE_BYTES - 1}` },
      });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const total = Number(
        /\/(\d+)$/.exec(answer.headers.get("content-range") ?? "")?.[1] ?? from + bytes.length,
      );
      const whole = from + bytes.length < total ? wholeLines(bytes) : bytes;
      const text = new TextDecoder().decode(whole);
      setSeen(before => {
        // Requested twice.
        if (from && from !== before.loaded) return before;
        const all = (from ? before.text : "") + text;
        return { text: all, total, loaded: from + whole.length, empty: false, error: null };
      });
    } catch (error) {
      // Of a file that is empty there is no range.
      if (error instanceof Problem && error.status === 416) setSeen(before => ({ ...before, empty: true }));
      else setSeen(before => ({ ...before, error: /** @type {Error} */ (error) }));
    }
  }
  useEffect(() => {
    if (job.revision) more(0);
  }, [link, job.revision]);
  return { ...seen, more: () => more(seen.loaded) };
}

/** The bytes up to the end of the last line, so that no character is cut. @param {Uint8Array} bytes */
function wholeLines(bytes) {
  const end = bytes.lastIndexOf(10);
  return end > 0 ? bytes.subarray(0, end + 1) : bytes;
}

/** The source of an artifact. @param {{ job: Job, name: string, what: string }} props */
export function Source({ job, name, what }) {
  const link = `/v1/jobs/${job.id}/${name}`;
  const { text, total, loaded, empty, error, more } = useArtifact(job, link);
  if (!job.revision)
    return isActive(job) ? html`<${NotYet} what=${what} />` : html`<${Empty} title="NoJobs was written" />`;
  if (error) return html`<${Failure} error=${error} />`;
  if (empty) return html`<${Empty} title="NoJobs to read">There is no text in this document.<//>`;
  if (!total && !loaded) return html`<${Loading} lines=${10} />`;
  return html`<div class="source">
    <div class="source-bar">
      <span class="muted small">${size(total)}</span>
      <${CopyButton} text=${() => call("GET", link).then(answer => answer.text())} />
      <${LinkButton} kind="quiet" icon="download" href=${link} download>Download<//>
    </div>
    <div class="source-text" tabindex="0" role="region" aria-label=${what}>
      ${pieces(text).map((piece, at) => html`<pre key=${at} style=${{ containIntrinsicSize: `auto ${PIECE_LINES * 20}px` }}>${piece}</pre>`)}
      ${loaded < total && html`<${Button} onClick=${more}>Show more (${size(total - loaded)} left)<//>`}
    </div>
  </div>`;
}

/** @param {string} text */
function pieces(text) {
  const lines = text.split("\n");
  return Array.from({ length: Math.ceil(lines.length / PIECE_LINES) }, (_, at) =>
    lines.slice(at * PIECE_LINES, (at + 1) * PIECE_LINES).join("\n"),
  );
}
