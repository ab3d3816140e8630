// The runs that screens look at now. Two screens that look at one run share it; it is closed soon after the last of
// them has gone, so that going from tab to tab, or back, reads nothing again.

import { useEffect, useMemo } from 'preact/hooks';
import { RunData } from './run-data.ts';

interface InUse {
  readonly data: RunData;
  users: number;
  /** A screen that goes before it was painted never uses what it asked for. */
  wasUsed: boolean;
  leaving?: ReturnType<typeof setTimeout> | undefined;
}

const LINGER_MS = 30_000;
const UNUSED_MS = 2000;
/** A browser has few connections to one server, and each live run takes one. */
const MOST_LINGERING = 2;
const inUse = new Map<string, InUse>();

export function useRun(run: string): RunData {
  const held = useMemo(() => entryOf(run), [run]);
  useEffect(() => {
    held.users++;
    held.wasUsed = true;
    clearTimeout(held.leaving);
    return () => {
      held.users--;
      if (held.users > 0) return;
      held.leaving = setTimeout(() => leave(run, held), LINGER_MS);
      closeOldest(run);
    };
  }, [held, run]);
  return held.data;
}

function entryOf(run: string): InUse {
  const known = inUse.get(run);
  if (known !== undefined) return known;
  const made: InUse = { data: new RunData(run), users: 0, wasUsed: false };
  made.leaving = setTimeout(() => leave(run, made), UNUSED_MS);
  inUse.set(run, made);
  return made;
}

/** Those that nobody looks at, but for the last few. The one that was left now is the newest. */
function closeOldest(left: string): void {
  const newest = inUse.get(left);
  if (newest === undefined) return;
  inUse.delete(left);
  inUse.set(left, newest);
  const lingering = [...inUse].filter(([, { users, wasUsed }]) => users === 0 && wasUsed);
  for (const [run, held] of lingering.slice(0, -MOST_LINGERING)) {
    clearTimeout(held.leaving);
    leave(run, held);
  }
}

function leave(run: string, held: InUse): void {
  if (held.users > 0) return;
  inUse.delete(run);
  held.data.close();
}
