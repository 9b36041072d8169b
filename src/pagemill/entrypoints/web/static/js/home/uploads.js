// Uploads: a few at a time; each is sent again by itself if the connection breaks.
import { call, connection, parseProblem, reportUnreachable, WEB_HEADERS, waitForConnection } from "../api.js";
import { saveRequest } from "../lastrequest.js";
import { createStore } from "../store.js";

/** @typedef {import("../api.js").Problem} Problem */
/** @typedef {import("../types.js").Job} Job */

/**
 * @typedef {object} Upload
 * @property {string} key identifies the upload, here and as its idempotency key
 * @property {File} file empty for a document that the service fetches
 * @property {string | null} url where the service fetches the document from
 * @property {Record<string, string>} fields the options
 * @property {"waiting" | "sending" | "offline" | "accepted" | "refused"} phase offline: the service does not answer
 * @property {number} sent_bytes
 * @property {string | null} jobId
 * @property {Job | null} job as last seen
 * @property {Problem | null} problem
 */

// Browsers open six connections to one server; some are needed to watch the jobs.
const MAX_AT_ONCE = 3;

/** All uploads since the page was loaded, newest first. @type {import("../store.js").Store<Upload[]>} */
export const uploads = createStore(/** @type {Upload[]} */ ([]));
let sending = 0;

/** Upload files with these options. @param {File[]} files @param {Record<string, string>} fields */
export function submitFiles(files, fields) {
  const added = files.map(file => newUpload(file, fields));
  uploads.set([...added, ...uploads.get()]);
  sendNext();
  return added;
}

/** Have the service fetch a document from a URL. @param {string} url @param {Record<string, string>} fields */
export function submitUrl(url, fields) {
  const added = newUpload(new File([], nameOfUrl(url)), fields, url);
  uploads.set([added, ...uploads.get()]);
  sendNext();
  return added;
}

/** The last part of a URL's path, or else the URL. @param {string} url */
function nameOfUrl(url) {
  const path = url.split(/[?#]/)[0].replace(/^[a-z]+:\/\/[^/]*/i, "");
  return path.split("/").pop() || url;
}

/** @param {File} file @param {Record<string, string>} fields @param {string | null} url @returns {Upload} */
function newUpload(file, fields, url = null) {
  const key = Array.from(crypto.getRandomValues(new Uint8Array(12)), byte =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  return { key, file, url, fields, phase: "waiting", sent_bytes: 0, jobId: null, job: null, problem: null };
}

/** Remove an upload from the list. @param {string} key */
export function removeUpload(key) {
  uploads.set(uploads.get().filter(upload => upload.key !== key));
}

/** Send an upload again that was refused. @param {string} key */
export function sendAgain(key) {
  updateUpload(key, { phase: "waiting", sent_bytes: 0, problem: null });
  sendNext();
}

/** The id of an upload's job, once there is one; null if the upload was refused. @param {string} key @returns {Promise<string | null>} */
export function waitForJob(key) {
  return new Promise(resolve => {
    const stop = uploads.watch(list => {
      const upload = list.find(one => one.key === key);
      if (upload && !["accepted", "refused"].includes(upload.phase)) return;
      stop();
      resolve(upload?.jobId ?? null);
    });
  });
}

/** @param {string} key @param {Partial<Upload>} changes */
export function updateUpload(key, changes) {
  uploads.set(uploads.get().map(upload => (upload.key === key ? { ...upload, ...changes } : upload)));
}

function sendNext() {
  const next = uploads.get().find(upload => upload.phase === "waiting");
  if (!next || sending >= MAX_AT_ONCE) return;
  sending += 1;
  updateUpload(next.key, { phase: "sending" });
  sendWithRetry(next)
    .then(
      jobId => updateUpload(next.key, { phase: "accepted", jobId }),
      problem => updateUpload(next.key, { phase: "refused", problem }),
    )
    .finally(() => {
      sending -= 1;
      sendNext();
    });
  sendNext();
}

/** Send an upload, again and again while the service is away; returns the id of its job. @param {Upload} upload @returns {Promise<string>} */
async function sendWithRetry(upload) {
  while (true) {
    try {
      await waitForService(upload.key);
      const jobId = await (upload.url === null ? postForm(upload) : postUrl(upload));
      if (upload.url === null)
        saveRequest({ method: "POST", path: "/v1/jobs", filename: upload.file.name, fields: upload.fields });
      return jobId;
    } catch (error) {
      if (/** @type {Problem} */ (error).code !== "unreachable") throw error;
    }
  }
}

/** Resolves when the service answers; until then the upload is shown as waiting for it. @param {string} key */
async function waitForService(key) {
  if (connection.get() === "up") return;
  updateUpload(key, { phase: "offline", sent_bytes: 0 });
  await waitForConnection();
  updateUpload(key, { phase: "sending" });
}

/** Name a document by its URL. @param {Upload} upload @returns {Promise<string>} */
async function postUrl({ key, url, fields }) {
  const answer = await call("POST", "/v1/jobs", {
    json: { url, ...fields },
    headers: { "Idempotency-Key": key },
  });
  return (await answer.json()).id;
}

/** Send a document; not with fetch, which reports no progress. @param {Upload} upload @returns {Promise<string>} */
function postForm({ key, file, fields }) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/v1/jobs");
    request.setRequestHeader("Idempotency-Key", key);
    for (const [name, value] of Object.entries(WEB_HEADERS)) request.setRequestHeader(name, value);
    request.upload.onprogress = event =>
      updateUpload(key, { sent_bytes: (file.size * event.loaded) / event.total });
    request.onerror = () => reject(reportUnreachable());
    request.onload = () => {
      if (request.status < 300) resolve(JSON.parse(request.responseText).id);
      else reject(parseProblem(request.status, request.responseText));
    };
    request.send(form);
  });
}
