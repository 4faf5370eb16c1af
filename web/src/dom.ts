// Making and changing elements. Text goes in as text, never as markup: names, reasons and paths come from elsewhere.

type Child = Node | string | null | undefined | false;
export type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

/** An element with attributes (`on...` are listeners) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
  return element;
}

/** An element of a drawing. */
export function svg(tag: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

/** Changes a text only if it is another one: what is selected stays selected, and nothing is announced for nothing. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Shows or hides. */
export function show(element: HTMLElement, isShown: boolean): void {
  if (element.hidden === isShown) element.hidden = !isShown;
}

/** The same names, of which those that repeat bear a turn: two items may look alike, and each has a child of its own. */
export function distinct(names: readonly string[]): string[] {
  const given = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let turn = 1; given.has(own); turn += 1) own = `${name} (${turn})`;
    given.add(own);
    return own;
  });
}

/**
 * Keeps one child for each item, in this order. A child belongs to a key, and where keys repeat to a turn of it: otherwise
 * only one of them would be known at the next look, and the others stay for ever. Children that stay are moved only if the
 * order changed: they keep their focus.
 */
export function keyed<T>(parent: Element, items: readonly T[], key: (item: T) => string, make: (item: T) => Element, update: (element: Element, item: T) => void): void {
  const kept = new Map([...parent.children].map((child) => [child.getAttribute("data-item") ?? "", child]));
  const names = distinct(items.map(key));
  const wanted = new Set(names);
  for (const [name, child] of kept) if (!wanted.has(name)) child.remove();
  let next = parent.firstElementChild;
  items.forEach((item, index) => {
    const name = names[index] ?? "";
    const child = kept.get(name) ?? make(item);
    kept.delete(name);
    child.setAttribute("data-item", name);
    update(child, item);
    if (child === next) next = child.nextElementSibling;
    else parent.insertBefore(child, next);
  });
}

let ids = 0;
/** A name that no other element has. */
export function freshId(): string {
  ids += 1;
  return `e${ids}`;
}
