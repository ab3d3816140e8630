// Runs that a process of their own works on: what ends the one that started it does not end the run.

import { spawn } from 'node:child_process';
import type { RunId } from '../../journal/event.ts';
import { fail } from '../../kernel/fault.ts';
import { ownCommand } from './own-command.ts';

/** Starts the process that takes up a prepared run and sees it to its end. */
export function startWorker(run: RunId, dir: string): void {
  const { command, args } = workerCommand();
  spawn(command, [...args, run, '--store', dir], { detached: true, stdio: 'ignore' }).unref();
}

/** Asked before a run is prepared that nobody could work on. */
export const workerCommand = () =>
  ownCommand('runs', 'work') ?? fail('usage', 'Cadre has no built command line: npm run build');
