// The frame of every page: the navigation bar and the banner shown while the service is away.
import { connection } from "./api.js";
import { currentRoute } from "./router.js";
import { logOut, session } from "./session.js";
import { loadSetting, saveSetting } from "./storage.js";
import { useStore } from "./store.js";
import { notify } from "./ui/announce.js";
import { html, useEffect, useRef, useState } from "./ui/base.js";
import { IconButton } from "./ui/controls.js";
import { Icon, Wordmark } from "./ui/icons.js";

/** @typedef {import("./ui/base.js").Children} Children */

const LINKS = [
  { href: "/", name: "home", text: "Read" },
  { href: "/jobs", name: "jobs", text: "Jobs" },
  { href: "/search", name: "search", text: "Search" },
  { href: "/batches", name: "batches", text: "Batches" },
  { href: "/rules", name: "rules", text: "Rules" },
  { href: "/webhooks", name: "webhooks", text: "Webhooks" },
  { href: "/operations", name: "operations", text: "Operations" },
  { href: "/api", name: "api", text: "API" },
];
const THEMES = [
  { name: "auto", icon: "screen", next: "light" },
  { name: "light", icon: "sun", next: "dark" },
  { name: "dark", icon: "moon", next: "auto" },
];

/** The bar at the top. */
export function TopBar() {
  const here = useStore(currentRoute).page?.name;
  const known = useStore(session);
  const current = here === "result" ? "jobs" : here;
  const links = useRef(/** @type {HTMLElement | null} */ (null));
  // On a narrow screen the link of this page may be scrolled out of sight.
  useEffect(() => {
    const link = links.current?.querySelector("[aria-current]");
    link?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [current, known?.operator]);
  return html`<header class="bar">
    <div class="bar-inside">
      <a class="brand" href="/" aria-label="pagemill, start page"><${Wordmark} /></a>
      <nav aria-label="Main" ref=${links}>
        ${LINKS.filter(link => link.name !== "operations" || known?.operator).map(
          link =>
            html`<a key=${link.name} href=${link.href} aria-current=${link.name === current ? "page" : undefined}>${link.text}</a>`,
        )}
      </nav>
      <div class="bar-end">
        <${ThemeButton} />
        ${known?.key_needed && html`<${IconButton} icon="leave" label="Log out" onClick=${() => logOut().catch(error => notify(error.message, "bad"))} />`}
      </div>
    </div>
  </header>`;
}

function ThemeButton() {
  const [name, setName] = useState(() => loadSetting(() => localStorage, "pagemill-theme") ?? "auto");
  const theme = THEMES.find(one => one.name === name) ?? THEMES[0];
  function change() {
    setName(theme.next);
    saveSetting(() => localStorage, "pagemill-theme", theme.next);
    if (theme.next === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.next;
  }
  return html`<${IconButton} icon=${theme.icon} label=${`Theme: ${theme.name}`} onClick=${change} />`;
}

/** Shown while the service does not answer. */
export function ConnectionBanner() {
  if (useStore(connection) === "up") return null;
  return html`<div class="offline" role="alert">
    <${Icon} name="unplugged" size=${18} />
    <p><strong>The service does not answer.</strong> Nothing is lost: this page continues by itself when it is back.</p>
  </div>`;
}
