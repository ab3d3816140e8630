// The store of a person's liking in the browser. Nothing depends on it: a browser may refuse to keep anything.

const PREFIX = 'cadre.';

/** Undefined where nothing was kept, or nothing that can be read. */
export function kept(key: string): unknown {
  try {
    return JSON.parse(globalThis.localStorage?.getItem(PREFIX + key) ?? 'null') ?? undefined;
  } catch {
    return undefined; // refused, or not ours
  }
}

export function keep(key: string, value: unknown): void {
  try {
    globalThis.localStorage?.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // refused or full: it lasts for this visit
  }
}
