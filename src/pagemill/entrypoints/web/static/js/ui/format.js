// Numbers, sizes, times and dates as the reader's own language writes them.
const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const minute = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
const BYTE_UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"];
/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const SPANS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** @param {number} value */
export function number(value) {
  return whole.format(value);
}

/** A number with its noun: "1 page", "12 pages". @param {number} value @param {string} noun */
export function count(value, noun) {
  return `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** @param {number} bytes */
export function size(bytes) {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), BYTE_UNITS.length - 1);
  const options = {
    style: /** @type {const} */ ("unit"),
    unit: BYTE_UNITS[step],
    unitDisplay: step ? /** @type {const} */ ("short") : /** @type {const} */ ("long"),
  };
  return new Intl.NumberFormat(undefined, { ...options, maximumSignificantDigits: 3 }).format(
    bytes / 1000 ** step,
  );
}

/** A time span: "240 ms", "3.2 s", "2 min 5 s". @param {number} seconds */
export function duration(seconds) {
  if (seconds < 1) return `${short.format(Math.round(seconds * 1000))} ms`;
  const rounded = Math.round(seconds);
  if (rounded < 60) return `${short.format(Math.round(seconds * 10) / 10)} s`;
  if (rounded < 3_600) return `${Math.floor(rounded / 60)} min ${rounded % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** @param {string} iso */
export function when(iso) {
  return dateTime.format(new Date(iso));
}

/** @param {string} iso */
export function timeOfDay(iso) {
  return clock.format(new Date(iso));
}

/** @param {string} iso */
export function minuteOfDay(iso) {
  return minute.format(new Date(iso));
}

/** How long ago something was, in the reader's words. @param {string} iso @param {number} [now_ms] */
export function ago(iso, now_ms = Date.now()) {
  const seconds = (new Date(iso).getTime() - now_ms) / 1000;
  for (const [unit, length] of SPANS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return Math.abs(seconds) < 10 ? "just now" : relative.format(Math.round(seconds), "second");
}
