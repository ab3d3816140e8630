// Runs that a process of their own works on: the end of the process that started one does not end the run.

import { spawn } from 'node:child_process';
import type { RunId } from '../../journal/event.ts';
import { fail } from '../../kernel/fault.ts';
import { ownCommand } from '../../run/own-command.ts';

/** Starts the process that works on a prepared run until it ends. */
export function startWorker(run: RunId, dir: string): void {
  const { command, args } = workerCommand();
  spawn(command, [...args, run, '--store', dir], { detached: true, stdio: 'ignore' }).unref();
}

/** Called before a run is prepared. Throws if no process could work on it. */
export const workerCommand = () =>
  ownCommand('runs', 'work') ?? fail('usage', 'Cadre has no built command line. Run "npm run build".');
