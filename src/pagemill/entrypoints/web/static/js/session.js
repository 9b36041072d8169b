// The session: whether a key is needed, and the log-in page.
import { call, getJson, refusedKeys } from "./api.js";
import { createStore } from "./store.js";
import { html, useEffect, useRef, useState } from "./ui/base.js";
import { Button, Field } from "./ui/controls.js";
import { Wordmark } from "./ui/icons.js";

/** @typedef {{ key_needed: boolean, open: boolean, operator: boolean }} Session */

/** The session; null until the service has answered. @type {import("./store.js").Store<Session | null>} */
export const session = createStore(/** @type {Session | null} */ (null));

/** Ask whether a key is needed. */
export async function refreshSession() {
  session.set(await getJson("/session"));
}

/** Start a session. @param {string} key */
export async function logIn(key) {
  // Anything else can't be sent in a header, and so can't be the key.
  if (!/^[\x21-\x7e]+$/.test(key)) throw Object.assign(new Error(), { code: "unauthorized" });
  const answer = await call("POST", "/session", { headers: { "X-Api-Key": key } });
  session.set(await answer.json());
}

/** End the session of this browser. */
export async function logOut() {
  await call("DELETE", "/session");
  session.set({ key_needed: true, open: false, operator: false });
}

refusedKeys.watch(() => session.set({ key_needed: true, open: false, operator: false }));

/** The page that asks for the key. */
export function LogIn() {
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => field.current?.focus(), []);
  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    setBusy(true);
    try {
      await logIn(key.trim());
    } catch (error) {
      setProblem(loginError(/** @type {Error & { code?: string }} */ (error)));
      field.current?.select();
    }
    setBusy(false);
  }
  return html`<main class="login">
    <form class="card login-card" onSubmit=${submit}>
      <${Wordmark} />
      <h1>Log in</h1>
      <p class="muted">This installation is protected. Enter an API key; this browser stays logged in for 30 days.</p>
      <${Field} label="API key" error=${problem}>
        ${
          /** @param {object} labels */ labels => html`<input
          ...${labels} ref=${field} type="password" autocomplete="current-password" required value=${key}
          onInput=${(/** @type {any} */ event) => setKey(event.target.value)} />`
        }
      <//>
      <${Button} kind="primary" type="submit" busy=${busy}>Log in<//>
      <p class="muted small">The key is the value of <code>PAGEMILL_API_KEY</code> on the server.</p>
    </form>
  </main>`;
}

/** The error message of a failed log-in. @param {Error & { code?: string }} error */
function loginError(error) {
  return error.code === "unauthorized" ? "This key is not valid. Check it and try again." : error.message;
}
