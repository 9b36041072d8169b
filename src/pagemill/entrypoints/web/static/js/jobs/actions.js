// Actions on jobs, one or many at a time.
import { call } from "../api.js";
import { isActive } from "../job.js";
import { saveRequest } from "../lastrequest.js";
import { notify } from "../ui/announce.js";
import { count } from "../ui/format.js";

/** @typedef {import("../types.js").Job} Job */

/**
 * @typedef {object} Action
 * @property {string} verb as on the button
 * @property {string} past as in the notification
 * @property {string} icon
 * @property {(job: Job) => boolean} fits
 * @property {(job: Job) => { method: string, path: string, json?: object }} request
 */

/** @type {Record<"cancel" | "retry" | "remove", Action>} */
export const ACTIONS = {
  cancel: {
    verb: "Cancel",
    past: "cancelled",
    icon: "stop",
    fits: isActive,
    request: job => ({ method: "POST", path: `/v1/jobs/${job.id}/cancel` }),
  },
  retry: {
    verb: "Retry",
    past: "started again",
    icon: "retry",
    fits: job => !isActive(job),
    request: job => ({
      method: "POST",
      path: `/v1/jobs/${job.id}/retry`,
      json: { only: job.revision && job.failed_pages.length ? "failed" : "all" },
    }),
  },
  remove: {
    verb: "Delete",
    past: "deleted",
    icon: "trash",
    fits: () => true,
    request: job => ({ method: "DELETE", path: `/v1/jobs/${job.id}` }),
  },
};

const MAX_AT_ONCE = 3;

/** Run an action on all jobs that it fits, and notify of the outcome. @param {Action} action @param {Job[]} jobs */
export async function runOnAll(action, jobs) {
  const waiting = jobs.filter(action.fits);
  const total = waiting.length;
  /** @type {Error[]} */
  const errors = [];
  async function work() {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      await runOnOne(action, job).catch(error => errors.push(error));
    }
  }
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, work));
  if (errors.length) notify(`${errors.length} of ${count(total, "job")}: ${errors[0].message}`, "bad");
  else notify(`${count(total, "job")} ${action.past}.`);
}

/** @param {Action} action @param {Job} job */
async function runOnOne(action, job) {
  const { method, path, json } = action.request(job);
  await call(method, path, { json });
  saveRequest({ method, path, json });
}
