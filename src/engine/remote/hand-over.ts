// Stores a run for a process that is not this one: for a worker of the store, or for one that is started for it.

import { spawn } from 'node:child_process';
import type { RunId } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import { ownCommand } from '../../run/own-command.ts';
import type { RunRequest } from '../contract.ts';
import type { Engine } from '../engine.ts';

/** Stores the run, and sees to it that another process works on it. */
export type HandOver = (request: RunRequest) => Promise<RunId>;

/** Throws if no process could work on a run. */
export function handOver({
  store,
  dir,
  engine,
}: {
  readonly store: RunStore;
  /** The folder of the store, if it has one. */
  readonly dir: string | undefined;
  readonly engine: Pick<Engine, 'prepare' | 'submit'>;
}): HandOver {
  if (store.fleet !== undefined) return (request) => engine.submit(request);
  if (dir === undefined)
    fail(
      'usage',
      'A run in the background needs a store that another process can open: a folder, postgres://… or restate://…',
    );
  workerCommand();
  return async (request) => {
    const run = await engine.prepare(request);
    startWorker(run, dir);
    return run;
  };
}

/** Starts the process that works on a prepared run until it ends. */
function startWorker(run: RunId, dir: string): void {
  const { command, args } = workerCommand();
  spawn(command, [...args, run, '--store', dir], { detached: true, stdio: 'ignore' }).unref();
}

/** Called before a run is prepared. Throws if no process could work on it. */
const workerCommand = () =>
  ownCommand('runs', 'work') ?? fail('usage', 'Cadre has no built command line. Run "npm run build".');
