// The page of routing rules and classes: what is done with which documents, tried on a job before it counts.
import { call, getJson } from "./api.js";
import { draftOf, EMPTY, lines, ruleOf } from "./ruledraft.js";
import { notify } from "./ui/announce.js";
import { html, useState } from "./ui/base.js";
import { Button, Checkbox, Select, TextArea, TextField } from "./ui/controls.js";
import { Confirm } from "./ui/dialog.js";
import { count } from "./ui/format.js";
import { usePolled } from "./ui/poll.js";
import { Empty, Failure, Loading, Notice } from "./ui/states.js";
import { StatusWord } from "./ui/status.js";

/** @typedef {import("./ruledraft.js").Rule} Rule */
/** @typedef {{ name: string, matches: boolean, acts: boolean, unmet: string[], warnings: string[] }} Trial */
/** @typedef {import("./ruledraft.js").Draft} Draft */

const POLL_MS = 5_000;
const MODES = [
  ["", "As asked"],
  ["fast", "Fast"],
  ["accurate", "Accurate"],
];
const OCR = [
  ["", "As asked"],
  ["auto", "Where needed"],
  ["force", "Every page"],
  ["off", "Never"],
];
const SPLITS = [
  ["", "As asked"],
  ["off", "Never"],
  ["suggest", "Suggest parts"],
  ["auto", "Into documents"],
];
const LANES = [
  ["", "By size"],
  ["fast", "Fast"],
  ["bulk", "Bulk"],
];

/** The page at `/rules`. */
export default function Page() {
  const [edited, setEdited] = useState(/** @type {Rule | null} */ (null));
  const [warnings, setWarnings] = useState(/** @type {string[]} */ ([]));
  const { data, error, refresh } = usePolled(
    () => /** @type {Promise<{ rules: Rule[] }>} */ (getJson("/v1/rules")),
    POLL_MS,
  );
  async function done() {
    setEdited(null);
    await refresh();
  }
  return html`<div class="lists">
    <header class="page-head"><h1>Rules</h1></header>
    <${Editor} key=${edited?.id ?? "new"} rule=${edited} onDone=${done} setWarnings=${setWarnings} />
    <div aria-live="polite">${warnings.length > 0 && html`<${Notice} kind="warn"><p>The rule may never match: ${warnings.join("; ")}.</p><//>`}</div>
    ${!data && (error ? html`<${Failure} error=${error} onRetry=${refresh} />` : html`<${Loading} lines=${4} />`)}
    ${data && !data.rules.length && html`<${Empty} icon="spark" title="No rules yet">Rules tag, sort and send on documents by what they are. Make one above.<//>`}
    ${data && data.rules.length > 0 && html`<ol class="card list">${data.rules.map(one => html`<${RuleRow} key=${one.id} rule=${one} onEdit=${() => setEdited(one)} onChange=${done} />`)}</ol>`}
    <${Classes} />
  </div>`;
}

/** Makes a rule or changes one; a dry run shows what it would do. @param {{ rule: Rule | null, onDone: () => Promise<void>, setWarnings: (found: string[]) => void }} props */
function Editor({ rule, onDone, setWarnings }) {
  const [draft, setDraft] = useState(rule ? draftOf(rule) : EMPTY);
  const [job, setJob] = useState("");
  const [trials, setTrials] = useState(/** @type {Trial[]} */ ([]));
  /** @param {string} name */
  const set = name => (/** @type {any} */ value) => setDraft({ ...draft, [name]: value });
  /** @param {() => Promise<void>} act */
  const attempt = act => act().catch(error => notify(error.message, "bad"));
  /** @param {Event} event */
  function save(event) {
    event.preventDefault();
    return attempt(async () => {
      const path = rule ? `/v1/rules/${rule.id}` : "/v1/rules";
      const answer = await call(rule ? "PUT" : "POST", path, { json: ruleOf(draft, rule) });
      setWarnings((await answer.json()).warnings);
      notify(rule ? "The rule was changed." : "The rule was made.");
      setDraft(EMPTY);
      setTrials([]);
      await onDone();
    });
  }
  const tryOut = () =>
    attempt(async () => {
      const answer = await call("POST", `/v1/jobs/${encodeURIComponent(job.trim())}/rules`, {
        json: { rules: [ruleOf(draft, rule)] },
      });
      setTrials((await answer.json()).rules);
    });
  return html`<form class="card list-form rule-form" aria-label=${rule ? "Change a rule" : "New rule"} onSubmit=${save}>
    <${TextField} label="Name" value=${draft.name} onChange=${set("name")} />
    <fieldset><legend>If all of this holds</legend>
      <${TextField} label="Class" value=${draft.classes} onChange=${set("classes")} hint="One of these, such as invoice, letter." />
      <${TextArea} label="Entities" value=${draft.entities} onChange=${set("entities")} hint="One per line, such as total >= 1000 <= 5000 or iban DE*." />
      <${TextField} label="Filename" value=${draft.filename} onChange=${set("filename")} hint="A pattern, such as *.eml." />
      <${TextField} label="Media type" value=${draft.mediaType} onChange=${set("mediaType")} hint="A pattern, such as image/*." />
      <${TextArea} label="Metadata" value=${draft.metadata} onChange=${set("metadata")} hint="Patterns, one per line, such as customer: 47*." />
      <${TextField} label="Has a tag" value=${draft.hasTags} onChange=${set("hasTags")} />
      <${TextField} label="In collection" value=${draft.inCollection} onChange=${set("inCollection")} />
    </fieldset>
    <fieldset><legend>Then</legend>
      <${TextField} label="Add tags" value=${draft.tags} onChange=${set("tags")} />
      <${TextField} label="Put into collection" value=${draft.collection} onChange=${set("collection")} />
      <${TextField} label="Enrich with" value=${draft.enrich} onChange=${set("enrich")} hint="Such as facts, names." />
      <${Select} label="Mode" value=${draft.mode} onChange=${set("mode")} choices=${MODES} />
      <${Select} label="OCR" value=${draft.ocr} onChange=${set("ocr")} choices=${OCR} />
      <${TextField} label="Languages" value=${draft.languages} onChange=${set("languages")} hint="Such as de, en." />
      <${Select} label="Split stacks" value=${draft.split} onChange=${set("split")} choices=${SPLITS} />
      <${Select} label="Queue" value=${draft.lane} onChange=${set("lane")} choices=${LANES} />
      <${TextField} label="Priority" value=${draft.priority} onChange=${set("priority")} hint="From -10 to 10." />
      <${TextField} label="Notify address" value=${draft.webhook} onChange=${set("webhook")} />
      <${TextField} label="Push to folder" value=${draft.folder} onChange=${set("folder")} />
    </fieldset>
    <div class="rule-checks">
      <${Checkbox} checked=${draft.enabled} onChange=${set("enabled")}>In force<//>
      <${Checkbox} checked=${draft.stop} onChange=${set("stop")}>Try no later rule on what it matches<//>
    </div>
    <div class="rule-try">
      <${TextField} label="Job for a dry run" value=${job} onChange=${setJob} hint="The id of a finished job." />
      <${Button} disabled=${!job.trim()} onClick=${tryOut}>Dry run<//>
    </div>
    <div aria-live="polite">${trials.map(one => html`<${TrialText} key=${one.name} trial=${one} />`)}</div>
    <div class="rule-actions">
      <${Button} type="submit" kind="primary" disabled=${!draft.name.trim()}>${rule ? "Save rule" : "Add rule"}<//>
      ${rule && html`<${Button} kind="quiet" onClick=${onDone}>Leave as it is<//>`}
    </div>
  </form>`;
}

/** @param {{ trial: Trial }} props */
function TrialText({ trial }) {
  if (trial.matches)
    return html`<p><${StatusWord} status="completed" text="matches" /> The rule would act on this job.</p>`;
  return html`<p><${StatusWord} status="failed" text="no match" /> ${[...trial.unmet, ...trial.warnings].join("; ")}</p>`;
}

/** @param {{ rule: Rule, onEdit: () => void, onChange: () => Promise<void> }} props */
function RuleRow({ rule, onEdit, onChange }) {
  const [asking, setAsking] = useState(false);
  async function remove() {
    try {
      await call("DELETE", `/v1/rules/${rule.id}`);
      notify("The rule was deleted.");
      await onChange();
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
    }
  }
  const draft = draftOf(rule);
  const asked = [
    draft.classes,
    lines(draft.entities).join(", "),
    draft.filename,
    draft.mediaType,
    lines(draft.metadata).join(", "),
    draft.hasTags,
    draft.inCollection,
  ];
  const done = [
    draft.tags,
    draft.collection,
    draft.enrich,
    draft.mode,
    draft.lane,
    draft.webhook,
    draft.folder,
  ];
  return html`<li class="list-row">
    <div class="list-text">
      <span class="list-name">${rule.name} ${!rule.enabled && html`<${StatusWord} status="cancelled" text="off" />`}</span>
      <span class="muted small">${asked.filter(Boolean).join(" · ")} → ${done.filter(Boolean).join(" · ")}</span>
    </div>
    <div class="list-actions">
      <${Button} onClick=${onEdit}>Change<//>
      <${Button} kind="quiet" onClick=${() => setAsking(true)}>Delete<//>
    </div>
    ${asking && html`<${Confirm} title="Delete this rule?" confirm="Delete" kind="danger" onClose=${() => setAsking(false)} onConfirm=${remove}>What it did stays as it is.<//>`}
  </li>`;
}

/** The classes with their labelled examples. */
function Classes() {
  const { data, refresh } = usePolled(
    () => /** @type {Promise<{ classes: { name: string, examples: number }[] }>} */ (getJson("/v1/classes")),
    POLL_MS,
  );
  /** @param {string} name */
  async function remove(name) {
    try {
      await call("DELETE", `/v1/classes/${encodeURIComponent(name)}`);
      await refresh();
    } catch (error) {
      notify(/** @type {Error} */ (error).message, "bad");
    }
  }
  return html`<section aria-label="Classes">
    <div class="list-head"><h2>Classes</h2></div>
    ${data && !data.classes.length && html`<p class="muted">Label documents in their tab Facts, and others like them get the same class.</p>`}
    ${
      data &&
      data.classes.length > 0 &&
      html`<ul class="card list">${data.classes.map(
        one => html`<li class="list-row" key=${one.name}>
        <div class="list-text"><span class="list-name">${one.name}</span> <span class="muted small">${count(one.examples, "example")}</span></div>
        <div class="list-actions"><${Button} kind="quiet" onClick=${() => remove(one.name)}>Delete<//></div>
      </li>`,
      )}</ul>`
    }
  </section>`;
}
