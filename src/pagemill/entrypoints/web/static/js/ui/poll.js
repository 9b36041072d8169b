// What is looked at again and again while the page is visible.
import { waitForConnection } from "../api.js";
import { useEffect, useState } from "./base.js";

/**
 * The newest answer, the error of the last look if it failed, and a function that looks at once.
 * @template T
 * @param {() => Promise<T>} load
 * @param {number} everyMs
 * @returns {{ data: T | null, error: Error | null, refresh: () => Promise<void> }}
 */
export function usePolled(load, everyMs) {
  const [seen, setSeen] = useState({
    data: /** @type {T | null} */ (null),
    error: /** @type {Error | null} */ (null),
  });
  async function refresh() {
    try {
      setSeen({ data: await load(), error: null });
    } catch (error) {
      setSeen(before => ({ ...before, error: /** @type {Error} */ (error) }));
    }
  }
  useEffect(() => {
    let stopped = false;
    let timer = 0;
    const poll = async () => {
      if (!document.hidden) await refresh();
      await waitForConnection();
      if (!stopped) timer = setTimeout(poll, everyMs);
    };
    poll();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, []);
  return { ...seen, refresh };
}
