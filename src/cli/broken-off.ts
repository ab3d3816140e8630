// Notices that no process works on a run any more. The death of a process writes no event, so somebody has to look.

import type { RunId } from '../journal/event.ts';
import type { RunSummary } from '../journal/store.ts';
import { fail } from '../kernel/fault.ts';

const LOOK_MS = 1000;

/** `over` is called once: with true if the run is broken off, with false if its state cannot be read. */
export function whenBrokenOff(look: () => Promise<RunSummary>, over: (isBrokenOff: boolean) => void): () => void {
  let looks = 0;
  const end = (isBrokenOff: boolean): void => {
    clearInterval(timer);
    over(isBrokenOff);
  };
  const seen = ({ state, queued }: RunSummary): void => {
    looks = state === 'broken-off' && queued !== true ? looks + 1 : 0;
    if (looks === 2) end(true); // a run that is just being started counts as broken off for a moment
  };
  // If it cannot be read, who follows the run is told why by its events.
  const timer = setInterval(() => void look().then(seen, () => end(false)), LOOK_MS);
  return () => clearInterval(timer);
}

export const failBrokenOff = (run: RunId): never =>
  fail('run/locked', `Run ${run} is broken off: no process works on it. Resume it with: cadre resume ${run}`);
