// What every view is.

import type { Knowledge } from "./store";

export interface View {
  element: HTMLElement;
  /** The heading of the window. */
  title: string;
  /** Shows what is known; called whenever that is more or other. */
  update(known: Knowledge): void;
  /** Called once, when another view comes. */
  leave(): void;
}

/** The address of a disk's view. */
export function diskAddress(name: string): string {
  return `#/disk/${encodeURIComponent(name)}`;
}
