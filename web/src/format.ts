// Figures as people read them. Sizes are exactly those of the command line; the rest follows its manner.

/** What stands where nothing is known. */
export const NOTHING = "\u2013";

const UNITS: readonly [string, number][] = [
  ["TiB", 2 ** 40],
  ["GiB", 2 ** 30],
  ["MiB", 2 ** 20],
  ["KiB", 2 ** 10],
  ["", 1],
];

export type Known = number | null | undefined;

function isKnown(value: Known): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** Bytes in binary units: exact where a value is a multiple of its unit, else with one decimal. */
export function size(bytes: Known): string {
  if (!isKnown(bytes)) return NOTHING;
  const whole = Math.round(bytes);
  const [name, unit] = UNITS.find(([, unit]) => whole >= unit) ?? ["", 1];
  if (whole % unit === 0) return `${whole / unit}${name}`;
  return `${(Math.floor((whole * 10 + unit / 2) / unit) / 10).toFixed(1)}${name}`;
}

/** Bytes a second. */
export function byteRate(bytes: Known): string {
  return isKnown(bytes) ? `${size(bytes)}/s` : NOTHING;
}

/** A share of one, in hundredths with one decimal. */
export function percent(ratio: Known): string {
  return isKnown(ratio) ? `${(ratio * 100).toFixed(1)}%` : NOTHING;
}

/** A whole number in groups of three. */
export function count(value: Known): string {
  if (!isKnown(value)) return NOTHING;
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

/** So many a second: whole above ten, else with a decimal. */
export function rate(value: Known): string {
  if (!isKnown(value)) return NOTHING;
  return value >= 10 || value === 0 ? count(value) : value.toFixed(1);
}

/** Short, for the ticks of an axis. */
export function brief(value: Known): string {
  if (!isKnown(value)) return "";
  for (const [name, unit] of [["M", 1e6], ["k", 1e3]] as const) {
    if (Math.abs(value) >= unit) return `${Number((value / unit).toFixed(1))}${name}`;
  }
  return String(Number(value.toFixed(2)));
}

/** Microseconds, in the unit that suits them, with three digits. */
export function micros(value: Known): string {
  if (!isKnown(value)) return NOTHING;
  for (const [name, unit] of [["s", 1e6], ["ms", 1e3]] as const) {
    if (value >= unit) return `${digits(value / unit)} ${name}`;
  }
  return `${digits(value)} us`;
}

function digits(value: number): string {
  if (value >= 100 || Number.isInteger(value)) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Seconds in words. */
export function duration(seconds: Known): string {
  if (!isKnown(seconds)) return NOTHING;
  const whole = Math.round(seconds);
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor(whole / 3_600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  if (first < 0) return "0 s";
  const shown = parts.slice(first, first + 2).filter(([value]) => value > 0);
  return shown.map(([value, unit]) => `${value} ${unit}`).join(" ");
}

/** The time of the day of a moment in milliseconds, as the browser's own place has it. */
export function clock(milliseconds: number): string {
  const at = new Date(milliseconds);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

/** The day of a moment in milliseconds, without its year. */
export function day(milliseconds: number): string {
  const at = new Date(milliseconds);
  return [at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** Date and time of a moment of a document; the text itself if it is none. */
export function moment(text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text;
  const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
  return `${day} ${clock(at.getTime())}`;
}

/** The end of a path or address, for narrow places. */
export function tail(text: string, characters: number): string {
  return text.length <= characters ? text : `\u2026${text.slice(1 - characters)}`;
}

/** Remarks beside each other, those that there are. */
export function joined(...parts: (string | null)[]): string {
  return parts.filter((part) => part !== null).join(", ");
}
