// Documents on their way to the service: a few at a time, each sent again by itself if the connection breaks.
import { connection, problemIn, unreachable, WEB_HEADERS, whenUp } from "../api.js";
import { remember } from "../recent.js";
import { createStore } from "../store.js";

/** @typedef {import("../api.js").Problem} Problem */

/**
 * @typedef {object} Upload
 * @property {string} key tells uploads apart, here and to the service
 * @property {File} file
 * @property {Record<string, string>} fields the options
 * @property {"waiting" | "sending" | "away" | "accepted" | "refused"} phase away: the service does not answer
 * @property {number} share how much of it was sent
 * @property {string | null} jobId
 * @property {Problem | null} problem
 */

// Browsers open six connections to one server; some are needed to watch what was sent.
const MOST_AT_ONCE = 3;

/** Everything that was handed in since the page was loaded, newest first. @type {import("../store.js").Store<Upload[]>} */
export const uploads = createStore(/** @type {Upload[]} */ ([]));
let sending = 0;

/** Hand in files with these options. @param {File[]} files @param {Record<string, string>} fields */
export function handIn(files, fields) {
  const added = files.map(file => freshUpload(file, fields));
  uploads.set([...added, ...uploads.get()]);
  sendNext();
  return added;
}

/** @param {File} file @param {Record<string, string>} fields @returns {Upload} */
function freshUpload(file, fields) {
  const key = Array.from(crypto.getRandomValues(new Uint8Array(12)), byte =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  return { key, file, fields, phase: "waiting", share: 0, jobId: null, problem: null };
}

/** Take a document off the list. @param {string} key */
export function dismiss(key) {
  uploads.set(uploads.get().filter(upload => upload.key !== key));
}

/** Send a document once more that was refused. @param {string} key */
export function sendAgain(key) {
  change(key, { phase: "waiting", share: 0, problem: null });
  sendNext();
}

/** The job of a document, once the service has made it; nothing if it was refused. @param {string} key @returns {Promise<string | null>} */
export function jobOf(key) {
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
function change(key, changes) {
  uploads.set(uploads.get().map(upload => (upload.key === key ? { ...upload, ...changes } : upload)));
}

function sendNext() {
  const next = uploads.get().find(upload => upload.phase === "waiting");
  if (!next || sending >= MOST_AT_ONCE) return;
  sending += 1;
  change(next.key, { phase: "sending" });
  deliver(next)
    .then(
      jobId => change(next.key, { phase: "accepted", share: 1, jobId }),
      problem => change(next.key, { phase: "refused", problem }),
    )
    .finally(() => {
      sending -= 1;
      sendNext();
    });
  sendNext();
}

/** The id of the job that was made; waits for a service that is away. @param {Upload} upload @returns {Promise<string>} */
async function deliver(upload) {
  while (true) {
    try {
      await answering(upload.key);
      const jobId = await post(upload);
      remember({ method: "POST", path: "/v1/jobs", filename: upload.file.name, fields: upload.fields });
      return jobId;
    } catch (error) {
      if (/** @type {Problem} */ (error).code !== "unreachable") throw error;
    }
  }
}

/** Done when the service answers; meanwhile the document is shown as waiting for it. @param {string} key */
async function answering(key) {
  if (connection.get() === "up") return;
  change(key, { phase: "away", share: 0 });
  await whenUp();
  change(key, { phase: "sending" });
}

/** Sends a document; not with fetch, which tells nothing of its progress. @param {Upload} upload @returns {Promise<string>} */
function post({ key, file, fields }) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/v1/jobs");
    request.setRequestHeader("Idempotency-Key", key);
    for (const [name, value] of Object.entries(WEB_HEADERS)) request.setRequestHeader(name, value);
    request.upload.onprogress = event => change(key, { share: event.loaded / event.total });
    request.onerror = () => reject(unreachable());
    request.onload = () => {
      if (request.status < 300) resolve(JSON.parse(request.responseText).id);
      else reject(problemIn(request.status, request.responseText));
    };
    request.send(form);
  });
}
