// Gives a prepared run to a process that is not this one: to a worker of the store, or to one that is started for it.

import type { RunId } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import type { LocalEngine } from '../local.ts';
import { startWorker, workerCommand } from './detached.ts';

/** Called with a run that is stored and that no process works on. */
export type HandOver = (run: RunId) => Promise<void>;

export interface HandOverParts {
  readonly store: RunStore;
  /** The folder of the store, if it has one. */
  readonly dir: string | undefined;
  readonly engine: Pick<LocalEngine, 'offer'>;
}

/** Called before a run is stored. Throws if no process could work on it. */
export function handOver({ store, dir, engine }: HandOverParts): HandOver {
  if (store.fleet !== undefined) return (run) => engine.offer(run);
  if (dir === undefined)
    fail('usage', 'A run in the background needs a store that another process can open: a folder, or postgres://…');
  workerCommand();
  return async (run) => startWorker(run, dir);
}
