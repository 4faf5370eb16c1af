// What can be done with a disk, each after a dialog that says what will happen.

import { change, diskPath, read } from "./api";
import { type Work, perform } from "./dialog";
import type { FullDisk } from "./documents";
import { freshId, h, say, show } from "./dom";
import { duration, size } from "./format";
import { dirty } from "./series";
import { actionWords, quiesceWords } from "./words";

/** For how long a disk is kept quiet for the change that follows at once, as the command line does it. */
const CHANGE_SECONDS = 60;
const QUIESCE_SECONDS = 600;
/** Between two looks at how far it is, in milliseconds. */
const LOOK_INTERVAL = 300;

/** The buttons of a disk. `disk` gives it as it stands when one is pressed; `after` is called when something was done. */
export function actions(disk: () => FullDisk | null, after: () => void): { element: HTMLElement; update(): void } {
  const buttons: [Action, HTMLButtonElement][] = ALL.map((action) => {
    const press = () => {
      const now = disk();
      if (now) perform(wrapped(action.work(now), after));
    };
    return [action, h("button", { type: "button", "data-action": action.name, onclick: press }, action.label)];
  });
  const note = h("p", { class: "hint", "data-figure": "quiesce" });
  return {
    element: h("section", { class: "card", "aria-label": "Actions" }, h("h2", {}, "Actions"), h("div", { class: "buttons buttons-start" }, ...buttons.map(([, button]) => button)), note),
    update() {
      const now = disk();
      for (const [action, button] of buttons) button.disabled = now === null || !action.isPossible(now);
      const text = now && !isServed(now) ? `Nothing can be done while the disk is ${now.state}.` : now ? quiesceWords(now) : null;
      say(note, text ?? "");
      show(note, text !== null);
    },
  };
}

interface Action {
  name: string;
  label: string;
  isPossible: (disk: FullDisk) => boolean;
  work: (disk: FullDisk) => Work;
}

const isServed = (disk: FullDisk) => disk.state === "serving";
const isQuiesced = (disk: FullDisk) => disk.quiesce?.state === "destaging" || disk.quiesce?.state === "quiesced";

const ALL: Action[] = [
  {
    name: "destage",
    label: "Destage now\u2026",
    isPossible: isServed,
    work: (disk) => ({
      title: `Destage ${disk.name} at full speed?`,
      sentences: actionWords("destage", disk),
      confirm: "Destage now",
      run: async () => {
        await change("POST", `${diskPath(disk.name)}/destage`);
        return `What is dirty of ${disk.name} is on its way to the backing`;
      },
    }),
  },
  {
    name: "normal",
    label: "Destage at normal pace\u2026",
    isPossible: isServed,
    work: (disk) => ({
      title: `Let ${disk.name} destage at its own pace?`,
      sentences: actionWords("normal", disk),
      confirm: "Normal pace",
      run: async () => {
        await change("DELETE", `${diskPath(disk.name)}/destage`);
        return `${disk.name} is destaged as it suits guests`;
      },
    }),
  },
  {
    name: "quiesce",
    label: "Quiesce\u2026",
    isPossible: (disk) => isServed(disk) && !isQuiesced(disk),
    work: quiesceWork,
  },
  {
    name: "resume",
    label: "Resume\u2026",
    isPossible: isQuiesced,
    work: (disk) => ({
      title: `Resume ${disk.name}?`,
      sentences: actionWords("resume", disk),
      confirm: "Resume",
      run: async () => {
        await change("POST", `${diskPath(disk.name)}/resume`);
        return `${disk.name} is resumed`;
      },
    }),
  },
  {
    name: "evict",
    label: "Evict\u2026",
    isPossible: isServed,
    work: (disk) => ({
      title: `Drop what is cached of ${disk.name}?`,
      sentences: actionWords("evict", disk),
      confirm: "Evict",
      run: (progress, signal) => evict(disk.name, progress, signal),
    }),
  },
];

function quiesceWork(disk: FullDisk): Work {
  const id = freshId();
  const seconds = h("input", { id, type: "number", min: 1, max: 86_400, value: QUIESCE_SECONDS, required: true });
  return {
    title: `Hold ${disk.name} without dirty data?`,
    sentences: actionWords("quiesce", disk),
    confirm: "Quiesce",
    fields: h("div", { class: "field" }, h("label", { for: id }, "For so many seconds"), seconds),
    run: async () => {
      const asked = Number(seconds.value);
      await change("POST", `${diskPath(disk.name)}/quiesce`, { seconds: asked });
      return `${disk.name} is being quiesced, then held so for ${duration(asked)}`;
    },
  };
}

/**
 * Brings home what is dirty, drops what is cached, and lets the disk go on, whatever became of it. A disk that somebody
 * holds quiet, for a backup say, is held on: asking for it anew would end that after our time, and resuming at once.
 */
async function evict(name: string, progress: (text: string) => void, signal: AbortSignal): Promise<string> {
  const path = diskPath(name);
  const before = await read<FullDisk>(path, "disk");
  if (before.quiesce?.backing_as_of) throw new Error(`${name} is quiesced for a snapshot or a backup, which this would end. Resume it first.`);
  if (isQuiesced(before)) {
    await untilQuiesced(name, progress, signal);
    await change("POST", `${path}/evict`);
  } else if (dirty(before) > 0) {
    const asked = await change<{ disk: FullDisk }>("POST", `${path}/quiesce`, { seconds: CHANGE_SECONDS, write_through: true });
    const number = asked.disk.quiesce?.number;
    try {
      await untilQuiesced(name, progress, signal);
      await change("POST", `${path}/evict`);
    } finally {
      await change("POST", `${path}/resume`, { number });
    }
  } else {
    await change("POST", `${path}/evict`);
  }
  return `Nothing is cached of ${name} any more, and no restart brings it back`;
}

async function untilQuiesced(name: string, progress: (text: string) => void, signal: AbortSignal): Promise<void> {
  for (;;) {
    if (signal.aborted) throw new Error("Stopped; the disk is served as before");
    const disk = await read<FullDisk>(diskPath(name), "disk");
    const state = disk.quiesce?.state;
    if (state === "quiesced") return;
    if (state !== "destaging") throw new Error(`Cannot destage dirty data: ${disk.quiesce?.reason ?? disk.reason ?? "it was resumed"}. Nothing was dropped.`);
    progress(`${size(dirty(disk))} left to destage\u2026`);
    await new Promise((resolve) => window.setTimeout(resolve, LOOK_INTERVAL));
  }
}

function wrapped(work: Work, after: () => void): Work {
  return { ...work, run: (progress, signal) => work.run(progress, signal).finally(after) };
}
