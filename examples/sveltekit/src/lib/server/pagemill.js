// Requests to pagemill are made on the server only, so that the key never reaches a browser.
import { env } from "$env/dynamic/private";

/**
 * Ask pagemill something.
 * @param {string} path
 * @param {RequestInit & { duplex?: "half" }} [options]
 */
export function ask(path, options = {}) {
  const headers = new Headers(options.headers);
  if (env.PAGEMILL_API_KEY) headers.set("authorization", `Bearer ${env.PAGEMILL_API_KEY}`);
  return fetch(new URL(path, env.PAGEMILL_URL ?? "http://127.0.0.1:8080"), { ...options, headers });
}

/** What pagemill says is wrong, in words for people. @param {Response} answer */
export async function problem(answer) {
  const told = await answer.json().catch(() => ({}));
  return told.detail ?? told.title ?? `pagemill answered with ${answer.status}.`;
}
