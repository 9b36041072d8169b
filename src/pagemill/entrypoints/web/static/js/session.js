// The session: whether a key is needed, and the log-in page.
import { call, getJson, refusedKeys } from "./api.js";
import { createStore, useStore } from "./store.js";
import { html, useEffect, useRef, useState } from "./ui/base.js";
import { Button, Field, LinkButton } from "./ui/controls.js";
import { Wordmark } from "./ui/icons.js";
import { Notice } from "./ui/states.js";

/** @typedef {{ key_needed: boolean, open: boolean, operator: boolean, provider?: string }} Session */
/** @typedef {{ title: string, detail: string }} LoginProblem */

/** The session; null until the service has answered. @type {import("./store.js").Store<Session | null>} */
export const session = createStore(/** @type {Session | null} */ (null));

/** Why a log-in with the provider failed; the service writes that into the page. @type {import("./store.js").Store<LoginProblem | null>} */
export const loginProblem = createStore(findLoginProblem());

/** Where the session with the provider can be ended after a log-out here. @type {import("./store.js").Store<string>} */
const providerLogOut = createStore("");

/** The problem in the page, if there is one. @returns {LoginProblem | null} */
function findLoginProblem() {
  const found = document.querySelector('meta[name="login-problem"]');
  return JSON.parse(found?.getAttribute("content") ?? "null");
}

/** Ask whether a key is needed. */
export async function refreshSession() {
  session.set(await getJson("/session"));
}

/** Start a session. @param {string} key */
export async function logIn(key) {
  // Anything else can't be sent in a header, and so can't be the key.
  if (!/^[\x21-\x7e]+$/.test(key)) throw Object.assign(new Error(), { code: "unauthorized" });
  const answer = await call("POST", "/session", { headers: { "X-Api-Key": key } });
  loginProblem.set(null);
  session.set(await answer.json());
}

/** End the session of this browser. */
export async function logOut() {
  const answer = await call("DELETE", "/session");
  providerLogOut.set(answer.status === 204 ? "" : (await answer.json()).provider_url);
  closeSession();
}

/** Show the log-in page. */
function closeSession() {
  session.set({ key_needed: true, open: false, operator: false, provider: session.get()?.provider });
}

refusedKeys.watch(closeSession);

/** The page that asks for a log-in with the provider or for a key. */
export function LogIn() {
  const provider = useStore(session)?.provider;
  return html`<main class="login">
    <div class="card login-card">
      <${Wordmark} />
      <h1>Log in</h1>
      <${LoginNotices} />
      ${provider && html`<${ProviderLogIn} name=${provider} />`}
      <${KeyForm} provider=${provider} />
    </div>
  </main>`;
}

/** What happened before: a failed log-in, or a log-out. */
function LoginNotices() {
  const problem = useStore(loginProblem);
  const url = useStore(providerLogOut);
  return html`<div class="login-notices" role="alert">
    ${problem && html`<${Notice} kind="bad"><strong>${problem.title}</strong><p>${problem.detail}</p><//>`}
    ${url && html`<${Notice}><p>You are logged out of pagemill, and still logged in with the provider.</p><p><a href=${url}>Log out there, too</a></p><//>`}
  </div>`;
}

/** The way to the provider; the page that is asked for is shown afterwards. @param {{ name: string }} props */
function ProviderLogIn({ name }) {
  const next = encodeURIComponent(location.pathname + location.search);
  return html`<${LinkButton} kind="primary" href=${`/session/oidc?next=${next}`}>Log in with ${name}<//>
    <p class="login-or muted small"><span>or with an API key</span></p>`;
}

/** The form for a key. @param {{ provider?: string }} props */
function KeyForm({ provider }) {
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => {
    if (!provider) field.current?.focus();
  }, []);
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
  return html`<form class="login-form" onSubmit=${submit}>
      ${!provider && html`<p class="muted">This installation is protected. Enter an API key; this browser stays logged in for 30 days.</p>`}
      <${Field} label="API key" error=${problem}>
        ${
          /** @param {object} labels */ labels => html`<input
          ...${labels} ref=${field} type="password" autocomplete="current-password" required value=${key}
          onInput=${(/** @type {any} */ event) => setKey(event.target.value)} />`
        }
      <//>
      <${Button} kind=${provider ? "plain" : "primary"} type="submit" busy=${busy}>Log in<//>
      ${!provider && html`<p class="muted small">The key that was made for you, or the value of <code>PAGEMILL_API_KEY</code> on the server.</p>`}
    </form>`;
}

/** The error message of a failed log-in. @param {Error & { code?: string }} error */
function loginError(error) {
  return error.code === "unauthorized" ? "This key is not valid. Check it and try again." : error.message;
}
