// The Ask tab: questions to the document, answered as the model writes, with citations that light their boxes.
import { parseProblem, WEB_HEADERS } from "../api.js";
import { isActive } from "../job.js";
import { html, useState } from "../ui/base.js";
import { Button, TextField } from "../ui/controls.js";
import { Notice } from "../ui/states.js";
import { NotYet } from "./sources.js";

/** @typedef {import("../types.js").Job} Job */
/** @typedef {import("./factspane.js").OnSpot} OnSpot */
/** @typedef {{ number: number, page: number, quote: string, boxes: { page: number, block: string | null, box: import("./types.js").Box | null }[] }} Citation */
/** @typedef {{ answered: boolean, answer: string | null, reason: string | null, citations: Citation[], unsupported_numbers: string[], uncited_numbers: number[] }} Answer */

/** The events of a stream, one after the other. @param {Response} answer @returns {AsyncGenerator<{ name: string, data: any }>} */
async function* eventsOf(answer) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    rest += decoder.decode(value, { stream: !done });
    const blocks = rest.split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const [name, data] = block.split("\n").map(line => line.slice(line.indexOf(":") + 2));
      yield { name, data: JSON.parse(data) };
    }
    if (done) return;
  }
}

/** Asks; pieces of the answer come as they are written. @param {string} job_id @param {string} question @param {(text: string) => void} onPiece @returns {Promise<Answer>} */
async function ask(job_id, question, onPiece) {
  const answer = await fetch("/v1/ask", {
    method: "POST",
    headers: { ...WEB_HEADERS, "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify({ question, job_id }),
  });
  if (!answer.ok) throw parseProblem(answer.status, await answer.text());
  for await (const { name, data } of eventsOf(answer)) {
    if (name === "delta") onPiece(data.text);
    else if (name === "error") throw new Error(data.message);
    else return data;
  }
  throw new Error("The answer broke off. Ask again.");
}

/** @param {{ job: Job, onSpot: OnSpot }} props */
export function AskPane({ job, onSpot }) {
  const [question, setQuestion] = useState("");
  const [text, setText] = useState("");
  const [answer, setAnswer] = useState(/** @type {Answer | null} */ (null));
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  if (!job.revision || isActive(job)) return html`<${NotYet} what="Answers" />`;
  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    setBusy(true);
    setText("");
    setAnswer(null);
    setError("");
    try {
      setAnswer(await ask(job.id, question.trim(), piece => setText(before => before + piece)));
    } catch (problem) {
      setError(/** @type {Error} */ (problem).message);
    }
    setBusy(false);
  }
  return html`<div class="extracts facts" tabindex="0" role="region" aria-label="Questions">
    <section class="extract" aria-label="Ask">
    <form class="facts-form" onSubmit=${submit}>
      <${TextField} label="Question to this document" value=${question} onChange=${setQuestion} hint="Answered by the language model of the service, from this document alone." />
      <${Button} type="submit" kind="primary" busy=${busy} disabled=${!question.trim()}>Ask<//>
    </form>
    <div aria-live="polite">
      ${error && html`<${Notice} kind="warn"><p>${error}</p><//>`}
      ${text && html`<p class="ask-answer" dir="auto">${answer?.answer ?? text}</p>`}
      ${answer && !answer.answered && html`<${Notice} kind="warn"><p>${answer.reason}</p><//>`}
      ${answer && answer.unsupported_numbers.length > 0 && html`<p class="muted small">Not in any citation: ${answer.unsupported_numbers.join(", ")}</p>`}
      ${answer && answer.uncited_numbers.length > 0 && html`<p class="muted small">Named, but nothing was quoted of it: ${answer.uncited_numbers.map(one => `[${one}]`).join(", ")}</p>`}
    </div>
    </section>
    ${answer && answer.citations.length > 0 && html`<${Citations} citations=${answer.citations} onSpot=${onSpot} />`}
  </div>`;
}

/** @param {{ citations: Citation[], onSpot: OnSpot }} props */
function Citations({ citations, onSpot }) {
  return html`<section class="extract" aria-label="Citations">
    <header><h2>Citations</h2></header>
    <ul class="facts-list">${citations.map(
      (
        one,
        at,
      ) => html`<li key=${at}><button type="button" class="facts-row" onClick=${() => onSpot(one.boxes[0])}>
        <span class="muted small">[${one.number}]</span> <span class="facts-value" dir="auto">${one.quote}</span> <span class="muted small">page ${one.page}</span>
      </button></li>`,
    )}</ul>
  </section>`;
}
