// Runs a command with its guards (guards.ts): makes placeholders before it, and takes them away when nothing of it is left.

import { type Guards, guardsOf, isBelow } from './guards.ts';
import { afterKill, makePlaceholders, removePlaceholders, renameAside } from './placeholders.ts';

/** `run` returns what becomes of it, given the paths of what the command made and was set aside. */
export async function inGuards<Value>(
  workspace: string,
  {
    guarded,
    watched: read = [],
    allow = [],
  }: {
    readonly guarded: readonly string[];
    readonly watched?: readonly string[];
    readonly allow?: readonly string[];
  },
  run: (guarded: {
    /** Absolute paths that are there, and stay as they are. */
    readonly readOnly: readonly string[];
    /** The cleaning up if this process is killed: a script of the shell. */
    readonly afterKill: string;
  }) => Promise<(aside: readonly string[]) => Value>,
): Promise<Value> {
  const { readOnly, missing, watched }: Guards = await guardsOf({ workspace, own: guarded, read, allow });
  const made = await makePlaceholders(missing);
  let aside: readonly string[] = [];
  let finish: (aside: readonly string[]) => Value;
  try {
    const there = missing.map(({ path }) => path); // made here, or by somebody at this moment
    finish = await run({ readOnly: [...readOnly, ...there], afterKill: afterKill(made, watched) });
  } finally {
    await removePlaceholders(made);
    aside = await renameAside(watched);
  }
  return finish(aside.map((path) => (isBelow(workspace, path) ? path.slice(workspace.length + 1) : path)));
}
