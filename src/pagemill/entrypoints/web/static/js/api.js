// The way to the API: errors as problems, the session's header on every request, and a connection that heals itself.
import { createStore } from "./store.js";

/** @typedef {import("./types.js").ProblemMembers} ProblemMembers */

const FIRST_LOOK_MS = 400;
const LONGEST_LOOK_MS = 4_000;
const BUSY_MS = 1_500;
export const WEB_HEADERS = { "X-Pagemill-Web": "1" };

/** Whether the service answers: "up", or "lost" until it does again. @type {import("./store.js").Store<"up" | "lost">} */
export const connection = createStore(/** @type {"up" | "lost"} */ ("up"));

/** Rings when the service asks for a key. @type {import("./store.js").Store<number>} */
export const refusedKeys = createStore(0);

/** An error that the service told, or that kept it from telling anything. */
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

/** The problem of a service that does not answer. */
export function unreachable() {
  connectionLost();
  return new Problem({
    status: 0,
    code: "unreachable",
    title: "The service does not answer",
    detail: "It may be stopped or restarting. This page goes on by itself as soon as it answers again.",
    retryable: true,
  });
}

/** The problem that an answer tells. @param {number} status @param {string} text */
export function problemIn(status, text) {
  if (status === 401) refusedKeys.set(refusedKeys.get() + 1);
  try {
    const members = JSON.parse(text);
    if (members && typeof members.code === "string") return new Problem(members);
  } catch {
    return strange(status);
  }
  return strange(status);
}

/** The problem of an answer that is none of the service's own, from a proxy for instance. @param {number} status */
function strange(status) {
  return new Problem({
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
 * Calls the service; a Problem is thrown for whatever is no success.
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
    throw unreachable();
  }
  connection.set("up");
  if (!answer.ok) throw problemIn(answer.status, await answer.text());
  return answer;
}

/**
 * What an address tells in JSON.
 * @template T
 * @param {string} path
 * @param {CallOptions} [options]
 * @returns {Promise<T>}
 */
export async function getJson(path, options = {}) {
  const headers = { Accept: "application/json", ...options.headers };
  return (await call("GET", path, { ...options, headers })).json();
}

/** What an address tells as text. @param {string} path @param {CallOptions} [options] */
export async function getText(path, options) {
  return (await call("GET", path, options)).text();
}

let looking = false;

/** Say that the service does not answer, and look until it does. */
export function connectionLost() {
  connection.set("lost");
  if (looking) return;
  looking = true;
  look(FIRST_LOOK_MS);
}

/** Look whether the service answers; if not, once more after a while. @param {number} delay_ms */
function look(delay_ms) {
  setTimeout(async () => {
    if (await isAlive()) {
      looking = false;
      connection.set("up");
    } else {
      look(Math.min(delay_ms * 1.5, LONGEST_LOOK_MS));
    }
  }, delay_ms);
}

/** Whether the service answers now. */
async function isAlive() {
  try {
    return (await fetch("/version", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

/** Done as soon as the service answers. @returns {Promise<void>} */
export function whenUp() {
  if (connection.get() === "up") return Promise.resolve();
  return new Promise(resolve => {
    const stop = connection.watch(() => {
      stop();
      resolve();
    });
  });
}

/** Whether it is worth trying again after an error; waits until then. @param {unknown} error */
export async function isWorthAnother(error) {
  if (!(error instanceof Problem) || !error.members.retryable) return false;
  if (error.code !== "unreachable") await new Promise(resolve => setTimeout(resolve, BUSY_MS));
  await whenUp();
  return true;
}
