// The application: the session first, then the page at the address.
import { waitForConnection } from "./api.js";
import { currentRoute, replaceAddress, startRouter } from "./router.js";
import { LogIn, loginProblem, refreshSession, session } from "./session.js";
import { ConnectionBanner, TopBar } from "./shell.js";
import { useStore } from "./store.js";
import { Announcer, announce } from "./ui/announce.js";
import { html, render, useEffect, useRef, useState } from "./ui/base.js";
import { Empty, Failure, Loading } from "./ui/states.js";

/** @typedef {import("./router.js").Route} Route */

const PAUSE_MS = 500;
const OUTDATED =
  "This page could not be loaded. pagemill may have been updated: try again to load the new one.";

function App() {
  const known = useStore(session);
  const failed = useStore(loginProblem);
  if (known && (!known.open || failed)) return html`<${LogIn} /><${ConnectionBanner} />`;
  return html`
    <a class="skip" href="#content">Skip to the content</a>
    <${TopBar} />
    <${ConnectionBanner} />
    ${known && html`<${Content} />`}
    <${Announcer} />
  `;
}

/** The current page; its script is loaded on first use. */
function Content() {
  const here = useStore(currentRoute);
  const { Shown, error } = usePage(here);
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  useFocusOnNavigation(here, main);
  return html`<main id="content" class=${`page page-${here.page?.name ?? "none"}`} tabindex="-1" ref=${main}>
    ${!here.page && html`<${Empty} icon="search" title="Page not found"><${NotFoundText} /><//>`}
    ${error && html`<${Failure} error=${error} onRetry=${() => location.reload()} />`}
    ${here.page && !Shown && !error && html`<${Loading} />`}
    ${Shown && html`<${Shown} key=${here.path} params=${here.params} query=${here.query} />`}
  </main>`;
}

/** The component of a page, once it is loaded. @param {Route} here */
function usePage({ page }) {
  const [loaded, setLoaded] = useState(
    /** @type {{ page: unknown, Shown: any, error: Error | null } | null} */ (null),
  );
  useEffect(() => {
    let current = true;
    page?.load().then(
      module => current && setLoaded({ page, Shown: module.default, error: null }),
      () => current && setLoaded({ page, Shown: null, error: new Error(OUTDATED) }),
    );
    return () => {
      current = false;
    };
  }, [page]);
  return loaded?.page === page && loaded ? loaded : { Shown: null, error: null };
}

/** Sets the title and moves the focus when another page is shown. @param {Route} here @param {{ current: HTMLElement | null }} main */
function useFocusOnNavigation(here, main) {
  const first = useRef(true);
  useEffect(() => {
    document.title = `${here.page?.title ?? "Not found"} · pagemill`;
    if (!first.current) {
      main.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
      announce(document.title);
    }
    first.current = false;
  }, [here.path]);
}

function NotFoundText() {
  return html`<p>There is nothing at <code>${location.pathname}</code>. It may have moved, or the address may have a typing error.</p>
    <p class="not-found-links"><a href="/">Start page</a> <a href="/jobs">Jobs</a> <a href="/api">API</a></p>`;
}

async function start() {
  startRouter();
  // The address of a failed log-in can't be used again.
  if (loginProblem.get()) replaceAddress("/");
  const root = /** @type {HTMLElement} */ (document.getElementById("app"));
  root.replaceChildren();
  render(html`<${App} />`, root);
  while (!session.get()) {
    await refreshSession().catch(() => waitBeforeRetry());
  }
}

/** Resolves when the service answers, after a short pause. */
async function waitBeforeRetry() {
  await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
  await waitForConnection();
}

start();
