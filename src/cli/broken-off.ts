// Notices that no process works on a run any more. The death of a process writes no event, so somebody has to look.

import type { RunId } from '../journal/event.ts';
import type { RunSummary } from '../journal/store.ts';
import { fail } from '../kernel/fault.ts';

const LOOK_MS = 1000;

/** `over` is called once: with true if the run is broken off, with false if its state cannot be read. */
export function whenBrokenOff(look: () => Promise<RunSummary>, over: (isBrokenOff: boolean) => void): () => void {
  let looks = 0;
  const timer = setInterval(async () => {
    try {
      const { state, queued } = await look();
      looks = state === 'broken-off' && queued !== true ? looks + 1 : 0;
      if (looks < 2) return; // a run that is just being started counts as broken off for a moment
      clearInterval(timer);
      over(true);
    } catch {
      clearInterval(timer);
      over(false); // who follows the run is told why by its events
    }
  }, LOOK_MS);
  return () => clearInterval(timer);
}

export const failBrokenOff = (run: RunId): never =>
  fail('run/locked', `Run ${run} is broken off: no process works on it. Resume it with: cadre resume ${run}`);
