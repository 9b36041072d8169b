// The API client of the pages: errors as problems, the session header on every request, and a check that runs while the service is away.
import { createStore } from "./store.js";

/** @typedef {import("./types.js").ProblemMembers} ProblemMembers */

const FIRST_CHECK_MS = 400;
const MAX_CHECK_MS = 4_000;
const BUSY_MS = 1_500;
export const WEB_HEADERS = { "X-Pagemill-Web": "1" };

/** Whether the service answers: "up", or "lost" until it does again. @type {import("./store.js").Store<"up" | "lost">} */
export const connection = createStore(/** @type {"up" | "lost"} */ ("up"));

/** Counts the requests that were answered with 401. @type {import("./store.js").Store<number>} */
export const refusedKeys = createStore(0);

/** An error answer of the service, or a request that got no answer. */
export class Problem extends Error {
  /** @param {ProblemMembers} members */
  constructor(members) {
    super(members.detail);
    this.name = "Problem";
    this.members = members;
    this.status = members.status;
    this.code = members.code;
    this.title = members.title;
  }
}

/** The problem of a request that got no answer; the connection is checked from now on. */
export function reportUnreachable() {
  watchConnection();
  return new Problem({
    type: "about:blank",
    status: 0,
    code: "unreachable",
    title: "The service does not answer",
    detail: "It may be stopped or restarting. This page continues by itself when it is back.",
    retryable: true,
  });
}

/** The problem in an error answer. @param {number} status @param {string} text */
export function parseProblem(status, text) {
  if (status === 401) refusedKeys.set(refusedKeys.get() + 1);
  try {
    const members = JSON.parse(text);
    if (members && typeof members.code === "string") return new Problem(members);
  } catch {
    return unexpectedAnswer(status);
  }
  return unexpectedAnswer(status);
}

/** The problem of an answer that does not come from the service, such as that of a proxy. @param {number} status */
function unexpectedAnswer(status) {
  return new Problem({
    type: "about:blank",
    status,
    code: "unexpected_answer",
    title: "Unexpected answer",
    detail: `Something between this page and the service answered with status ${status}. Try again in a moment.`,
    retryable: true,
  });
}

/**
 * @typedef {object} CallOptions
 * @property {unknown} [json] sent as the body
 * @property {Record<string, string>} [headers]
 * @property {AbortSignal} [signal]
 */

/**
 * Calls the service; throws a Problem unless the answer is a success.
 * @param {string} method
 * @param {string} path
 * @param {CallOptions} [options]
 * @returns {Promise<Response>}
 */
export async function call(method, path, { json, headers = {}, signal } = {}) {
  const body = json === undefined ? undefined : JSON.stringify(json);
  /** @type {Record<string, string>} */
  const type = body === undefined ? {} : { "Content-Type": "application/json" };
  /** @type {Response} */
  let answer;
  try {
    answer = await fetch(path, { method, body, signal, headers: { ...WEB_HEADERS, ...type, ...headers } });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw reportUnreachable();
  }
  connection.set("up");
  if (!answer.ok) throw parseProblem(answer.status, await answer.text());
  return answer;
}

/**
 * The JSON body of an address.
 * @template T
 * @param {string} path
 * @param {CallOptions} [options]
 * @returns {Promise<T>}
 */
export async function getJson(path, options = {}) {
  const headers = { Accept: "application/json", ...options.headers };
  return (await call("GET", path, { ...options, headers })).json();
}

/** The text body of an address. @param {string} path @param {CallOptions} [options] */
export async function getText(path, options) {
  return (await call("GET", path, options)).text();
}

let checking = false;

/** Mark the connection as lost and check it until the service answers. */
export function watchConnection() {
  connection.set("lost");
  if (checking) return;
  checking = true;
  checkLater(FIRST_CHECK_MS);
}

/** Check after a delay whether the service answers; if not, again after a longer one. @param {number} delay_ms */
function checkLater(delay_ms) {
  setTimeout(async () => {
    if (await answersNow()) {
      checking = false;
      connection.set("up");
    } else {
      checkLater(Math.min(delay_ms * 1.5, MAX_CHECK_MS));
    }
  }, delay_ms);
}

/** Whether the service answers now. */
async function answersNow() {
  try {
    return (await fetch("/version", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

/** Resolves as soon as the service answers. @returns {Promise<void>} */
export function waitForConnection() {
  if (connection.get() === "up") return Promise.resolve();
  return new Promise(resolve => {
    const stop = connection.watch(() => {
      stop();
      resolve();
    });
  });
}

/** Waits until a retry makes sense; returns false if the error is final. @param {unknown} error */
export async function waitToRetry(error) {
  if (!(error instanceof Problem) || !error.members.retryable) return false;
  if (error.code !== "unreachable") await new Promise(resolve => setTimeout(resolve, BUSY_MS));
  await waitForConnection();
  return true;
}
