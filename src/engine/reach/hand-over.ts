// Gives a prepared run to a process that is not this one: one that is started for it.

import type { RunId } from '../../journal/event.ts';
import { fail } from '../../kernel/fault.ts';
import { startWorker, workerCommand } from './detached.ts';

/** Called with a run that is stored and that no process works on. */
export type HandOver = (run: RunId) => Promise<void>;

/** Called before a run is stored. Throws if no process could work on it. */
export function handOver(dir: string | undefined): HandOver {
  if (dir === undefined)
    fail('usage', 'A run in the background needs a store that another process can open: a folder.');
  workerCommand();
  return async (run) => startWorker(run, dir);
}
