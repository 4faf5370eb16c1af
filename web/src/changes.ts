// Disks and devices of the pool are added and taken away here as by the command line, with the same refusals.

import { change, devicePath, diskPath } from "./api";
import { perform } from "./dialog";
import type { Device, Disk, FullDisk } from "./documents";
import { freshId, h } from "./dom";
import { size } from "./format";
import { dirty } from "./series";
import { KEYS, detachWords, removalWords } from "./words";

/** A field with its label; the hint says what may be given. */
function field(label: string, input: HTMLInputElement | HTMLSelectElement, hint = ""): HTMLElement {
  const id = freshId();
  input.id = id;
  return h("div", { class: "field" }, h("label", { for: id }, label), input, hint === "" ? null : h("p", { class: "hint" }, hint));
}

/** A box to tick, with a sentence that says what it means. */
function tick(name: string, sentence: string): { element: HTMLElement; input: HTMLInputElement } {
  const input = h("input", { type: "checkbox", name });
  return { element: h("label", { class: "tick" }, input, h("span", {}, sentence)), input };
}

function text(name: string, more: Record<string, string | boolean> = {}): HTMLInputElement {
  return h("input", { type: "text", name, spellcheck: "false", autocomplete: "off", autocapitalize: "off", ...more });
}

function more(...children: HTMLElement[]): HTMLElement {
  return h("details", {}, h("summary", {}, "More"), h("div", { class: "fields" }, ...children));
}

/** Keys that are asked for when a disk is added; empty leaves them to the daemon. */
const KEYS_AT_ADD = ["mode", "block-size", "reserve", "limit", "ram", "dirty-limit"];

/** Asks for a disk to serve. `after` is called when it is served. */
export function addDisk(after: (name: string) => void): void {
  const name = text("name", { required: true, pattern: "[a-z0-9][a-z0-9._\\-]{0,62}", title: "Small letters, digits, dot, dash and underscore" });
  const backing = text("backing", { required: true, placeholder: "/srv/images/web1.raw" });
  const keys = KEYS.filter((key) => KEYS_AT_ADD.includes(key.name)).map((key) => {
    const choices = key.choices?.map((choice) => h("option", { value: choice }, choice)) ?? [];
    const input = key.choices ? h("select", { name: key.name }, h("option", { value: "" }, "default"), ...choices) : text(key.name, { placeholder: "default" });
    return { key, input };
  });
  const readOnly = tick("read_only", "Read-only: nothing is ever written to the backing");
  const asRaw = tick("force_raw", "Serve it as raw even if it looks like an image of another format");
  const [mode, ...others] = keys;
  perform({
    title: "Add a disk",
    sentences: ["Forebay serves it from now on, also after a restart. Its content stays as it is, and it must not be open elsewhere."],
    confirm: "Add",
    fields: h(
      "div",
      { class: "stack" },
      field("Name", name),
      field("Backing", backing, "A raw file or a block device, or nbd://HOST/EXPORT, or nbd+unix:///EXPORT?socket=PATH."),
      mode ? field(mode.key.name, mode.input, mode.key.about) : null,
      more(...others.map(({ key, input }) => field(key.name, input, key.about)), readOnly.element, asRaw.element),
    ),
    run: async () => {
      const given = keys.map(({ key, input }) => [key.name, input.value.trim()] as const).filter(([, value]) => value !== "");
      const wanted = { name: name.value.trim(), backing: backing.value.trim(), read_only: readOnly.input.checked, force_raw: asRaw.input.checked, settings: Object.fromEntries(given) };
      const { disk } = await change<{ disk: Disk }>("POST", "/v1/disks", wanted);
      after(disk.name);
      return `${disk.name} is ${disk.state}; its page says how guests connect to it`;
    },
  });
}

/** Asks whether a disk is to be served no more. `after` is called when it is not. */
export function removeDisk(disk: FullDisk, after: () => void): void {
  const loseDirty = tick("discard_dirty", `Give up what the backing does not have: ${size(dirty(disk))} is lost for good`);
  const force = tick("force", "Remove it although a guest uses it: that guest gets errors");
  perform({
    title: `Remove ${disk.name}?`,
    sentences: removalWords(disk),
    confirm: "Remove",
    isDangerous: true,
    fields: h("div", { class: "stack" }, dirty(disk) > 0 ? loseDirty.element : null, (disk.connections ?? 0) > 0 ? force.element : null),
    run: async () => {
      await change("DELETE", diskPath(disk.name), { discard_dirty: loseDirty.input.checked, force: force.input.checked });
      after();
      return `${disk.name} is served no more; its backing is complete as far as the dialog said`;
    },
  });
}

/** Asks for a running guest whose disk is to be served. `after` is called with the disk's name. */
export function attachGuest(after: (name: string) => void): void {
  const qmp = text("qmp", { placeholder: "/run/web.qmp" });
  const libvirt = text("libvirt");
  const device = text("device", { placeholder: "the only one" });
  const name = text("name", { placeholder: "from the guest" });
  perform({
    title: "Attach a running guest",
    sentences: ["The disk of a running QEMU guest is moved behind Forebay, without a reboot and without a copy. The guest goes on meanwhile."],
    confirm: "Attach",
    fields: h(
      "div",
      { class: "stack" },
      field("QEMU's monitor socket", qmp, "Made with -qmp unix:SOCKET,server=on,wait=off. Or give the guest's name in libvirt."),
      field("Guest of libvirt", libvirt),
      field("Device", device, "The id of the guest's -device, or of its -drive, if it has several disks."),
      field("Name of the disk", name),
    ),
    run: async () => {
      const given = [qmp, libvirt, device, name].map((input) => [input.name, input.value.trim()] as const).filter(([, value]) => value !== "");
      const { moved } = await change<{ moved: string }>("POST", "/v1/vms", Object.fromEntries(given));
      after(moved);
      return `The running guest has its disk from Forebay now, as ${moved}`;
    },
  });
}

/** Asks whether a disk goes back to the guest that it was taken from. */
export function detachGuest(disk: FullDisk, after: () => void): void {
  perform({
    title: `Give ${disk.name} back to its guest?`,
    sentences: detachWords(disk),
    confirm: "Give back",
    run: async () => {
      await change("DELETE", `/v1/vms/${encodeURIComponent(disk.name)}`);
      after();
      return `The running guest has ${disk.name} back as it was; Forebay no longer serves it`;
    },
  });
}

/** Asks for a device or file for the pool. */
export function addDevice(after: () => void): void {
  const path = text("path", { required: true, placeholder: "/dev/disk/by-id/..." });
  const bytes = h("input", { type: "number", name: "size", min: 1, step: 1, placeholder: "whole device" });
  const erase = text("erase");
  const sameDrive = tick("same_drive", "It may be on the drive of another device: both copies are lost with that drive");
  perform({
    title: "Add a device to the pool",
    sentences: ["What is on it is overwritten. A device that holds anything is refused, and the refusal says what it holds."],
    confirm: "Add",
    isDangerous: true,
    fields: h(
      "div",
      { class: "stack" },
      field("Path", path, "A block device under a name that stays, or a file; a file that is not there is made."),
      field("Size in GiB", bytes, "For files. A device is taken whole."),
      more(field("Erase", erase, "The id of the old pool that a refusal named, if that may be erased."), sameDrive.element),
    ),
    run: async () => {
      const wanted = {
        path: path.value.trim(),
        size_bytes: bytes.value === "" ? null : Number(bytes.value) * 2 ** 30,
        erase: erase.value.trim() === "" ? null : erase.value.trim(),
        same_drive: sameDrive.input.checked,
      };
      await change("POST", "/v1/pool/devices", wanted);
      after();
      return `${wanted.path} is a device of the pool`;
    },
  });
}

/** Asks whether a device is to leave the pool. */
export function removeDevice(device: Device, after: () => void): void {
  const name = device.path ?? `device ${device.number}`;
  perform({
    title: `Take ${name} out of the pool?`,
    sentences: [
      "Dirty data is written to the backings first. Then what the disks cached, also on the other devices, is dropped.",
      "Guests go on from the backings, slower, until the cache is warm again.",
    ],
    confirm: "Take out",
    isDangerous: true,
    run: async () => {
      await change("DELETE", devicePath(device.number));
      after();
      return `${name} is no device of the pool any more`;
    },
  });
}
