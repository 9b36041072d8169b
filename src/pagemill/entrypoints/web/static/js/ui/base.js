// The base of every component: Preact with htm's templates instead of a build step.
import htm from "../../vendor/htm.mjs";
import { h } from "../../vendor/preact.mjs";

export {
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "../../vendor/hooks.mjs";
export { render } from "../../vendor/preact.mjs";

/** @typedef {import("preact").ComponentChildren} Children */
/** @typedef {import("preact").VNode<any>} Node */

/** A template that gives what a component shows. @type {(strings: TemplateStringsArray, ...values: any[]) => Node} */
export const html = /** @type {any} */ (htm.bind(h));
