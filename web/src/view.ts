// What every view is, and the addresses of views.

import type { Knowledge } from "./store";

export interface View {
  element: HTMLElement;
  /** The heading of the window. */
  title: string;
  /** Shows what is known; called whenever that is more or other. */
  update(known: Knowledge): void;
  /** Shows this part of the view; one without parts has none. */
  open?(tab: Tab): void;
  /** Called once, when another view comes. */
  leave(): void;
}

/** The parts of a disk's view, in their order. */
export const TABS = ["overview", "sizing", "requests", "connect", "settings"] as const;
export type Tab = (typeof TABS)[number];

/** The address of a disk's view. */
export function diskAddress(name: string, tab: Tab = "overview"): string {
  const base = `#/disk/${encodeURIComponent(name)}`;
  return tab === "overview" ? base : `${base}/${tab}`;
}

/** A view as an address names it. An address that names none is that of the host. */
export interface Address {
  view: "host" | "events" | "disk";
  disk: string | null;
  tab: Tab;
}

export function parsed(hash: string): Address {
  const [, place = "", name = "", part = ""] = hash.replace(/^#/, "").split("/");
  const tab = TABS.find((one) => one === part) ?? "overview";
  if (place === "disk" && name !== "") return { view: "disk", disk: decoded(name), tab };
  return { view: place === "events" ? "events" : "host", disk: null, tab };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
