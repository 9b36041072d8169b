// The form of a routing rule: what its fields hold, and the rule that they describe.

/** @typedef {{ id: string, name: string, position: number, enabled: boolean, stop: boolean, when: any, then: any }} Rule */
/** @typedef {Record<string, any>} Draft */

/** @type {Draft} */
export const EMPTY = {
  name: "",
  classes: "",
  entities: "",
  filename: "",
  mediaType: "",
  metadata: "",
  hasTags: "",
  inCollection: "",
  tags: "",
  collection: "",
  mode: "",
  ocr: "",
  enrich: "",
  languages: "",
  split: "",
  lane: "",
  priority: "",
  webhook: "",
  folder: "",
  enabled: true,
  stop: false,
};

/** @param {string} text */
const names = text =>
  text
    .split(",")
    .map(one => one.trim())
    .filter(Boolean);

/** @param {string} text */
export const lines = text =>
  text
    .split("\n")
    .map(one => one.trim())
    .filter(Boolean);

/** A condition on entities as it is written: `total >= 1000 <= 5000`, `iban DE*` or `vat_id`. Throws an error if it is none. @param {string} line */
function parseEntity(line) {
  /** @type {Draft} */
  const bounds = {};
  const rest = line.replace(/(>=|<=)\s*(-?\d+(?:\.\d+)?)(?=\s|$)/g, (_, sign, number) => {
    bounds[sign === ">=" ? "at_least" : "at_most"] = Number(number);
    return "";
  });
  if (/[<>]/.test(rest))
    throw new Error(`Entities: “${line}” is no condition. Write bounds as in total >= 1000.50 <= 5000.`);
  const [type, ...value] = rest.trim().split(/\s+/);
  return filled({ type, value: value.join(" "), ...bounds });
}

/** @param {any} one */
function entityText({ type, value, at_least, at_most }) {
  return [type, value, at_least !== undefined && `>= ${at_least}`, at_most !== undefined && `<= ${at_most}`]
    .filter(Boolean)
    .join(" ");
}

/** Conditions on entities, one per line. @param {any} when */
const entityLines = when => (when?.entities ?? []).map(entityText).join("\n");

/** Entries of metadata, one per line. @param {any} when */
const metadataLines = when =>
  Object.entries(when?.metadata ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

/** Entries of metadata as they are written: `customer: 47*`. Throws an error for a line without a name. @param {string} text */
function parseMetadata(text) {
  const wrong = lines(text).find(one => one.indexOf(":") < 1);
  if (wrong) throw new Error(`Metadata: “${wrong}” has no name. Write it as in customer: 47*.`);
  const pairs = lines(text).map(one => [one.split(":")[0].trim(), one.slice(one.indexOf(":") + 1).trim()]);
  return pairs.length ? Object.fromEntries(pairs) : "";
}

/** An object without what is empty. @param {Draft} values */
function filled(values) {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([, value]) => value !== "" && value !== undefined && !(Array.isArray(value) && !value.length),
    ),
  );
}

/** The rule that a form describes. @param {Draft} draft @param {Rule | null} former */
export function ruleOf(draft, former) {
  // What was not changed stays as it is, also if it can't be written in a line.
  const sameEntities = former && draft.entities === entityLines(former.when);
  const sameMetadata = former && draft.metadata === metadataLines(former.when);
  const when = filled({
    ...(former?.when ?? {}),
    class: names(draft.classes),
    entities: sameEntities ? former.when.entities : lines(draft.entities).map(parseEntity),
    filename: draft.filename.trim(),
    media_type: draft.mediaType.trim(),
    metadata: sameMetadata ? former.when.metadata : parseMetadata(draft.metadata),
    tags: names(draft.hasTags),
    collection: draft.inCollection.trim(),
  });
  const options = filled({
    ...(former?.then.options ?? {}),
    mode: draft.mode,
    ocr: draft.ocr,
    enrich: names(draft.enrich),
    languages: names(draft.languages),
    split: draft.split,
  });
  const then = filled({
    ...(former?.then ?? {}),
    options: Object.keys(options).length ? options : "",
    tags: names(draft.tags),
    collection: draft.collection.trim(),
    lane: draft.lane,
    priority: draft.priority.trim() ? Number(draft.priority) : "",
    webhook_url: draft.webhook.trim(),
    push_to: draft.folder.trim(),
  });
  return { name: draft.name.trim(), when, then, enabled: draft.enabled, stop: draft.stop };
}

/** The form of a rule. @param {Rule} rule @returns {Draft} */
export function draftOf({ name, when, then, enabled, stop }) {
  return {
    name,
    enabled,
    stop,
    classes: (when.class ?? []).join(", "),
    entities: entityLines(when),
    filename: when.filename ?? "",
    mediaType: when.media_type ?? "",
    metadata: metadataLines(when),
    hasTags: (when.tags ?? []).join(", "),
    inCollection: when.collection ?? "",
    tags: (then.tags ?? []).join(", "),
    collection: then.collection ?? "",
    mode: then.options?.mode ?? "",
    ocr: then.options?.ocr ?? "",
    enrich: (then.options?.enrich ?? []).join(", "),
    languages: (then.options?.languages ?? []).join(", "),
    split: then.options?.split ?? "",
    lane: then.lane ?? "",
    priority: String(then.priority ?? ""),
    webhook: then.webhook_url ?? "",
    folder: then.push_to ?? "",
  };
}
