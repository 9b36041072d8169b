// The application: the session first, then the page that the address asks for.
import { whenUp } from "./api.js";
import { place, startRouter } from "./router.js";
import { LogIn, refreshSession, session } from "./session.js";
import { Stopped, TopBar } from "./shell.js";
import { useStore } from "./store.js";
import { Announcer, announce } from "./ui/announce.js";
import { html, render, useEffect, useRef, useState } from "./ui/base.js";
import { Empty, Failure, Loading } from "./ui/states.js";

/** @typedef {import("./router.js").Place} Place */

const REST_MS = 500;
const OUTDATED =
  "This page could not be loaded. pagemill may have been updated: try again to load the new one.";

function App() {
  const known = useStore(session);
  if (known && !known.open) return html`<${LogIn} /><${Stopped} />`;
  return html`
    <a class="skip" href="#content">Skip to the content</a>
    <${TopBar} />
    <${Stopped} />
    ${known && html`<${Content} />`}
    <${Announcer} />
  `;
}

/** The page itself, loaded when it is first asked for. */
function Content() {
  const here = useStore(place);
  const { Shown, error } = usePage(here);
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  useArrival(here, main);
  return html`<main id="content" class=${`page page-${here.page?.name ?? "none"}`} tabindex="-1" ref=${main}>
    ${!here.page && html`<${Empty} icon="search" title="There is no such page"><a href="/">Go to the start page</a><//>`}
    ${error && html`<${Failure} error=${error} onRetry=${() => location.reload()} />`}
    ${here.page && !Shown && !error && html`<${Loading} />`}
    ${Shown && html`<${Shown} key=${here.path} params=${here.params} query=${here.query} />`}
  </main>`;
}

/** The component of a place, once it is loaded. @param {Place} here */
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

/** Names the page and moves the focus to it whenever another one is shown. @param {Place} here @param {{ current: HTMLElement | null }} main */
function useArrival(here, main) {
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

async function start() {
  startRouter();
  const root = /** @type {HTMLElement} */ (document.getElementById("app"));
  root.replaceChildren();
  render(html`<${App} />`, root);
  while (!session.get()) {
    await refreshSession().catch(() => rested());
  }
}

/** Done when the service answers and has had a moment of rest. */
async function rested() {
  await new Promise(resolve => setTimeout(resolve, REST_MS));
  await whenUp();
}

start();
