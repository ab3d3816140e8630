// The runs that screens look at now. Two screens that look at one run share it; it is closed soon after the last of
// them has gone, so that going from tab to tab, or back, reads nothing again.

import { useEffect, useMemo } from 'preact/hooks';
import { RunData } from './run-data.ts';

interface InUse {
  readonly data: RunData;
  users: number;
  leaving?: ReturnType<typeof setTimeout> | undefined;
}

const LINGER_MS = 30_000;
const inUse = new Map<string, InUse>();

export function useRun(run: string): RunData {
  const held = useMemo(() => entryOf(run), [run]);
  useEffect(() => {
    held.users++;
    clearTimeout(held.leaving);
    return () => {
      held.users--;
      if (held.users === 0) held.leaving = setTimeout(() => leave(run, held), LINGER_MS);
    };
  }, [held, run]);
  return held.data;
}

function entryOf(run: string): InUse {
  const known = inUse.get(run);
  if (known !== undefined) return known;
  const made: InUse = { data: new RunData(run), users: 0 };
  inUse.set(run, made);
  return made;
}

function leave(run: string, held: InUse): void {
  if (held.users > 0) return;
  inUse.delete(run);
  held.data.close();
}
