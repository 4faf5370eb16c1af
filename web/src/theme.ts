// Dark or light: what the system wants, unless somebody chose. Charts ask here for their colours.

const KEY = "forebay-theme";
const ORDER = ["auto", "light", "dark"] as const;
type Theme = (typeof ORDER)[number];

const darkness = window.matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

export function theme(): Theme {
  const kept = localStorage.getItem(KEY);
  return ORDER.find((one) => one === kept) ?? "auto";
}

export function nextTheme(): void {
  const next = ORDER[(ORDER.indexOf(theme()) + 1) % ORDER.length] ?? "auto";
  localStorage.setItem(KEY, next);
  apply();
}

/** Calls back whenever colours are others; the answer ends that. */
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function startTheme(): void {
  darkness.addEventListener("change", apply);
  apply();
}

function apply(): void {
  const chosen = theme();
  const system = darkness.matches ? "dark" : "light";
  document.documentElement.dataset["theme"] = chosen === "auto" ? system : chosen;
  for (const listener of listeners) listener();
}

/** The value of a colour of the style sheet. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
