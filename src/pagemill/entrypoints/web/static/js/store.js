import { useEffect, useState } from "./ui/base.js";

/**
 * A value that may be watched.
 * @template T
 * @typedef {{ get: () => T, set: (next: T) => void, watch: (listener: (value: T) => void) => () => void }} Store
 */

/**
 * A store that begins with this value.
 * @template T
 * @param {T} initial
 * @returns {Store<T>}
 */
export function createStore(initial) {
  let value = initial;
  /** @type {Set<(value: T) => void>} */
  const listeners = new Set();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener(value);
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * The value of a store; the component is drawn again whenever it changes.
 * @template T
 * @param {Store<T>} store
 * @returns {T}
 */
export function useStore(store) {
  const [value, setValue] = useState(() => store.get());
  useEffect(() => {
    setValue(() => store.get());
    return store.watch(next => setValue(() => next));
  }, [store]);
  return value;
}
