// Events as marks on charts: which of them fall into the time that is shown, and their numbers. Pure.

import type { Mark } from "./chart";
import type { Event } from "./documents";

/** More numbers than these cannot be told apart on a phone. */
const MARKS_MAX = 12;

const COLOURS: Record<string, string> = { info: "busy", warning: "warning", error: "bad" };

/** An event with its number on the charts. */
export interface MarkedEvent {
  event: Event;
  mark: Mark;
}

/**
 * Returns the events of a disk, and of the host as a whole, between two moments of the browser's clock (in seconds), the
 * oldest first. Of more than fit, the newest are kept. `ahead` is how far that clock is ahead of the host's.
 */
export function marked(events: readonly Event[], disk: string, ahead: number, start: number, end: number): MarkedEvent[] {
  const within = events
    .filter((event) => event.disk === null || event.disk === disk)
    .map((event) => ({ event, at: new Date(event.time).getTime() / 1_000 + ahead }))
    // A comparison with what is no time at all is false.
    .filter(({ at }) => at >= start && at <= end)
    .slice(-MARKS_MAX);
  return within.map(({ event, at }, index) => ({ event, mark: { at, label: String(index + 1), colour: COLOURS[event.level] ?? "warning" } }));
}
