// The keys of a disk as a form. What was typed stays when figures change; nothing is sent before a dialog said what it does.

import { change, diskPath } from "./api";
import { perform } from "./dialog";
import type { FullDisk } from "./documents";
import { freshId, h, say, show } from "./dom";
import { KEYS, type Key, consequences } from "./words";

interface Field {
  key: string;
  /** What the daemon has. */
  now: string;
  input: HTMLInputElement | HTMLSelectElement;
  element: HTMLElement;
}

export class Settings {
  readonly element: HTMLElement;
  readonly #fields = new Map<string, Field>();
  readonly #list = h("div", { class: "fields" });
  readonly #review = h("button", { type: "submit", class: "primary" }, "Review changes\u2026");
  readonly #undo = h("button", { type: "reset" }, "Undo");
  readonly #count = h("span", { class: "hint", "aria-live": "polite" });
  readonly #disk: () => FullDisk | null;
  readonly #after: () => void;

  constructor(disk: () => FullDisk | null, after: () => void) {
    this.#disk = disk;
    this.#after = after;
    const form = h("form", { "aria-label": "Settings" }, this.#list, h("div", { class: "buttons buttons-start" }, this.#review, this.#undo, this.#count));
    form.addEventListener("input", () => this.#mark());
    form.addEventListener("reset", (event) => {
      event.preventDefault();
      for (const field of this.#fields.values()) field.input.value = field.now;
      this.#mark();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#ask();
    });
    this.element = h("section", { class: "card", "aria-label": "Settings" }, h("h2", {}, "Settings"), h("p", { class: "hint" }, "As forebay disk set takes them. They are changed while guests go on."), form);
  }

  update(settings: Record<string, string>): void {
    const known = KEYS.filter((key) => key.name in settings);
    // Keys of a newer daemon are shown too, without a word about them.
    const more = Object.keys(settings).filter((name) => !KEYS.some((key) => key.name === name));
    for (const key of [...known, ...more.map((name): Key => ({ name, about: "" }))]) {
      const value = settings[key.name] ?? "";
      const field = this.#fields.get(key.name) ?? this.#make(key, value);
      const isTouched = field.input.value !== field.now;
      field.now = value;
      if (!isTouched) setValue(field.input, value);
    }
    this.#mark();
  }

  #make(key: Key, value: string): Field {
    const id = freshId();
    const about = freshId();
    const attributes = { id, name: key.name, "aria-describedby": about };
    const input = key.choices
      ? h("select", attributes, ...key.choices.map((choice) => h("option", { value: choice }, choice)))
      : h("input", { ...attributes, type: "text", spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
    const element = h("div", { class: "field" }, h("label", { for: id }, key.name), input, h("p", { class: "hint", id: about }, key.about));
    const field: Field = { key: key.name, now: value, input, element };
    setValue(input, value);
    this.#list.append(element);
    this.#fields.set(key.name, field);
    return field;
  }

  #changes(): Record<string, string> {
    const changed = [...this.#fields.values()].filter((field) => field.input.value.trim() !== field.now);
    return Object.fromEntries(changed.map((field) => [field.key, field.input.value.trim()]));
  }

  #mark(): void {
    const changes = this.#changes();
    for (const field of this.#fields.values()) field.element.classList.toggle("changed", field.key in changes);
    const many = Object.keys(changes).length;
    this.#review.disabled = many === 0;
    show(this.#undo, many > 0);
    say(this.#count, many === 0 ? "" : many === 1 ? "1 change, not sent yet" : `${many} changes, not sent yet`);
  }

  #ask(): void {
    const disk = this.#disk();
    const settings = this.#changes();
    if (!disk || Object.keys(settings).length === 0) return;
    const lines = Object.entries(settings).map(([key, value]) => h("li", {}, h("code", {}, key), `: ${this.#fields.get(key)?.now ?? ""} \u2192 ${value}`));
    perform({
      title: `Change ${disk.name}?`,
      sentences: consequences(disk, settings),
      confirm: "Change",
      fields: h("ul", { class: "changes" }, ...lines),
      run: async () => {
        // The dialog said what another block size drops.
        await change("PATCH", diskPath(disk.name), { settings, drop_cached: true });
        for (const [key, value] of Object.entries(settings)) {
          const field = this.#fields.get(key);
          // As touched fields keep their text, what was sent becomes what is there; the daemon may spell it another way.
          if (field) field.now = value;
        }
        this.#after();
        return `${disk.name} now has ${Object.entries(settings).map(([key, value]) => `${key}=${value}`).join(" ")}`;
      },
    });
  }
}

/** A value that is none of the choices is one more of them: what the daemon has is always shown. */
function setValue(input: HTMLInputElement | HTMLSelectElement, value: string): void {
  if (input instanceof HTMLSelectElement && ![...input.options].some((option) => option.value === value)) {
    input.append(h("option", { value }, value));
  }
  if (input.value !== value) input.value = value;
}
