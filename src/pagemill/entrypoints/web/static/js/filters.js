// The filters of documents: in the address of a page, so that a link can be shared, and in a query to the API.

/**
 * What documents must have; what is empty excludes nothing. Days are written as 2026-11-15.
 * @typedef {{ collection: string, tags: string[], metadata: string[], class: string, type: string, since: string, until: string }} Filters
 */

/** The filters in the address of a page. @param {URLSearchParams} query @returns {Filters} */
export function filtersIn(query) {
  const one = (/** @type {string} */ name) => query.get(name)?.trim() ?? "";
  const several = (/** @type {string} */ name) =>
    query
      .getAll(name)
      .map(text => text.trim())
      .filter(Boolean);
  return {
    collection: one("collection"),
    tags: several("tag"),
    metadata: several("metadata"),
    class: one("class"),
    type: one("type"),
    since: one("since"),
    until: one("until"),
  };
}

/** Filters as changes of the address. @param {Filters} filters @returns {Record<string, string | string[] | null>} */
export function addressOf({ tags, ...others }) {
  return { ...others, tag: tags };
}

/** How many filters there are. @param {Filters} filters */
export function countFilters(filters) {
  return Object.values(filters).flat().filter(Boolean).length;
}

/** Add filters to a query of the API. @param {URLSearchParams} query @param {Filters} filters */
export function addFilters(query, filters) {
  if (filters.collection) query.set("collection", filters.collection);
  for (const tag of filters.tags) query.append("tag", tag);
  for (const entry of filters.metadata) query.append("metadata", entry);
  if (filters.class) query.set("class", filters.class);
  if (filters.type) query.set("type", filters.type);
  if (isDay(filters.since)) query.set("created_after", new Date(`${filters.since}T00:00`).toISOString());
  if (isDay(filters.until)) query.set("created_before", new Date(dayAfter(filters.until)).toISOString());
}

/**
 * Each label and kind that documents must have, in words, with the filters that are left without it.
 * @param {Filters} filters
 * @returns {{ words: string, without: Filters }[]}
 */
export function labelFilters(filters) {
  const one = (/** @type {"collection" | "class" | "type"} */ name) =>
    filters[name] ? [{ words: `${name}: ${filters[name]}`, without: { ...filters, [name]: "" } }] : [];
  const several = (/** @type {"tags" | "metadata"} */ name, /** @type {string} */ before) =>
    filters[name].map(text => ({
      words: `${before}${text}`,
      without: { ...filters, [name]: filters[name].filter(other => other !== text) },
    }));
  return [
    ...one("collection"),
    ...several("tags", "tag: "),
    ...several("metadata", ""),
    ...one("class"),
    ...one("type"),
  ];
}

/** @param {string} text */
function isDay(text) {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** The beginning of the next day in the time zone of the browser. @param {string} text */
function dayAfter(text) {
  const day = new Date(`${text}T00:00`);
  return day.setDate(day.getDate() + 1);
}
