// Images of pages are drawn by the service when they are asked for, and wait there while it reads. A browser opens few
// connections to one server, so only some images are asked for at once: the others must not hold up content and actions.
import { useEffect, useMemo, useState } from "../ui/base.js";

const AT_ONCE = 2;

/** @typedef {{ first: boolean, start: () => void }} Request */

/** @type {Request[]} */
const waiting = [];
let loading = 0;

function startNext() {
  while (loading < AT_ONCE && waiting.length) {
    const urgent = waiting.findIndex(request => request.first);
    const [request] = waiting.splice(Math.max(0, urgent), 1);
    loading += 1;
    request.start();
  }
}

/** Wait for a turn to load an image. @param {Request} request @returns {() => void} ends the turn, or the wait for it */
function enqueue({ first, start }) {
  let state = "waiting";
  const request = {
    first,
    start: () => {
      state = "loading";
      start();
    },
  };
  waiting.push(request);
  startNext();
  return () => {
    if (state === "waiting") waiting.splice(waiting.indexOf(request), 1);
    if (state === "loading") loading -= 1;
    state = "ended";
    startNext();
  };
}

/**
 * The address of an image once it is its turn to load, null before; `wanted` is false while it should not load,
 * and turns false when it has. Images that come `first` are loaded before the others.
 * @param {string} src @param {{ wanted: boolean, first: boolean }} options @returns {string | null}
 */
export function useImageTurn(src, { wanted, first }) {
  const [started, setStarted] = useState(/** @type {string | null} */ (null));
  useEffect(
    () => (wanted ? enqueue({ first, start: () => setStarted(src) }) : undefined),
    [src, wanted, first],
  );
  return started === src ? src : null;
}

/**
 * The `ref` of an image whose loading stops when it leaves the page: the browser would go on with it, on one of its few
 * connections. It is kept here, because an effect that ends then finds nothing in a ref any more.
 * @returns {(image: HTMLImageElement | null) => void}
 */
export function useAbortingRef() {
  return useMemo(() => {
    /** @type {HTMLImageElement | null} */
    let last = null;
    return image => {
      if (!image && last && !last.complete) last.removeAttribute("src");
      last = image;
    };
  }, []);
}
