// Requests to the daemon. All carry the token if there is one: changes need it, and from another host reading too.

import type { Host } from "./documents";

const TOKEN_KEY = "forebay-token";
/** How long an answer may take until the daemon counts as away, in milliseconds. */
const ANSWER_TIME_MAX = 8_000;
/** Changes may have to wait for other ones. */
const CHANGE_TIME_MAX = 120_000;

/** A request that was answered with a problem, or not at all (then `status` is 0). */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }

  /** True if the daemon wants another token, or one at all. */
  get wantsToken(): boolean {
    return this.status === 401;
  }
}

/** The token, kept as long as this tab is open. */
export const token = {
  get(): string | null {
    return sessionStorage.getItem(TOKEN_KEY);
  },
  set(value: string): void {
    sessionStorage.setItem(TOKEN_KEY, value.trim());
  },
  clear(): void {
    sessionStorage.removeItem(TOKEN_KEY);
  },
};

/** Returns whether a text is the token of this host; where it is not, an earlier token stays. Keeps it if it is. */
export async function acceptToken(candidate: string): Promise<boolean> {
  const path = "/v1/host";
  const options = { method: "GET", headers: { authorization: `Bearer ${candidate.trim()}` } };
  try {
    const { host } = await ask<{ host: Host }>(path, options, ANSWER_TIME_MAX);
    if (!host.may_change) return false;
  } catch (error) {
    // From another host, a wrong token may not even read.
    if (error instanceof Refusal && error.wantsToken) return false;
    throw error;
  }
  token.set(candidate);
  return true;
}

/** What stands under `key` of the document at `path`. */
export async function read<T>(path: string, key: string): Promise<T> {
  return (await ask<Record<string, T>>(path, { method: "GET" }, ANSWER_TIME_MAX))[key] as T;
}

/** The same, or null where the daemon has no such thing. */
export async function readIfThere<T>(path: string, key: string): Promise<T | null> {
  return readUnless<T>(path, key, (refusal) => refusal.status === 404);
}

/** The same, or null where it cannot be had now: what is shown beside the rest must not hide the rest. */
export async function readBeside<T>(path: string, key: string): Promise<T | null> {
  return readUnless<T>(path, key, (refusal) => refusal.status !== 0 && !refusal.wantsToken);
}

async function readUnless<T>(path: string, key: string, isNothing: (refusal: Refusal) => boolean): Promise<T | null> {
  try {
    return await read<T>(path, key);
  } catch (error) {
    if (error instanceof Refusal && isNothing(error)) return null;
    throw error;
  }
}

/** Asks for a change. */
export async function change<T>(method: string, path: string, body?: unknown): Promise<T> {
  // Changes without a body send an empty document, as the command line does.
  const options = { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body ?? null) };
  return ask<T>(path, options, CHANGE_TIME_MAX);
}

/** The path of a disk. Names hold nothing that needs escaping; a broken document must not lead elsewhere all the same. */
export function diskPath(name: string): string {
  return `/v1/disks/${encodeURIComponent(name)}`;
}

/** The path of a device of the pool. */
export function devicePath(number: number): string {
  return `/v1/pool/devices/${number}`;
}

/** What a disk did, step by step. */
export function historyPath(name: string, span: string): string {
  return `/v1/history/${encodeURIComponent(name)}?span=${span}`;
}

async function ask<T>(path: string, options: RequestInit, milliseconds: number): Promise<T> {
  const signal = AbortSignal.timeout(milliseconds);
  const headers = new Headers(options.headers);
  const kept = token.get();
  if (kept && !headers.has("authorization")) headers.set("authorization", `Bearer ${kept}`);
  let answer: Response;
  try {
    answer = await fetch(path, { ...options, headers, signal, cache: "no-store", credentials: "omit", redirect: "error" });
  } catch {
    throw new Refusal(0, "Forebay does not answer");
  }
  const document = await answer.json().catch(() => null);
  if (!answer.ok) {
    const detail = typeof document?.detail === "string" ? document.detail : `Forebay answered with status ${answer.status}`;
    throw new Refusal(answer.status, detail);
  }
  if (document === null) throw new Refusal(0, "Forebay's answer was cut short");
  return document as T;
}
